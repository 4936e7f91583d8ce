"""The driver put together."""

from openkeel.virt.driver import Capabilities, Driver
from openkeel.virt.kubevirt.client import KubeClient
from openkeel.virt.kubevirt.console import KubevirtConsole
from openkeel.virt.kubevirt.guests import Guests
from openkeel.virt.kubevirt.host import KubevirtHost
from openkeel.virt.kubevirt.images import ImageAccess, Images
from openkeel.virt.kubevirt.lifecycle import KubevirtLifecycle
from openkeel.virt.kubevirt.power import KubevirtPower
from openkeel.virt.kubevirt.settings import Settings


def build(client: KubeClient, settings: Settings, image_access: ImageAccess) -> Driver:
    """A driver for one node. Nothing is asked of the cluster before `host.start`."""
    host = KubevirtHost(client, settings)
    guests = Guests(client, settings, host.node_label)
    console = KubevirtConsole(guests)
    images = Images(client, settings, image_access)
    return Driver(
        lifecycle=KubevirtLifecycle(guests, images, host.vms, host.vmis),
        power=KubevirtPower(guests, console, host.vms, host.vmis),
        console=console,
        host=host,
        capabilities=Capabilities(image_formats=frozenset({"raw", "qcow2"})),
        images=images,
    )
