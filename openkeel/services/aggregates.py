"""Host aggregates: groups of hosts, which are availability zones where their metadata say so.

What is decided here is written to the API database, told to all schedulers, and mirrored in Placement's
aggregates. The database counts: schedulers read it now and then, and a mirror that failed is logged and
mended by `placement sync_aggregates`. Contract: the os-aggregates operations, 2.1 to 2.104.

A host is in one availability zone at most, and its zone does not change under the servers it holds.
"""

import logging
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NoReturn, Protocol

from oslo_utils import uuidutils

from openkeel import objects
from openkeel.clients import errors as service_errors
from openkeel.clients.placement.interface import Placement
from openkeel.common.clock import Clock
from openkeel.common.context import Context
from openkeel.db.cells import CellDirectory
from openkeel.db.stores.aggregate_reads import AggregateReads, AggregateRow
from openkeel.db.stores.host_reads import CellHostReads
from openkeel.domain import storable
from openkeel.domain.errors import (
    AggregateActionRefused,
    AggregateNotFound,
    ComputeHostNotFound,
    Conflict,
    KeelError,
)
from openkeel.notifications import events
from openkeel.notifications.notifier import Notifications

LOG = logging.getLogger(__name__)

ZONE_KEY: Final = "availability_zone"


class SchedulerNews(Protocol):
    """The part of the scheduler's client that hears of aggregates."""

    def update_aggregates(self, ctx: Context, *, aggregates: Sequence[objects.Aggregate]) -> None: ...

    def delete_aggregate(self, ctx: Context, *, aggregate: objects.Aggregate) -> None: ...


class AggregateService:
    """The use cases of host aggregates."""

    def __init__(
        self,
        cells: CellDirectory,
        placement: Placement,
        scheduler: SchedulerNews,
        clock: Clock,
        notifications: Notifications | None = None,
    ) -> None:
        self._told = (notifications or Notifications()).aggregates
        self._cells = cells
        self._placement = placement
        self._scheduler = scheduler
        self._clock = clock
        self._reads = AggregateReads(cells.api.database)

    # Reading

    def list(self) -> Sequence[AggregateRow]:
        """All aggregates."""
        return self._reads.list()

    def get(self, aggregate_id: int) -> AggregateRow:
        """Raises: AggregateNotFound."""
        found = self._reads.find(aggregate_id)
        if found is None:
            raise AggregateNotFound(aggregate_id=aggregate_id)
        return found

    # Writing. Each returns the aggregate as it is then.

    def create(self, ctx: Context, name: str, zone: str | None) -> objects.Aggregate:
        """Raises: AggregateNameExists."""
        metadata = {ZONE_KEY: zone} if zone else {}
        aggregate = objects.Aggregate(uuid=uuidutils.generate_uuid(), name=name, metadata=metadata)
        facts = {"name": name, **({"meta_data": metadata} if metadata else {})}
        with self._told.change(ctx, events.AGGREGATE_CREATE, aggregate, facts):
            self._cells.api.aggregates.create(aggregate)
        self._tell(ctx, aggregate)
        return aggregate

    def update(self, ctx: Context, aggregate_id: int, changes: Mapping[str, str | None]) -> objects.Aggregate:
        """Change `name`, `availability_zone` or both.

        Raises: AggregateNotFound; AggregateNameExists; AggregateActionRefused.
        """
        aggregate = self._load(aggregate_id)
        zone = {ZONE_KEY: changes[ZONE_KEY]} if ZONE_KEY in changes else {}
        self._check_zone_change(aggregate, zone)
        if "name" in changes:
            aggregate.name = changes["name"] or ""
            with self._told.change(ctx, events.AGGREGATE_UPDATE, aggregate):
                self._cells.api.aggregates.save(aggregate)
        if zone:
            self._save_metadata(ctx, aggregate, zone)
        self._tell(ctx, aggregate)
        return aggregate

    def set_metadata(
        self, ctx: Context, aggregate_id: int, changes: Mapping[str, str | None]
    ) -> objects.Aggregate:
        """Set keys, and remove those whose value is None.

        Raises: AggregateNotFound; AggregateActionRefused; Invalid.
        """
        aggregate = self._load(aggregate_id)
        storable.check("Metadata", [value for value in changes.values() if value is not None])
        self._check_zone_change(aggregate, changes)
        self._save_metadata(ctx, aggregate, changes)
        self._tell(ctx, aggregate)
        return aggregate

    def delete(self, ctx: Context, aggregate_id: int) -> None:
        """Raises: AggregateNotFound; AggregateActionRefused while it has hosts."""
        aggregate = self._load(aggregate_id)
        if aggregate.hosts:
            raise AggregateActionRefused(aggregate_id=aggregate_id, reason="it still has hosts")
        with self._told.change(ctx, events.AGGREGATE_DELETE, aggregate):
            self._cells.api.aggregates.destroy(aggregate)
        try:
            self._scheduler.delete_aggregate(ctx, aggregate=aggregate)
        except KeelError as error:
            LOG.warning("schedulers were not told that aggregate %d is gone: %s", aggregate_id, error)

    def add_host(self, ctx: Context, aggregate_id: int, host: str) -> objects.Aggregate:
        """Put a host into it.

        Raises: HostMappingNotFound, ComputeHostNotFound, AggregateNotFound; AggregateActionRefused;
        AggregateHostExists.
        """
        cell = self._cells.for_host(host)
        if cell.services.find_compute(host) is None:
            raise ComputeHostNotFound(host=host)
        aggregate = self._load(aggregate_id)
        zone = _zone_of(aggregate)
        if zone is not None:
            others = self._other_zones(aggregate, [host])
            self._check_conflict(aggregate, zone, others)
            if zone not in others and CellHostReads(cell.database).has_servers([host]):
                self._refuse(aggregate, "servers of the host would change their availability zone")
        facts = {"host_name": host}
        with self._told.change(ctx, events.AGGREGATE_ADD_HOST, aggregate, facts, {"name": aggregate.name}):
            self._cells.api.aggregates.add_host(aggregate, host)
        self._tell(ctx, aggregate)
        self._mirror(aggregate, host, member=True)
        return aggregate

    def remove_host(self, ctx: Context, aggregate_id: int, host: str) -> objects.Aggregate:
        """Take a host out of it.

        Raises: AggregateNotFound, AggregateHostNotFound; AggregateActionRefused; Conflict when somebody
        else keeps changing the host's provider in Placement.
        """
        aggregate = self._load(aggregate_id)
        zone = _zone_of(aggregate)
        leaves_zone = zone is not None and zone not in self._other_zones(aggregate, [host])
        if host in (aggregate.hosts or ()) and leaves_zone and self._have_servers([host]):
            self._refuse(aggregate, "servers of the host would change their availability zone")
        self._take_out(ctx, aggregate, host)
        self._tell(ctx, aggregate)
        self._mirror(aggregate, host, member=False)
        return aggregate

    def forget_host(self, ctx: Context, host: str) -> None:
        """The host is no more: take it out of every aggregate, whatever its zone."""
        for aggregate in self._cells.api.aggregates.list_by_host(host):
            self._take_out(ctx, aggregate, host)
            self._tell(ctx, aggregate)

    # Availability zones

    def _check_zone_change(self, aggregate: objects.Aggregate, changes: Mapping[str, str | None]) -> None:
        if ZONE_KEY not in changes:
            return
        zone = changes[ZONE_KEY]
        if not zone:
            self._refuse(aggregate, "an availability zone cannot have an empty name")
        elif aggregate.hosts:
            self._check_conflict(aggregate, zone, self._other_zones(aggregate, aggregate.hosts))
            if zone != _zone_of(aggregate) and self._have_servers(aggregate.hosts):
                self._refuse(aggregate, "its hosts have servers, whose availability zone would change")

    def _check_conflict(self, aggregate: objects.Aggregate, zone: str, others: Collection[str]) -> None:
        if conflicts := sorted(set(others) - {zone}):
            self._refuse(aggregate, f"hosts are in availability zone {', '.join(conflicts)} already")

    def _other_zones(self, aggregate: objects.Aggregate, hosts: Collection[str]) -> set[str]:
        """Zones that other aggregates give to the hosts."""
        found = self._cells.api.aggregates.list_by_metadata_key(ZONE_KEY, hosts)
        return {one.metadata[ZONE_KEY] for one in found if one.id != aggregate.id}

    def _have_servers(self, hosts: Collection[str]) -> bool:
        """Raises: CellUnreachable: nobody can tell."""
        in_cell: dict[str, list[str]] = {}
        for mapping in self._cells.api.host_mappings.list_by_hosts(hosts):
            in_cell.setdefault(mapping.cell_mapping.uuid, []).append(mapping.host)
        return any(
            CellHostReads(self._cells.cell(uuid).database).has_servers(mine) for uuid, mine in in_cell.items()
        )

    @staticmethod
    def _refuse(aggregate: objects.Aggregate, reason: str) -> NoReturn:
        raise AggregateActionRefused(aggregate_id=aggregate.id, reason=reason)

    # Helping

    def _load(self, aggregate_id: int) -> objects.Aggregate:
        self.get(aggregate_id)
        aggregate: objects.Aggregate = self._cells.api.aggregates.get(aggregate_id)
        return aggregate

    def _take_out(self, ctx: Context, aggregate: objects.Aggregate, host: str) -> None:
        with self._told.change(ctx, events.AGGREGATE_REMOVE_HOST, aggregate, {"host_name": host}):
            self._cells.api.aggregates.delete_host(aggregate, host)

    def _save_metadata(
        self, ctx: Context, aggregate: objects.Aggregate, changes: Mapping[str, str | None]
    ) -> None:
        facts = {"meta_data": dict(changes)}
        with self._told.change(ctx, events.AGGREGATE_UPDATE_METADATA, aggregate, facts):
            self._cells.api.aggregates.update_metadata(aggregate, changes)
        # Compat: the answer shows the time, though the row of the aggregate itself did not change.
        aggregate.updated_at = self._clock.now()
        aggregate.obj_reset_changes(["updated_at"])

    def _tell(self, ctx: Context, aggregate: objects.Aggregate) -> None:
        try:
            self._scheduler.update_aggregates(ctx, aggregates=[aggregate])
        except KeelError as error:
            LOG.warning("schedulers were not told of aggregate %d: %s", aggregate.id, error)

    def _mirror(self, aggregate: objects.Aggregate, host: str, *, member: bool) -> None:
        """Say in Placement that the host's nodes are in the aggregate, or not any more."""
        mapping = self._cells.api.host_mappings.find(host)
        if mapping is None:
            return
        try:
            nodes = self._cells.cell(mapping.cell_mapping.uuid).compute_nodes.list_by_host(host)
            for node in nodes:
                self._placement.set_aggregate_member(node.uuid, aggregate.uuid, member=member)
        except service_errors.Conflict as error:
            if not member:
                raise Conflict(f"The provider of host {host} changes all the time: try again.") from error
            LOG.warning("aggregate %d is not mirrored for host %s: %s", aggregate.id, host, error)
        except KeelError as error:
            LOG.warning("aggregate %d is not mirrored for host %s: %s", aggregate.id, host, error)


def _zone_of(aggregate: objects.Aggregate) -> str | None:
    return (aggregate.metadata or {}).get(ZONE_KEY) or None
