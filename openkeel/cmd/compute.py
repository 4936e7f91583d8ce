"""openkeel-compute: one host. No database: its data comes from a conductor."""

from oslo_config import cfg

from openkeel.clients.glance.client import make_client as make_glance
from openkeel.clients.neutron.client import make_client as make_neutron
from openkeel.clients.placement.client import make_client as make_placement
from openkeel.cmd.configuration import load
from openkeel.cmd.messaging import Messaging
from openkeel.common.context import admin_context
from openkeel.common.process import run
from openkeel.compute.daemon import ComputeService, build_host
from openkeel.compute.options import settings_from
from openkeel.rpc.heartbeat import ServiceRecord
from openkeel.rpc.remote_stores import RemoteStores
from openkeel.virt.driver import Driver
from openkeel.virt.kubevirt.client import KubeClient, connect
from openkeel.virt.kubevirt.driver import build as build_driver
from openkeel.virt.kubevirt.images import ImageSource
from openkeel.virt.kubevirt.settings import Settings as DriverSettings

BINARY = "nova-compute"
TOPICS = ("compute", "compute-alt")


def main() -> None:
    """Console script."""
    conf = load("openkeel-compute")
    run("openkeel-compute", lambda _worker: ComputeDaemon(conf))


class ComputeDaemon:
    """The compute of this host, with its heartbeat."""

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        self._messaging = Messaging(conf)
        stores = RemoteStores(self._messaging.conductor)
        host = build_host(
            conf.host,
            driver=kubevirt_driver(conf),
            stores=stores,
            neutron=make_neutron(conf),
            placement=make_placement(conf),
            conductor=self._messaging.tasks,
            scheduler=self._messaging.scheduler,
            settings=settings_from(conf),
        )
        self._record = ServiceRecord(stores.services, conf.host, BINARY, TOPICS[0], conf.report_interval)
        self._service = ComputeService(
            host,
            lambda endpoint: self._messaging.server(TOPICS, conf.host, (endpoint,), BINARY),
        )

    def start(self) -> None:
        """The row first: the compute node refers to it. The pulse last: then the host takes work."""
        self._record.register()
        self._service.start()
        self._record.start()

    def stop(self) -> None:
        """Drain, then fall silent."""
        self._service.stop()
        self._record.stop()
        self._messaging.close()

    def reload(self) -> None:
        """SIGHUP."""
        self._service.reload()


def kubevirt_driver(conf: cfg.ConfigOpts) -> Driver:
    """The driver that [kubevirt] describes."""
    options = conf.kubevirt
    glance = make_glance(conf)

    def image_access(image_id: str) -> ImageSource:
        found = glance.download(admin_context(), image_id)
        url = found.url
        if options.glance_internal_url:
            url = f"{options.glance_internal_url.rstrip('/')}/v2/images/{image_id}/file"
        return ImageSource(url, found.headers)

    client = KubeClient(
        connect(options.kubeconfig, options.context),
        timeout_s=options.api_timeout,
        retry_s=options.api_retry_timeout,
        qps=options.api_qps,
    )
    return build_driver(
        client,
        DriverSettings(
            node_name=options.node_name,
            namespace_prefix=options.namespace_prefix,
            images_namespace=options.images_namespace,
            root_storage_class=options.root_storage_class,
            ephemeral_storage_class=options.ephemeral_storage_class,
            glance_ca_configmap=options.glance_ca_configmap,
            disk_gib=options.disk_gb,
            cpu_mode=options.cpu_mode,
            tolerations=tuple(options.tolerations),
            spawn_timeout_s=options.spawn_timeout,
            image_import_timeout_s=options.image_import_timeout,
            unschedulable_grace_s=options.unschedulable_grace,
            shutdown_timeout_s=conf.shutdown_timeout,
            console_log_persist=options.console_log_persist,
        ),
        image_access,
    )
