"""What the scheduler must know from databases, and how it reads it from the cells."""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from openkeel.db.cells import CellDirectory, CellStores
from openkeel.db.stores.scheduling import ApiSchedulingReads, CellSchedulingReads
from openkeel.domain.errors import CellUnreachable
from openkeel.scheduler.host_state import AggregateFacts

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """The records of a node (ComputeNode) and of its compute (Service)."""

    cell_uuid: str
    node: Any
    service: Any


class Reads(Protocol):
    """A constant number of statements each, cells asked in parallel; cells that are down are left out."""

    def nodes(self, uuids: Collection[str]) -> Sequence[NodeRecord]:
        """These nodes in the cells that take new servers."""

    def node_uuids(self, hosts: Collection[str], nodes: Collection[str]) -> Sequence[str]:
        """Uuids of the nodes with one of these hosts and one of these names; empty means any."""

    def aggregates(self) -> Sequence[AggregateFacts]:
        """All host aggregates."""

    def group_members(self, group_uuid: str) -> frozenset[str]:
        """Uuids of the servers in a group."""

    def hosts_of(self, instance_uuids: Collection[str]) -> Mapping[str, str]:
        """On which host each of these servers is."""

    def image_properties_on(self, hosts: Collection[str]) -> Mapping[str, Sequence[Mapping[str, str]]]:
        """By host, the image properties of each server there."""


class CellReads:
    """`Reads` on the databases."""

    def __init__(self, cells: CellDirectory, *, timeout_s: float = 60) -> None:
        self._cells = cells
        self._timeout_s = timeout_s
        self._api = ApiSchedulingReads(cells.api.database)

    def nodes(self, uuids: Collection[str]) -> Sequence[NodeRecord]:
        if not uuids:
            return []
        answers = self._scatter(lambda reads: reads.nodes(uuids), include_disabled=False)
        return [
            NodeRecord(cell_uuid=cell_uuid, node=node, service=service)
            for cell_uuid, pairs in answers.items()
            for node, service in pairs
        ]

    def node_uuids(self, hosts: Collection[str], nodes: Collection[str]) -> Sequence[str]:
        answers = self._scatter(lambda reads: reads.node_uuids(hosts, nodes), include_disabled=False)
        return [uuid for uuids in answers.values() for uuid in uuids]

    def aggregates(self) -> Sequence[AggregateFacts]:
        return [
            AggregateFacts(uuid=row.uuid, name=row.name, hosts=frozenset(row.hosts), metadata=row.metadata)
            for row in self._api.aggregates()
        ]

    def group_members(self, group_uuid: str) -> frozenset[str]:
        return self._api.group_members(group_uuid)

    def hosts_of(self, instance_uuids: Collection[str]) -> Mapping[str, str]:
        if not instance_uuids:
            return {}
        answers = self._scatter(lambda reads: reads.hosts_of(instance_uuids))
        return {uuid: host for found in answers.values() for uuid, host in found.items()}

    def image_properties_on(self, hosts: Collection[str]) -> Mapping[str, Sequence[Mapping[str, str]]]:
        if not hosts:
            return {}
        answers = self._scatter(lambda reads: reads.image_properties_on(hosts), include_disabled=False)
        return {host: servers for found in answers.values() for host, servers in found.items()}

    def _scatter(self, ask: Any, *, include_disabled: bool = True) -> dict[str, Any]:
        def asked(cell: CellStores) -> Any:
            return ask(CellSchedulingReads(cell.database))

        cells = self._cells.cells(include_cell0=False, include_disabled=include_disabled)
        found: dict[str, Any] = {}
        for cell_uuid, answer in self._cells.scatter(asked, cells, self._timeout_s).items():
            if isinstance(answer, CellUnreachable):
                LOG.warning("hosts of cell %s are left out: it does not answer", cell_uuid)
            else:
                found[cell_uuid] = answer
        return found
