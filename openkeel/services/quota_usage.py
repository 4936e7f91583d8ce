"""How much of a quota is in use: counted in the cells, or from Placement.

Nothing is reserved anywhere. Contract: option count_usage_from_placement; with the unified limits driver
Placement counts always.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, Protocol

from openkeel.clients.placement.interface import Placement
from openkeel.db.cells import CellDirectory
from openkeel.db.stores.quota_reads import ApiQuotaReads, CellQuotaReads, Usage
from openkeel.domain.errors import CellUnreachable

PROCESSORS: Final = ("VCPU", "PCPU")
_MEMORY: Final = "MEMORY_MB"


class UsageCounter(Protocol):
    """Counts servers, and what they take."""

    def count(
        self,
        project_id: str,
        user_id: str | None = None,
        *,
        pending: bool = True,
        up_to: Collection[str] = (),
    ) -> tuple[Usage, Usage]:
        """What the servers of a project take, and those of a user in it.

        `pending`: those count too that are on their way into a cell. `up_to`: those do not that were
        recorded after all of these. Raises: Unavailable, CellUnreachable.
        """


class CellCounter:
    """Counts rows of servers in all cells, and build requests.

    Raises: CellUnreachable: nobody can tell what is in a cell that does not answer.
    """

    def __init__(self, cells: CellDirectory, cell_timeout_s: float = 60.0) -> None:
        self._cells = cells
        self._reads = ApiQuotaReads(cells.api.database)
        self._timeout_s = cell_timeout_s

    def count(
        self,
        project_id: str,
        user_id: str | None = None,
        *,
        pending: bool = True,
        up_to: Collection[str] = (),
    ) -> tuple[Usage, Usage]:
        # Servers move from here into a cell, never back: asked in this order, and left out there when
        # they were seen here, each counts once however fast it moves.
        on_their_way = self._reads.pending(project_id) if pending else {}
        later = _later(self._cells, project_id, up_to)
        counted = on_their_way.keys() | later.keys()
        answers = self._cells.scatter(
            lambda stores: CellQuotaReads(stores.database).usage(project_id, user_id, counted),
            self._cells.cells(),
            self._timeout_s,
        )
        project, user = Usage(), Usage()
        for answer in answers.values():
            if isinstance(answer, CellUnreachable):
                raise answer
            project, user = project + answer[0], user + answer[1]
        for uuid, (owner, usage) in on_their_way.items():
            if uuid in later:
                continue
            project = project + usage
            if owner == user_id:
                user = user + usage
        return project, user


class PlacementCounter:
    """Counts servers by their mappings, and what they take by their allocations.

    A cell that is down frees no quota, and a server that was not claimed for yet takes nothing.

    Args:
        cells: where the mappings are.
        placement: where the allocations are.
        processors: resource classes that count as processors.
    """

    def __init__(
        self, cells: CellDirectory, placement: Placement, processors: Sequence[str] = PROCESSORS
    ) -> None:
        self._cells = cells
        self._reads = ApiQuotaReads(cells.api.database)
        self._placement = placement
        self._processors = processors

    def count(
        self,
        project_id: str,
        user_id: str | None = None,
        *,
        pending: bool = True,  # noqa: ARG002 - a mapping is there from the first moment on
        up_to: Collection[str] = (),
    ) -> tuple[Usage, Usage]:
        later = _later(self._cells, project_id, up_to)
        servers = self._cells.api.instance_mappings.count(project_id, user_id, without=later.keys())
        # Later ones may have claimed already, and earlier ones not yet.
        unclaimed = self._unclaimed(project_id, later) if up_to else []
        project = self._taken(project_id, None, servers["project"]["instances"], later.keys())
        user = Usage()
        if user_id is not None:
            mine = [uuid for uuid, owner in later.items() if owner == user_id]
            user = self._taken(project_id, user_id, servers["user"]["instances"], mine)
        for owner, usage in unclaimed:
            project = project + usage
            if owner == user_id:
                user = user + usage
        return project, user

    def _taken(self, project_id: str, user_id: str | None, instances: int, without: Collection[str]) -> Usage:
        used = dict(self._placement.usages(project_id, user_id))
        for uuid in without:
            for resources in self._placement.allocations(uuid).allocations.values():
                for name, amount in resources.items():
                    used[name] = used.get(name, 0) - amount
        cores = sum(used.get(name, 0) for name in self._processors)
        classes = {f"class:{name}": amount for name, amount in used.items()}
        return Usage(instances, cores, used.get(_MEMORY, 0), classes)

    def _unclaimed(self, project_id: str, later: Collection[str]) -> list[tuple[str | None, Usage]]:
        """By user, what those will take that are on their way: as servers they are counted already."""
        return [
            (owner, Usage(0, usage.cores, usage.memory_mib))
            for uuid, (owner, usage) in self._reads.pending(project_id).items()
            if uuid not in later and not self._placement.allocations(uuid)
        ]


def _later(cells: CellDirectory, project_id: str, up_to: Collection[str]) -> Mapping[str, str | None]:
    return cells.api.instance_mappings.recorded_after(project_id, up_to) if up_to else {}
