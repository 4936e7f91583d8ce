"""Lists and single servers for readers: all cells at once, build requests among them, one order.

Cells are asked in parallel with a deadline. A cell that does not answer is left out, or, for clients
that understand it, its servers come in part. What several databases and services know of a server is
put together here, each with one question a page.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from oslo_utils import uuidutils

from openkeel.clients.neutron.interface import Neutron
from openkeel.common.clock import Clock
from openkeel.common.context import Context
from openkeel.db.cells import CellDirectory, CellStores
from openkeel.db.stores.server_filters import Order, ServerFilter
from openkeel.db.stores.server_reads import ApiServerReads, CellServerReads, ServiceState
from openkeel.db.stores.server_rows import Need, ServerRow
from openkeel.domain.errors import CellUnreachable, InstanceNotFound, Invalid, KeelError
from openkeel.domain.liveness import is_up

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Which servers, in which order, how many, and how much of each.

    Args:
        project_id: only of this project; None: of all.
        shows_down_cells: servers of cells that do not answer come in part.
    """

    wanted: ServerFilter
    order: Order
    limit: int
    marker: str | None
    needs: frozenset[Need]
    project_id: str | None
    shows_down_cells: bool = False


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """Contract: default_availability_zone, service_down_time, list_records_by_skipping_down_cells."""

    default_availability_zone: str = "nova"
    service_down_time_s: int = 60
    skips_down_cells: bool = True
    cell_timeout_s: float = 60.0


class ServerLists:
    """Reads servers."""

    def __init__(
        self,
        cells: CellDirectory,
        neutron: Neutron,
        clock: Clock,
        settings: ReadSettings = ReadSettings(),
    ) -> None:
        self._cells = cells
        self._neutron = neutron
        self._clock = clock
        self._settings = settings
        self._api = ApiServerReads(cells.api.database)

    def page(self, ctx: Context, listing: Listing) -> list[ServerRow]:
        """Raises: Invalid when the marker is no server of the user's; CellUnreachable if none is skipped."""
        if listing.limit == 0:
            return []
        order = listing.order
        after = None if listing.marker is None else self._values_of(ctx, listing.marker, order)
        # First build requests, then cells: who moves meanwhile is seen twice rather than never.
        found = {row.uuid: row for row in self._build_requests(listing, after)}
        answers = self._cells.scatter(
            lambda cell: self._cell_page(cell, listing, after),
            self._cells.cells(),
            self._settings.cell_timeout_s,
        )
        down: list[str] = []
        for cell_uuid, answer in answers.items():
            if isinstance(answer, CellUnreachable):
                if not self._settings.skips_down_cells:
                    raise answer
                down.append(cell_uuid)
            else:
                found.update((row.uuid, row) for row in answer)
        key = order.sort_key()
        rows = sorted(found.values(), key=lambda row: key(order.values(row)))[: listing.limit]
        self._complete(ctx, rows, listing.needs)
        if down:
            LOG.warning("Cells %s do not answer; their servers are missing in a list", down)
            if listing.shows_down_cells:
                rows += self._partial(down, listing, listing.limit - len(rows))
        return rows

    def locate(self, ctx: Context, uuid: str) -> Any:
        """Whose server it is and in which cell: its mapping. Raises: InstanceNotFound."""
        mapping = self._cells.api.instance_mappings.find(uuid) if uuidutils.is_uuid_like(uuid) else None
        if mapping is None or not (ctx.is_admin or mapping.project_id == ctx.project_id):
            raise InstanceNotFound(instance_id=uuid)
        return mapping

    def find(
        self,
        ctx: Context,
        located: Any,
        needs: frozenset[Need],
        *,
        shows_down_cells: bool = False,
    ) -> ServerRow:
        """One server. Raises: InstanceNotFound; CellUnreachable unless it may come in part."""
        row = self._find(located, needs, shows_down_cells=shows_down_cells)
        if row is None:
            # Between the two questions the conductor may have moved a build request to a cell.
            located = self.locate(ctx, located.instance_uuid)
            row = self._find(located, needs, shows_down_cells=shows_down_cells)
        if row is None:
            raise InstanceNotFound(instance_id=located.instance_uuid)
        if row.is_down:
            self._api.add_groups([row])
        else:
            self._complete(ctx, [row], needs)
        return row

    def _find(self, located: Any, needs: frozenset[Need], *, shows_down_cells: bool) -> ServerRow | None:
        uuid = str(located.instance_uuid)
        if located.cell_mapping is None:
            return self._api.find_build_request(uuid)
        cell = self._cells.cell(located.cell_mapping.uuid)
        answers = self._cells.scatter(
            lambda cell: self._with_host_status(cell, needs, _some(_reads(cell).find(uuid, needs))),
            [cell],
            self._settings.cell_timeout_s,
        )
        answer = answers[cell.mapping.uuid]
        if not isinstance(answer, CellUnreachable):
            return answer[0] if answer else None
        if not shows_down_cells:
            raise answer
        return self._api.find_mapped(uuid)

    # Pages of the parts

    def _values_of(self, ctx: Context, uuid: str, order: Order) -> Sequence[Any]:
        """Where the marker stands."""
        mapping = self._cells.api.instance_mappings.find(uuid) if uuidutils.is_uuid_like(uuid) else None
        values: Sequence[Any] | None = None
        if mapping is not None and (ctx.is_admin or mapping.project_id == ctx.project_id):
            if mapping.cell_mapping is not None:
                values = _reads(self._cells.cell(mapping.cell_mapping.uuid)).values_of(uuid, order)
            else:
                row = self._api.find_build_request(uuid)
                values = None if row is None else order.values(row)
        if values is None:
            raise Invalid(f"Marker {uuid} could not be found.")
        return values

    def _build_requests(self, listing: Listing, after: Sequence[Any] | None) -> list[ServerRow]:
        order = listing.order
        rows = self._api.build_requests(listing.wanted, listing.project_id)
        if after is None:
            return rows
        key = order.sort_key()
        last = key(after)
        return [row for row in rows if key(order.values(row)) > last]

    def _cell_page(self, cell: CellStores, listing: Listing, after: Sequence[Any] | None) -> list[ServerRow]:
        rows = _reads(cell).page(listing.wanted, listing.order, listing.limit, listing.needs, after)
        return self._with_host_status(cell, listing.needs, rows)

    def _with_host_status(
        self, cell: CellStores, needs: frozenset[Need], rows: list[ServerRow]
    ) -> list[ServerRow]:
        if Need.HOST_STATUS in needs and rows:
            _reads(cell).add_host_status(rows, self._status_of)
        return rows

    def _status_of(self, service: ServiceState) -> str:
        """Contract: host_status."""
        if service.forced_down:
            return "DOWN"
        if service.disabled:
            return "MAINTENANCE"
        alive = is_up(
            service.last_seen_up,
            service.updated_at,
            service.created_at,
            forced_down=False,
            now=self._clock.now(),
            down_time_s=self._settings.service_down_time_s,
        )
        return "UP" if alive else "UNKNOWN"

    def _partial(self, down: Sequence[str], listing: Listing, room: int) -> list[ServerRow]:
        rows: list[ServerRow] = []
        for cell_uuid in down:
            cell_id = self._cells.cell(cell_uuid).mapping.id
            rows += self._api.in_cell(cell_id, listing.project_id, max(room - len(rows), 0))
        return rows

    # What others know

    def _complete(self, ctx: Context, rows: list[ServerRow], needs: frozenset[Need]) -> None:
        if not rows:
            return
        steps: tuple[tuple[Need, Callable[[], None]], ...] = (
            (Need.SPEC, lambda: self._api.add_specs(rows)),
            (Need.GROUPS, lambda: self._api.add_groups(rows)),
            (Need.ZONE, lambda: self._add_zones(rows)),
            (Need.SECURITY_GROUPS, lambda: self._add_security_groups(ctx, rows)),
        )
        for need, step in steps:
            if need in needs:
                step()

    def _add_zones(self, rows: Sequence[ServerRow]) -> None:
        """The zone of the host; before there is one, the zone that was asked for."""
        hosts = {row.host for row in rows if row.host}
        zones = self._cells.api.aggregates.zones_of_hosts(hosts) if hosts else {}
        for row in rows:
            if row.host:
                row.zone = zones.get(row.host, self._settings.default_availability_zone)
            else:
                row.zone = row.availability_zone or ""

    def _add_security_groups(self, ctx: Context, rows: Sequence[ServerRow]) -> None:
        built = [row for row in rows if not row.is_build_request]
        try:
            groups = self._neutron.security_groups_of(ctx, [row.uuid for row in built])
        except KeelError as error:
            # Servers can be looked at while Neutron is down: only this field is missing then.
            LOG.warning("Security groups of servers cannot be shown: %s", error)
            return
        for row in built:
            row.security_groups = groups.get(row.uuid, ())


def _reads(cell: CellStores) -> CellServerReads:
    return CellServerReads(cell.database)


def _some(row: ServerRow | None) -> list[ServerRow]:
    return [] if row is None else [row]
