"""Cinder's user and endpoints in keystone, and the volume type that is the default."""

import openstack

from devstack.lib.parts.cinder import BACK_END
from devstack.lib.seeds.catalogue import Catalogue
from devstack.lib.site import Site


def main() -> None:
    """Create what is missing; credentials come from the environment."""
    identity = openstack.connect().identity
    catalogue = Catalogue(identity)
    catalogue.user("cinder", catalogue.project("service"), "admin", "service")
    url = Site.load().url("cinder", "/v3")
    # The type that Cinder goes by today, and the one that Nova's options name.
    catalogue.endpoints({"block-storage": ("cinder", url), "volumev3": ("cinderv3", url)})
    volumes = openstack.connect().block_storage
    if not any(one.name == BACK_END for one in volumes.types()):
        volumes.create_type(name=BACK_END, extra_specs={"volume_backend_name": BACK_END})


if __name__ == "__main__":
    main()
