"""Host administration: services enabled, disabled, forced down and deleted; hosts as resources.

What is changed is written to the service's row first; then the host itself is told, so that Placement
learns it (trait COMPUTE_STATUS_DISABLED). A host that cannot be told learns it at its start or with its
next look at its resources. Contract: the os-services and os-hosts operations.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from openkeel import objects
from openkeel.clients.placement.interface import Placement
from openkeel.common.context import Context
from openkeel.db.cells import CellDirectory, CellStores
from openkeel.db.stores.host_reads import CellHostReads
from openkeel.domain import storable
from openkeel.domain.errors import (
    CellUnreachable,
    ComputeHostNotFound,
    ComputeServiceUnavailable,
    Conflict,
    HostMappingNotFound,
    Invalid,
    KeelError,
    ServiceNotFound,
)
from openkeel.services.aggregates import AggregateService
from openkeel.services.hosts import HostService, ServiceEntry

LOG = logging.getLogger(__name__)

COMPUTE: Final = "nova-compute"


class HostClient(Protocol):
    """The part of the compute's client that host administration needs."""

    def set_host_enabled(self, ctx: Context, *, host: str, enabled: bool) -> str: ...
    def host_maintenance_mode(self, ctx: Context, *, host: str, mode: bool) -> str: ...
    def host_power_action(self, ctx: Context, *, host: str, action: str) -> str: ...


@dataclass(frozen=True, slots=True)
class ServiceChange:
    """What shall become of a service; None leaves it. A reason belongs to disabling."""

    disabled: bool | None = None
    reason: str | None = None
    forced_down: bool | None = None


@dataclass(frozen=True, slots=True)
class Resources:
    """What a host has, or what somebody uses of it."""

    host: str
    project: str
    cpu: int
    memory_mb: int
    disk_gb: int


class HostAdminService:
    """The use cases of host administration."""

    def __init__(
        self,
        cells: CellDirectory,
        hosts: HostService,
        aggregates: AggregateService,
        placement: Placement,
        compute_of: Callable[[CellStores], HostClient],
    ) -> None:
        self._cells = cells
        self._hosts = hosts
        self._aggregates = aggregates
        self._placement = placement
        self._compute_of = compute_of

    # Services

    def change_by_name(self, ctx: Context, host: str, binary: str, change: ServiceChange) -> None:
        """Change the compute of a host. Raises: Invalid; HostMappingNotFound; ServiceNotFound."""
        _check_kind(binary)
        cell = self._cells.for_host(host)
        service = cell.services.find(host, binary)
        if service is None:
            raise ServiceNotFound(service_id=f"{binary} on {host}")
        self._change(ctx, cell, service, change)

    def change(self, ctx: Context, uuid: str, change: ServiceChange) -> ServiceEntry:
        """Change a compute. Returns: what it is then. Raises: Invalid; ServiceNotFound."""
        cell, service = self._find(uuid)
        _check_kind(service.binary)
        self._change(ctx, cell, service, change)
        row = CellHostReads(cell.database).service(service.id)
        if row is None:
            raise ServiceNotFound(service_id=uuid)
        return self._hosts.entry(row)

    def _change(self, ctx: Context, cell: CellStores, service: Any, change: ServiceChange) -> None:
        if change.forced_down is False:
            self._check_evacuated(cell, service)
        if change.disabled is not None:
            service.disabled = change.disabled
            storable.check("Reasons", [change.reason or ""])
            service.disabled_reason = change.reason if change.disabled else None
        if change.forced_down is not None:
            service.forced_down = change.forced_down
        cell.services.save(service)
        if change.disabled is not None and self._hosts.is_up(service):
            self._tell(ctx, cell, service)

    @staticmethod
    def _check_evacuated(cell: CellStores, service: Any) -> None:
        """Servers that were evacuated from a host would run twice if it came back with them."""
        left = {"source_compute": service.host, "status": ["done"], "migration_type": "evacuation"}
        if cell.migrations.list_by_filters(left):
            raise Invalid(
                f"Host {service.host} cannot be forced up: servers were evacuated from it, and it was not "
                "started since, which would remove them there."
            )

    def _tell(self, ctx: Context, cell: CellStores, service: Any) -> None:
        try:
            self._compute_of(cell).set_host_enabled(ctx, host=service.host, enabled=not service.disabled)
        except (KeelError, NotImplementedError) as error:
            LOG.warning("host %s was not told that its service changed: %s", service.host, error)

    def delete(self, ctx: Context, key: int | str) -> None:
        """Delete a service by id or uuid, a compute with all that is known of its host.

        Raises: ServiceNotFound; Invalid when the id is not unique; Conflict while the host has servers or
        migrations.
        """
        cell, service = self._find(key)
        if service.binary == COMPUTE:
            self._forget_host(ctx, cell, service.host)
        cell.services.destroy(service)

    def _forget_host(self, ctx: Context, cell: CellStores, host: str) -> None:
        if CellHostReads(cell.database).has_servers([host]):
            raise Conflict(f"Host {host} has servers: move or delete them first.")
        nodes = cell.compute_nodes.list_by_host(host)
        for node in nodes:
            if cell.migrations.list_under_way(host, node.hypervisor_hostname):
                raise Conflict(f"Servers are on their way from or to host {host}.")
        self._aggregates.forget_host(ctx, host)
        for node in nodes:
            self._drop_providers(node)
        try:
            self._cells.api.host_mappings.delete(host)
        except HostMappingNotFound:
            LOG.info("host %s was in no cell", host)

    def _drop_providers(self, node: objects.ComputeNode) -> None:
        """Remove the node's providers from Placement, children first.

        Allocations stay: they belong to servers that are elsewhere by now, and keep the provider.
        """
        try:
            tree = self._placement.provider_tree(node.uuid)
            for uuid in _leaves_first(tree, node.uuid):
                self._placement.delete_provider(uuid)
        except KeelError as error:
            LOG.error("the provider of node %s stays in Placement: %s", node.hypervisor_hostname, error)  # noqa: TRY400 known

    def _find(self, key: int | str) -> tuple[CellStores, Any]:
        cells = self._cells.cells()
        answers = self._cells.scatter(lambda cell: CellHostReads(cell.database).service(key), cells)
        found = [
            (cell, row)
            for cell in cells
            if (row := answers[cell.mapping.uuid]) is not None and not isinstance(row, CellUnreachable)
        ]
        if not found:
            raise ServiceNotFound(service_id=key)
        if len(found) > 1:
            raise Invalid(f"Several cells have a service {key}: ask by its uuid, from 2.53 on.")
        cell, row = found[0]
        return cell, cell.services.get(row.id)

    # Hosts as resources

    def list_hosts(self, zone: str | None) -> list[ServiceEntry]:
        """Enabled services, those of a zone if one is named."""
        return [
            one
            for one in self._hosts.services()
            if one.row is not None and not one.row.disabled and zone in {None, "", one.zone}
        ]

    def resources(self, host: str) -> list[Resources]:
        """What a host has, what is used, what servers may use at most: in sum and by project.

        Raises: HostMappingNotFound; ComputeHostNotFound.
        """
        reads = CellHostReads(self._cells.for_host(host).database)
        nodes = reads.resources(host)
        if not nodes:
            raise ComputeHostNotFound(host=host)
        node, by_project = nodes[0], reads.usage_by_project(host)
        peak = [sum(usage[position] for usage in by_project.values()) for position in range(3)]
        return [
            Resources(host, "(total)", node.vcpus or 0, node.memory_mb or 0, node.local_gb or 0),
            Resources(
                host, "(used_now)", node.vcpus_used or 0, node.memory_mb_used or 0, node.local_gb_used or 0
            ),
            Resources(host, "(used_max)", *peak),
            *(Resources(host, project, *usage) for project, usage in by_project.items()),
        ]

    def set_enabled(self, ctx: Context, host: str, *, enabled: bool) -> str:
        """Enable or disable a host. Returns: enabled or disabled, as the host says.

        Raises: HostMappingNotFound, ComputeHostNotFound; ComputeServiceUnavailable.
        """
        cell, service = self._living(host)
        service.disabled, service.disabled_reason = not enabled, None
        cell.services.save(service)
        return str(self._compute_of(cell).set_host_enabled(ctx, host=host, enabled=enabled))

    def set_maintenance(self, ctx: Context, host: str, *, is_on: bool) -> str:
        """Take a host into maintenance or out of it. Returns: in the words of its hypervisor.

        Raises: as `set_enabled`; Unsupported, by most hypervisors.
        """
        cell, _ = self._living(host)
        return self._compute_of(cell).host_maintenance_mode(ctx, host=host, mode=is_on)

    def power(self, ctx: Context, host: str, action: str) -> str:
        """Reboot, shut down or start a host. Returns: in the words of its hypervisor.

        Raises: as `set_enabled`; Unsupported, by most hypervisors.
        """
        cell, _ = self._living(host)
        return self._compute_of(cell).host_power_action(ctx, host=host, action=action)

    def _living(self, host: str) -> tuple[CellStores, Any]:
        cell = self._cells.for_host(host)
        service = cell.services.find_compute(host)
        if service is None:
            raise ComputeHostNotFound(host=host)
        if not self._hosts.is_up(service):
            raise ComputeServiceUnavailable(host=host)
        return cell, service


def _check_kind(binary: str) -> None:
    if binary != COMPUTE:
        raise Invalid(f"Only {COMPUTE} services can be changed, not {binary}.")


def _leaves_first(tree: Mapping[str, Any], root: str) -> Sequence[str]:
    """The providers below and including `root`, children before their parents."""
    found: list[str] = []
    for uuid, provider in tree.items():
        if provider.parent_uuid == root:
            found.extend(_leaves_first(tree, uuid))
    return [*found, root] if root in tree else found
