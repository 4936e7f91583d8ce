"""openkeel-compute: one host. No database: its data comes from a conductor."""

from oslo_config import cfg

from openkeel.cmd.configuration import load_daemon, refusals, reread
from openkeel.cmd.messaging import Messaging
from openkeel.cmd.old_computes import refuse_old
from openkeel.cmd.surroundings import Surroundings
from openkeel.common.process import run
from openkeel.compute.daemon import ComputeService, build_host
from openkeel.compute.endpoint import FormerComputeEndpoint
from openkeel.compute.options import settings_from
from openkeel.rpc.heartbeat import ServiceRecord
from openkeel.rpc.patience import Patience
from openkeel.rpc.remote_stores.bundle import RemoteStores

_PROGRAM = "openkeel-compute"
BINARY = "nova-compute"
TOPICS = ("compute", "compute-alt")


def main() -> None:
    """Console script."""
    with refusals(_PROGRAM):
        conf = load_daemon(_PROGRAM)
        run(
            _PROGRAM,
            lambda _worker: ComputeDaemon(conf, Surroundings(conf)),
            reread=lambda: reread(conf, _PROGRAM),
        )


class ComputeDaemon:
    """The compute of this host, with its heartbeat."""

    def __init__(self, conf: cfg.ConfigOpts, outside: Surroundings) -> None:
        self._messaging = Messaging(
            conf, outside.transports(), lambda: stores.services.minimum_version(BINARY)
        )
        self._conf = conf
        self._stores = stores = RemoteStores(
            self._messaging.conductor,
            patience=Patience(sleep=outside.clock.sleep),
            pulse=self._messaging.pulse,
        )
        self._notifications = outside.notifications(BINARY)
        host = build_host(
            conf.host,
            driver=outside.driver(),
            stores=stores,
            neutron=outside.neutron,
            placement=outside.placement,
            conductor=self._messaging.tasks,
            scheduler=self._messaging.scheduler,
            groups=stores.groups,
            settings=settings_from(conf),
            clock=outside.clock,
            notifier=self._notifications.servers(stores),
        )
        self._record = ServiceRecord(
            stores.services,
            conf.host,
            BINARY,
            TOPICS[0],
            conf.report_interval,
            outside.clock,
            begins_disabled=not conf.enable_new_services,
        )
        self.service = ComputeService(
            host,
            outside.glance,
            lambda endpoint: self._messaging.server(
                TOPICS, conf.host, (endpoint, FormerComputeEndpoint(endpoint)), TOPICS[0]
            ),
        )

    def start(self) -> None:
        """The row first: the compute node refers to it. The pulse last: then the host takes work."""
        self._messaging.await_conductor()
        refuse_old(self._conf, self._stores.services.minimum_version(BINARY) or None)
        self._record.register()
        self.service.start()
        self._record.start()

    def stop(self) -> None:
        """Drain, then fall silent."""
        self.service.stop()
        self._record.stop()
        self._notifications.close()
        self._messaging.close()

    def reload(self) -> None:
        """SIGHUP."""
        self.service.reload()
