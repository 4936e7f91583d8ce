"""Makes devstack's cloud like the reference's where that is done through APIs.

Two small public images, and no network that projects of the scenarios see without making it.
"""

from typing import Final

import openstack

IMAGES: Final = ("apidiff", "apidiff-alt")
BYTES: Final = 65536


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


if __name__ == "__main__":
    main()
