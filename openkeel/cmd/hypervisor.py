"""The hypervisor of a compute, from its configuration."""

from oslo_config import cfg

from openkeel.clients.glance.interface import Glance
from openkeel.common.context import admin_context
from openkeel.virt.driver import Driver
from openkeel.virt.kubevirt.client import KubeClient, connect
from openkeel.virt.kubevirt.driver import build
from openkeel.virt.kubevirt.images import ImageSource
from openkeel.virt.kubevirt.settings import Settings


def kubevirt_driver(conf: cfg.ConfigOpts, glance: Glance) -> Driver:
    """The driver that [kubevirt] describes."""
    options = conf.kubevirt

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
    return build(
        client,
        Settings(
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
