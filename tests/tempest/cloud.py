"""What Tempest wants to find in a cloud, beyond devstack's first server. Safe to run again."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import openstack

from devstack.lib.seeds import image_and_networks
from devstack.lib.site import NODES, Site

ALTERNATIVE_IMAGE: Final = "keel-test-alt"


@dataclass(frozen=True)
class Cloud:
    """Names and ids for tempest.conf."""

    site: Site
    image: str
    alternative_image: str
    flavor: str
    alternative_flavor: str
    public_network: str
    nodes: int = len(NODES)


def prepare(site: Site) -> Cloud:
    """Look up what devstack seeded, and add a second image that differs from it."""
    cloud = openstack.connect(**_sign_in(site))
    image = cloud.image.find_image(image_and_networks.IMAGE, ignore_missing=False)
    other = cloud.image.find_image(ALTERNATIVE_IMAGE) or cloud.image.create_image(
        name=ALTERNATIVE_IMAGE,
        data=b"another disk with nothing to boot\n".ljust(64) * 4096,
        disk_format="raw",
        container_format="bare",
        visibility="public",
    )
    _topologies_on_demand(cloud.network)
    flavors = {flavor.name: flavor.id for flavor in cloud.compute.flavors()}
    return Cloud(
        site=site,
        image=image.id,
        alternative_image=other.id,
        flavor=flavors["m1.tiny"],
        alternative_flavor=flavors["m1.small"],
        public_network=cloud.network.find_network("public", ignore_missing=False).id,
    )


def _topologies_on_demand(network: Any) -> None:
    """What `networks: auto` needs: an outside, and addresses to give out."""
    network.update_network(network.find_network("public", ignore_missing=False), is_default=True)
    if not network.find_subnet_pool("on-demand"):
        network.create_subnet_pool(
            name="on-demand",
            prefixes=["10.50.0.0/16"],
            default_prefix_length=26,
            is_shared=True,
            is_default=True,
        )


# Tests whose servers must have a port although their class makes no network
ON_A_SHARED_NETWORK: Final = re.compile(
    r"\.ServerActionsTestOtherA\.test_remove_server_all_security_groups\b"
)


@contextmanager
def nothing_shared(site: Site) -> Iterator[None]:
    """The private network is the administrator's alone: projects of tests have just their own networks."""
    network = openstack.connect(**_sign_in(site)).network
    private = network.find_network("private", ignore_missing=False)
    network.update_network(private, is_shared=False)
    try:
        yield
    finally:
        network.update_network(private, is_shared=True)


def _sign_in(site: Site) -> dict[str, Any]:
    return {name.removeprefix("OS_").lower(): value for name, value in site.credentials().items()}
