"""Service users, roles, projects and endpoints in keystone. Safe to run again."""

from collections.abc import Mapping
from typing import Any, Final

import openstack

from devstack.lib.site import PASSWORD, REGION, Site

SERVICE_USERS: Final = ("nova", "placement", "glance", "neutron")
INTERFACES: Final = ("public", "internal", "admin")
ROLES: Final = ("admin", "manager", "member", "reader", "service")


def services(site: Site) -> Mapping[str, tuple[str, str]]:
    """Service type to name and URL."""
    return {
        "compute": ("nova", site.url("compute", "/v2.1")),
        "placement": ("placement", site.url("placement")),
        "image": ("glance", site.url("glance")),
        "network": ("neutron", site.url("neutron")),
    }


class Catalogue:
    """Finds or creates, name by name."""

    def __init__(self, identity: Any) -> None:
        self._identity = identity
        self._domain = identity.find_domain("Default")
        self._roles = {role.name: role for role in identity.roles()}
        for name in ROLES:
            if name not in self._roles:
                self._roles[name] = identity.create_role(name=name)

    def project(self, name: str) -> Any:
        return self._identity.find_project(name) or self._identity.create_project(
            name=name, domain_id=self._domain.id
        )

    def user(self, name: str, project: Any, *roles: str) -> None:
        """A user with roles in a project."""
        user = self._identity.find_user(name) or self._identity.create_user(
            name=name, password=PASSWORD, domain_id=self._domain.id, default_project_id=project.id
        )
        for role in roles:
            self._identity.assign_project_role_to_user(project, user, self._roles[role])

    def endpoints(self, wanted: Mapping[str, tuple[str, str]]) -> None:
        """Every service at its URL on every interface."""
        have = {service.type: service for service in self._identity.services()}
        placed = {(point.service_id, point.interface): point for point in self._identity.endpoints()}
        for kind, (name, url) in wanted.items():
            service = have.get(kind) or self._identity.create_service(name=name, type=kind)
            for interface in INTERFACES:
                point = placed.get((service.id, interface))
                if point is None:
                    self._identity.create_endpoint(
                        service_id=service.id, interface=interface, url=url, region_id=REGION
                    )
                elif point.url != url:
                    self._identity.update_endpoint(point, url=url)


def main() -> None:
    """Seed keystone; credentials come from the environment."""
    catalogue = Catalogue(openstack.connect().identity)
    service, demo = catalogue.project("service"), catalogue.project("demo")
    for name in SERVICE_USERS:
        catalogue.user(name, service, "admin", "service")
    catalogue.user("demo", demo, "member", "reader")
    catalogue.user("admin", demo, "admin")
    catalogue.endpoints(services(Site.load()))


if __name__ == "__main__":
    main()
