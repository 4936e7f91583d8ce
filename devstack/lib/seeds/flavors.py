"""The usual flavors."""

from typing import Final

import openstack

# name: vCPUs, MiB of memory, GiB of disk
FLAVORS: Final = {
    "m1.tiny": (1, 512, 1),
    "m1.small": (1, 2048, 20),
    "m1.medium": (2, 4096, 40),
    "m1.large": (4, 8192, 80),
}


def main() -> None:
    """Create those that are missing; credentials come from the environment."""
    compute = openstack.connect().compute
    have = {flavor.name for flavor in compute.flavors()}
    for number, (name, (vcpus, ram, disk)) in enumerate(FLAVORS.items(), start=1):
        if name not in have:
            compute.create_flavor(name=name, id=str(number), vcpus=vcpus, ram=ram, disk=disk)


if __name__ == "__main__":
    main()
