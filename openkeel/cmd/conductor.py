"""openkeel-conductor: work across hosts, and the data of the computes."""

from oslo_config import cfg

from openkeel.cmd.configuration import load_daemon, refusals, reread
from openkeel.cmd.databases import cell_directory, own_cell
from openkeel.cmd.messaging import Messaging
from openkeel.cmd.old_computes import expect_current_computes
from openkeel.cmd.surroundings import Surroundings
from openkeel.common.periodic import Periodic, PeriodicRunner, off_at_zero
from openkeel.common.process import default_workers, run
from openkeel.conductor.compute_task_endpoint import ComputeTaskEndpoint
from openkeel.conductor.object_endpoint import ObjectEndpoint
from openkeel.conductor.object_methods import Zones
from openkeel.conductor.stalled_builds import StalledBuilds
from openkeel.conductor.workflows.boot import BootWorkflow
from openkeel.conductor.workflows.image_cache import ImageCacheWorkflow
from openkeel.conductor.workflows.reschedule import RescheduleWorkflow
from openkeel.db.cells import CellStores
from openkeel.rpc.compute import ComputeClient
from openkeel.rpc.heartbeat import ServiceRecord
from openkeel.services.options import quota_service, quota_settings

_PROGRAM = "openkeel-conductor"
BINARY = "nova-conductor"
TOPIC = "conductor"


def main() -> None:
    """Console script."""
    with refusals(_PROGRAM):
        conf = load_daemon(_PROGRAM)
        quota_settings(conf)  # refuses what it cannot do here, once, and not in every worker again
        expect_current_computes(conf)
        run(
            _PROGRAM,
            lambda _worker: ConductorDaemon(conf, Surroundings(conf)),
            default_workers(conf.conductor.workers),
            reread=lambda: reread(conf, _PROGRAM),
        )


class ConductorDaemon:
    """One worker."""

    def __init__(self, conf: cfg.ConfigOpts, outside: Surroundings) -> None:
        self._notifications = notifications = outside.notifications(BINARY)
        self._cells = cells = cell_directory(conf, outside.database, notifications.witness)
        self._mine = mine = own_cell(conf, outside.database, notifications.witness)
        placement = outside.placement
        self._messaging = Messaging(
            conf,
            outside.transports(),
            lambda: mine.services.minimum_version("nova-compute"),
            is_conductor=True,
        )

        def compute_of(cell: CellStores) -> ComputeClient:
            return self._messaging.computes(cell.mapping.transport_url)

        quota = quota_service(conf, cells, placement)
        zones = Zones(conf.default_availability_zone, conf.internal_service_availability_zone)
        boot = BootWorkflow(
            cells=cells,
            scheduler=self._messaging.scheduler,
            compute_of=compute_of,
            placement=placement,
            recheck_quota=quota.recheck if conf.quota.recheck_quota else None,
            notifications=notifications,
        )
        reschedule = RescheduleWorkflow(
            cells=cells,
            scheduler=self._messaging.scheduler,
            compute_of=compute_of,
            placement=placement,
            max_attempts=conf.scheduler.max_attempts,
            notifications=notifications,
        )
        cache = ImageCacheWorkflow(
            cells=cells,
            compute_of=compute_of,
            clock=outside.clock,
            hosts_at_once=conf.image_cache.precache_concurrency,
            down_time_s=conf.service_down_time,
            notifications=notifications,
        )
        stalled = StalledBuilds(
            cells=cells,
            placement=placement,
            clock=outside.clock,
            timeout_s=conf.stalled_builds.timeout,
            notifications=notifications,
        )
        self.periodics = (
            Periodic(
                "stalled_builds",
                stalled.run,
                off_at_zero(conf.stalled_builds.interval if conf.stalled_builds.timeout else 0),
            ),
        )
        self._runner = PeriodicRunner(self.periodics, fuzz_s=conf.periodic_fuzzy_delay)
        self._runs_periodics = conf.periodic_enable
        self._stop_timeout_s = conf.manager_shutdown_timeout
        self._record = ServiceRecord(
            mine.services, conf.host, BINARY, TOPIC, conf.report_interval, outside.clock
        )
        self._server = self._messaging.server(
            (TOPIC,),
            conf.host,
            (
                ObjectEndpoint(mine, cells.api, quota, zones),
                ComputeTaskEndpoint(boot, reschedule, cache),
            ),
            TOPIC,
        )

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
        """Computes may have been upgraded meanwhile."""
        self._messaging.forget_levels()
