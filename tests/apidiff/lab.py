"""Makes devstack's cloud like the reference's where that is done through APIs, and back.

python -m tests.apidiff.lab prepare     two small public images; no network that every project sees; no server
                                        on any host, as a host with servers does not move to another zone
python -m tests.apidiff.lab restore     shared networks are shared again
"""

import sys
from typing import Any, Final

import openstack

FIRST_SERVER: Final = "first"  # of devstack, which makes it again
IMAGES: Final = ("tiny", "tiny-alt")
BYTES: Final = 1052672
WAS_SHARED: Final = "apidiff-was-shared"


def prepare(cloud: Any) -> None:
    """Safe to run again."""
    for name in IMAGES:
        found = cloud.image.find_image(name)
        if found and found.size != BYTES:
            cloud.image.delete_image(found)
            found = None
        if not found:
            cloud.image.create_image(
                name=name, data=b"\0" * BYTES, disk_format="raw", container_format="bare", visibility="public"
            )
    for network in cloud.network.networks(is_shared=True):
        cloud.network.set_tags(network, [WAS_SHARED])
        cloud.network.update_network(network, shared=False)
    for server in cloud.compute.servers(name=f"^{FIRST_SERVER}$"):
        cloud.compute.delete_server(server)
        cloud.compute.wait_for_delete(server)


def restore(cloud: Any) -> None:
    """Undo what other users of devstack would miss."""
    for network in cloud.network.networks(tags=WAS_SHARED):
        cloud.network.update_network(network, shared=True)
        cloud.network.set_tags(network, [])


if __name__ == "__main__":
    {"prepare": prepare, "restore": restore}[sys.argv[1]](openstack.connect())
