"""Makes devstack's cloud like the reference's where that is done through APIs.

Two small public images, no network that projects of the scenarios see without making it, and no server
on any host: a host with servers does not move to another zone.
"""

from typing import Final

import openstack

FIRST_SERVER: Final = "first"  # of devstack
IMAGES: Final = ("tiny", "tiny-alt")
BYTES: Final = 1052672


def main() -> None:
    """Change what is different; credentials come from the environment."""
    cloud = openstack.connect()
    for name in IMAGES:
        if not cloud.image.find_image(name):
            cloud.image.create_image(
                name=name, data=b"\0" * BYTES, disk_format="raw", container_format="bare", visibility="public"
            )
    for network in cloud.network.networks(is_shared=True):
        cloud.network.update_network(network, shared=False)
    for server in cloud.compute.servers(name=f"^{FIRST_SERVER}$"):
        cloud.compute.delete_server(server)
        cloud.compute.wait_for_delete(server)


if __name__ == "__main__":
    main()
