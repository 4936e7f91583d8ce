"""Services and hypervisors of all cells: who they are, whether they are up, what runs on them."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from openkeel.common.clock import Clock
from openkeel.common.context import Context
from openkeel.db.cells import CellDirectory, CellStores
from openkeel.db.stores.host_reads import SUMMED, CellHostReads
from openkeel.domain import liveness
from openkeel.domain.errors import (
    CellUnreachable,
    ComputeHostNotFound,
    Internal,
    Invalid,
    NotFound,
    Timeout,
    Unavailable,
    Unsupported,
)

LOG = logging.getLogger(__name__)

_COMPUTE_TOPIC: Final = "compute"
_UPTIME_CALLS: Final = 16  # computes asked for their uptime at once


class UptimeClient(Protocol):
    """The part of the compute client that hypervisors need."""

    def get_host_uptime(self, ctx: Context, *, host: str) -> str: ...


@dataclass(frozen=True, slots=True)
class HostSettings:
    """What operators set.

    Contract: options service_down_time, default_availability_zone,
    internal_service_availability_zone, instance_name_template.
    """

    down_time_s: int = 60
    default_zone: str = "nova"
    internal_zone: str = "internal"
    instance_name_template: str = "instance-%08x"
    cell_timeout_s: float = 60.0


@dataclass(frozen=True, slots=True)
class ServiceEntry:
    """A service, or of one in a cell that is down no more than its name and host (row None)."""

    host: str
    binary: str
    row: Any | None
    is_up: bool = False
    zone: str = ""


@dataclass(frozen=True, slots=True)
class Guest:
    """A server on a hypervisor, by the name the hypervisor has for it."""

    uuid: str
    name: str


@dataclass(slots=True)
class Hypervisor:
    """A node with its service; `servers` and `uptime` only where they were asked for."""

    row: Any
    is_up: bool
    cell: CellStores = field(repr=False)
    servers: Sequence[Guest] | None = None
    uptime: str | None = None


class HostService:
    """The use cases of services and hypervisors."""

    def __init__(
        self,
        cells: CellDirectory,
        compute_of: Callable[[CellStores], UptimeClient],
        clock: Clock,
        settings: HostSettings = HostSettings(),
    ) -> None:
        self._cells = cells
        self._compute_of = compute_of
        self._clock = clock
        self._settings = settings

    # Services

    def services(
        self, host: str | None = None, binary: str | None = None, *, partial: bool = False
    ) -> list[ServiceEntry]:
        """Services of all cells that answer.

        With `partial`, computes of cells that do not answer are listed by name.
        """
        answers = self._ask(lambda reads: reads.services(host or None, binary or None))
        zones = self.zones()
        found: list[ServiceEntry] = []
        for answer in answers.values():
            if not isinstance(answer, CellUnreachable):
                found.extend(self._entry(row, zones) for row in answer)
        if partial:
            found.extend(self._unknown(answers, host, binary))
        return found

    def entry(self, row: Any) -> ServiceEntry:
        """A row of a service with its zone and whether it is up."""
        zones: Mapping[str, str] = self._cells.api.aggregates.zones_of_hosts([row.host])
        return self._entry(row, zones)

    def _entry(self, row: Any, zones: Mapping[str, str]) -> ServiceEntry:
        zone = self._settings.internal_zone
        if row.topic == _COMPUTE_TOPIC:
            zone = zones.get(row.host, self._settings.default_zone)
        return ServiceEntry(row.host, row.binary, row, self._is_up(row), zone)

    def _unknown(
        self, answers: Mapping[str, Any], host: str | None, binary: str | None
    ) -> Iterable[ServiceEntry]:
        down = {uuid for uuid, answer in answers.items() if isinstance(answer, CellUnreachable)}
        if not down or (binary and binary != "nova-compute"):
            return
        for mapping in self._cells.api.host_mappings.list():
            if mapping.cell_mapping.uuid in down and host in {None, "", mapping.host}:
                yield ServiceEntry(mapping.host, "nova-compute", None)

    def zones(self) -> Mapping[str, str]:
        """The availability zone of every host that an aggregate gives one."""
        zones: Mapping[str, str] = self._cells.api.aggregates.zones_of_hosts()
        return zones

    def zone_of(self, host: str) -> str:
        """The availability zone of a compute host."""
        zones: Mapping[str, str] = self._cells.api.aggregates.zones_of_hosts([host])
        return zones.get(host, self._settings.default_zone)

    def is_up(self, service: Any) -> bool:
        """Whether a service (row or object) counts as up."""
        return self._is_up(service)

    def _is_up(self, row: Any, prefix: str = "") -> bool:
        return liveness.is_up(
            getattr(row, f"{prefix}last_seen_up"),
            getattr(row, f"{prefix}updated_at"),
            getattr(row, f"{prefix}created_at"),
            forced_down=bool(getattr(row, f"{prefix}forced_down")),
            now=self._clock.now(),
            down_time_s=self._settings.down_time_s,
        )

    def _ask(
        self, question: Callable[[CellHostReads], Any], cells: Sequence[CellStores] | None = None
    ) -> Mapping[str, Any]:
        """Ask all cells at once, in the order of cells. Values are answers or CellUnreachable."""
        asked = self._cells.cells() if cells is None else cells
        answers = self._cells.scatter(
            lambda stores: question(CellHostReads(stores.database)), asked, self._settings.cell_timeout_s
        )
        for answer in answers.values():
            if isinstance(answer, CellUnreachable):
                LOG.warning("Hosts are listed without a cell: %s", answer)
        return {cell.mapping.uuid: answers[cell.mapping.uuid] for cell in asked}

    # Hypervisors

    def hypervisors(
        self, *, full: bool, limit: int | None = None, marker: int | str | None = None
    ) -> list[Hypervisor]:
        """A page of hypervisors by cell and id. Raises: Invalid for an unknown marker."""
        cells = self._cells.cells(include_cell0=False)
        after: int | None = None
        if marker is not None:
            last = self._find(marker, cells)
            if last is None:
                raise Invalid(f"Marker {marker} could not be found.")
            places = [cell.mapping.uuid for cell in cells]
            cells, after = cells[places.index(last.cell.mapping.uuid) :], last.row.id
        first = cells[0].mapping.uuid if cells else None

        def question(stores: CellStores) -> list[Any]:
            beyond = after if stores.mapping.uuid == first else None
            return CellHostReads(stores.database).hypervisors(full=full, after_id=beyond, limit=limit)

        answers = self._cells.scatter(question, cells, self._settings.cell_timeout_s)
        found = [node for cell in cells for node in self._nodes(cell, answers[cell.mapping.uuid])]
        return found if limit is None else found[:limit]

    def search(self, name_part: str, *, full: bool = False) -> list[Hypervisor]:
        """Hypervisors whose name holds a text. Raises: NotFound when there is none."""
        cells = self._cells.cells(include_cell0=False)
        answers = self._ask(lambda reads: reads.hypervisors(full=full, name_part=name_part), cells)
        found = [node for cell in cells for node in self._nodes(cell, answers[cell.mapping.uuid])]
        if not found:
            raise NotFound(f"No hypervisor matching {name_part!r} could be found.")
        return found

    def hypervisor(self, key: int | str) -> Hypervisor:
        """A hypervisor by id or uuid. Raises: ComputeHostNotFound."""
        found = self._find(key, self._cells.cells(include_cell0=False), full=True)
        if found is None:
            raise ComputeHostNotFound(host=key)
        return found

    def _find(self, key: int | str, cells: Sequence[CellStores], *, full: bool = False) -> Hypervisor | None:
        answers = self._ask(lambda reads: reads.hypervisors(full=full, key=key), cells)
        for cell in cells:
            for node in self._nodes(cell, answers[cell.mapping.uuid]):
                return node
        return None

    def _nodes(self, cell: CellStores, answer: Any) -> list[Hypervisor]:
        if isinstance(answer, CellUnreachable):
            return []
        return [Hypervisor(row, self._is_up(row, "service_"), cell) for row in answer]

    def totals(self) -> dict[str, int]:
        """Sums over all enabled hypervisors, and their `count`."""
        totals = dict.fromkeys(("count", *SUMMED), 0)
        for answer in self._ask(lambda reads: reads.totals()).values():
            if not isinstance(answer, CellUnreachable):
                for name, value in answer.items():
                    totals[name] += value
        return totals

    # What is on them

    def add_servers(self, nodes: Sequence[Hypervisor]) -> None:
        """Fill in `servers`, with one question per cell."""
        by_cell: dict[str, list[Hypervisor]] = {}
        for node in nodes:
            by_cell.setdefault(node.cell.mapping.uuid, []).append(node)
        for mine in by_cell.values():
            reads = CellHostReads(mine[0].cell.database)
            on: dict[tuple[str, str], list[Guest]] = {}
            for row in reads.servers({node.row.host for node in mine}):
                on.setdefault((row.host, row.node), []).append(Guest(row.uuid, self._name(row)))
            for node in mine:
                node.servers = on.get((node.row.host, node.row.hypervisor_hostname), [])

    def _name(self, row: Any) -> str:
        template = self._settings.instance_name_template
        try:
            return str(template % row.id)
        except TypeError:  # a template of names: "%(uuid)s"
            return str(template % {"id": row.id, "uuid": row.uuid})

    def add_uptimes(self, ctx: Context, nodes: Sequence[Hypervisor]) -> None:
        """Fill in `uptime` by asking the computes; it stays None where one does not answer."""
        if not nodes:
            return
        with ThreadPoolExecutor(min(_UPTIME_CALLS, len(nodes)), thread_name_prefix="uptime") as pool:
            uptimes = pool.map(lambda node: self._uptime_or_none(ctx, node), nodes)
            for node, uptime in zip(nodes, uptimes, strict=True):
                node.uptime = uptime

    def _uptime_or_none(self, ctx: Context, node: Hypervisor) -> str | None:
        if not node.is_up:
            return None
        try:
            return self.uptime(ctx, node)
        except (Unavailable, Timeout, Unsupported, Internal, NotFound) as error:
            LOG.info("The uptime of %s is not known: %s", node.row.hypervisor_hostname, error)
            return None

    def uptime(self, ctx: Context, node: Hypervisor) -> str:
        """Ask the compute. Raises: Unsupported; Unavailable; Timeout."""
        try:
            return self._compute_of(node.cell).get_host_uptime(ctx, host=node.row.host)
        except NotImplementedError as error:
            raise Unsupported("The hypervisor does not tell its uptime.") from error
