"""Makes devstack's cloud like the reference's where that is done through APIs: two small public images."""

from typing import Final

import openstack

IMAGES: Final = ("apidiff", "apidiff-alt")
BYTES: Final = 65536


def main() -> None:
    """Create what is missing; credentials come from the environment."""
    cloud = openstack.connect()
    for name in IMAGES:
        if not cloud.image.find_image(name):
            cloud.image.create_image(
                name=name, data=b"\0" * BYTES, disk_format="raw", container_format="bare", visibility="public"
            )


if __name__ == "__main__":
    main()
