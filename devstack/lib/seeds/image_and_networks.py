"""A tiny public image, the networks "public" and "private" with a router, and open default groups."""

from typing import Any, Final

import openstack
from openstack.exceptions import ConflictException

IMAGE: Final = "keel-test"
IMAGE_MIB: Final = 1
LINE: Final = b"keel-test: a disk with nothing to boot, for simulated guests....\n"[:64]
PROJECTS: Final = ("admin", "demo")
OPEN: Final = (
    {"protocol": "icmp"},
    {"protocol": "tcp", "port_range_min": 22, "port_range_max": 22},
)


def image(cloud: Any) -> None:
    """The image, uploaded."""
    if cloud.image.find_image(IMAGE):
        return
    content = (LINE * (IMAGE_MIB * 1024 * 1024 // len(LINE) + 1))[: IMAGE_MIB * 1024 * 1024]
    cloud.image.create_image(
        name=IMAGE, data=content, disk_format="raw", container_format="bare", visibility="public"
    )


def networks(network: Any) -> None:
    """Public is the outside (flat on br-ex); private is every project's, with a router between."""
    public = network.find_network("public") or network.create_network(
        name="public",
        is_router_external=True,
        provider_network_type="flat",
        provider_physical_network="public",
    )
    if not network.find_subnet("public-subnet"):
        network.create_subnet(
            name="public-subnet",
            network_id=public.id,
            ip_version=4,
            cidr="172.24.4.0/24",
            gateway_ip="172.24.4.1",
            is_dhcp_enabled=False,
        )
    private = network.find_network("private") or network.create_network(name="private", is_shared=True)
    subnet = network.find_subnet("private-subnet") or network.create_subnet(
        name="private-subnet", network_id=private.id, ip_version=4, cidr="10.42.0.0/20"
    )
    if not network.find_router("router"):
        router = network.create_router(name="router", external_gateway_info={"network_id": public.id})
        network.add_interface_to_router(router, subnet_id=subnet.id)


def security_groups(cloud: Any) -> None:
    """Ping and SSH into servers of the default groups."""
    for name in PROJECTS:
        project = cloud.identity.find_project(name)
        for group in cloud.network.security_groups(project_id=project.id, name="default"):
            for rule in OPEN:
                try:
                    cloud.network.create_security_group_rule(
                        security_group_id=group.id, direction="ingress", ether_type="IPv4", **rule
                    )
                except ConflictException:
                    continue


def main() -> None:
    """Seed Glance and Neutron; credentials come from the environment. Safe to run again."""
    cloud = openstack.connect()
    image(cloud)
    networks(cloud.network)
    security_groups(cloud)


if __name__ == "__main__":
    main()
