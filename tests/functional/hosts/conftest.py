"""Host administration and server groups through HTTP on real SQL, with default rules."""

from typing import Any

import pytest

from openkeel import objects
from openkeel.clients.placement.fake import FakePlacement
from openkeel.domain.errors import ComputeServiceUnavailable, Unavailable, Unsupported
from openkeel.scheduler.aggregates import AggregateCache
from openkeel.services.aggregates import AggregateService
from openkeel.services.host_admin import HostAdminService
from openkeel.services.lookup import ServerLookup
from openkeel.services.migrations import MigrationService
from openkeel.services.server_groups import ServerGroupService
from tests.fixtures.db import api_database, cell_database, cells, database_templates
from tests.functional.api.conftest import World, policy

__all__ = ["api_database", "cell_database", "cells", "database_templates", "policy"]


class Schedulers:
    """All schedulers as one: the cache that hears the casts. `is_cut_off`: they cannot be told."""

    def __init__(self) -> None:
        self.cache = AggregateCache(list)
        self.cache.all()
        self.is_cut_off = False

    def update_aggregates(self, _ctx: Any, *, aggregates: Any) -> None:
        if self.is_cut_off:
            raise Unavailable(service="RabbitMQ")
        self.cache.update(aggregates)

    def delete_aggregate(self, _ctx: Any, *, aggregate: Any) -> None:
        if self.is_cut_off:
            raise Unavailable(service="RabbitMQ")
        self.cache.delete(aggregate)


class Hosts:
    """All computes: they mirror what they are told in Placement, unless they are `dead`.

    Only hypervisors of `capable` hosts can be taken into maintenance and turned off, as in Nova's tests.
    """

    def __init__(self, world: Any) -> None:
        self._world = world
        self.dead: set[str] = set()
        self.capable: set[str] = set()

    def set_host_enabled(self, _ctx: Any, *, host: str, enabled: bool) -> str:
        if host in self.dead:
            raise ComputeServiceUnavailable(host=host)
        traits = set() if enabled else {"COMPUTE_STATUS_DISABLED"}
        self._world.placement.update_provider(self._world.node_of(host).uuid, traits=traits)
        return "enabled" if enabled else "disabled"

    def host_maintenance_mode(self, _ctx: Any, *, host: str, mode: bool) -> str:
        self._check_capable(host)
        return "on_maintenance" if mode else "off_maintenance"

    def host_power_action(self, _ctx: Any, *, host: str, action: str) -> str:
        self._check_capable(host)
        return action

    def _check_capable(self, host: str) -> None:
        if host not in self.capable:
            raise Unsupported("not by this hypervisor")


class HostsWorld(World):
    """A deployment with hosts that can be mapped, provided and filled."""

    def __init__(self, cells: Any, policy: Any) -> None:
        super().__init__(cells, policy)
        self.placement = FakePlacement()
        self.schedulers = Schedulers()
        self.services.migrations = MigrationService(cells)
        self.services.server_lookup = ServerLookup(cells)
        self.services.server_groups = ServerGroupService(cells, self.quota)
        self.services.aggregates = AggregateService(cells, self.placement, self.schedulers, self.clock)

        self.hosts = Hosts(self)
        self.services.host_admin = HostAdminService(
            cells, self.services.hosts, self.services.aggregates, self.placement, lambda _cell: self.hosts
        )

    def is_shut_in_placement(self, host: str) -> bool:
        """Whether schedulers leave the host out."""
        return "COMPUTE_STATUS_DISABLED" in self.placement.find_provider(self.node_of(host).uuid).traits

    def host(self, name: str, **values: Any) -> Any:
        """A mapped compute with one node; the service."""
        service = self.service(name, **values)
        self.cells.api.host_mappings.create(objects.HostMapping(host=name, cell_mapping=self.cell.mapping))
        node = self.node(name, uuid=f"00000000-0000-4000-8000-{sum(name.encode()):012d}")
        self.placement.add_host(node.uuid, name)
        return service

    def node_of(self, host: str) -> Any:
        return self.cell.compute_nodes.list_by_host(host)[0]

    def aggregate(self, name: str, zone: str | None = None, *hosts: str) -> int:
        """An aggregate; its id."""
        body = {"name": name} | ({"availability_zone": zone} if zone else {})
        answer = self.admin("POST", "/v2.1/os-aggregates", {"aggregate": body})
        assert answer.status_code == 200, answer.text
        number = answer.json["aggregate"]["id"]
        for host in hosts:
            assert self.act(number, "add_host", host=host).status_code == 200
        return number

    def act(self, aggregate_id: Any, action: str, **arguments: Any) -> Any:
        path = f"/v2.1/os-aggregates/{aggregate_id}/action"
        return self.admin("POST", path, {action: arguments}, version="2.104")


@pytest.fixture
def world(cells, policy):
    return HostsWorld(cells, policy)
