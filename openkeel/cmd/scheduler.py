"""openkeel-scheduler: where servers go."""

from oslo_config import cfg

from openkeel.cmd.configuration import load_daemon, refusals, reread
from openkeel.cmd.databases import cell_directory, own_cell
from openkeel.cmd.messaging import Messaging
from openkeel.cmd.old_computes import expect_current_computes
from openkeel.cmd.surroundings import Surroundings
from openkeel.common.periodic import PeriodicRunner
from openkeel.common.process import default_workers, run
from openkeel.rpc.heartbeat import ServiceRecord
from openkeel.scheduler.assembly import assemble

_PROGRAM = "openkeel-scheduler"
BINARY = "nova-scheduler"
TOPIC = "scheduler"


def main() -> None:
    """Console script."""
    with refusals(_PROGRAM):
        conf = load_daemon(_PROGRAM)
        expect_current_computes(conf)
        run(
            _PROGRAM,
            lambda worker: SchedulerDaemon(conf, Surroundings(conf), worker),
            default_workers(conf.scheduler.workers),
            reread=lambda: reread(conf, _PROGRAM),
        )


class SchedulerDaemon:
    """One worker. The periodic work is the first one's."""

    def __init__(self, conf: cfg.ConfigOpts, outside: Surroundings, worker: int = 0) -> None:
        self._notifications = outside.notifications(BINARY)
        self._cells = cell_directory(conf, outside.database)
        self._mine = own_cell(conf, outside.database, self._notifications.witness)
        scheduler = assemble(
            conf,
            conf.host,
            self._cells,
            outside.placement,
            outside.clock,
            service_down_time_s=conf.service_down_time,
            default_availability_zone=conf.default_availability_zone,
            announcer=self._notifications.scheduling,
        )
        self._messaging = Messaging(conf, outside.transports())
        self._record = ServiceRecord(
            self._mine.services, conf.host, BINARY, TOPIC, conf.report_interval, outside.clock
        )
        self._server = self._messaging.server((TOPIC,), conf.host, (scheduler.endpoint,), TOPIC)
        self.periodics = scheduler.periodics
        self._runner = PeriodicRunner(self.periodics, fuzz_s=conf.periodic_fuzzy_delay)
        self._runs_periodics = conf.periodic_enable and worker == 0
        self._stop_timeout_s = conf.manager_shutdown_timeout

    def start(self) -> None:
        """Serve, then say so."""
        self._server.start()
        self._record.start()
        if self._runs_periodics:
            self._runner.start()

    def stop(self) -> None:
        """Take nothing new, finish what was begun."""
        self._runner.stop()
        self._server.stop()
        self._server.wait(self._stop_timeout_s)
        self._record.stop()
        self._notifications.close()
        self._messaging.close()
        self._cells.close()
        self._mine.database.dispose()

    def reload(self) -> None:
        """Nothing the scheduler reads may change while it runs."""
