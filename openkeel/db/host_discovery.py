"""Finding hosts whose cell is not written down yet: by the command and by the scheduler's periodic."""

from collections.abc import Callable, Iterable
from typing import Any

from openkeel import objects
from openkeel.db.cells import CELL0_UUID, CellDirectory, CellStores

Say = Callable[[str], None]


def discover_hosts(
    cells: CellDirectory,
    *,
    cell_uuid: str | None = None,
    by_service: bool = False,
    say: Say = lambda _line: None,
) -> list[Any]:
    """Map the new hosts of a cell or of all. Returns: the host mappings made.

    A host is new when a node of it has not been seen, or, `by_service`, when it has a compute service
    and no mapping.

    Raises: AlreadyExists when somebody else discovers at the same time; CellMappingNotFound.
    """
    asked = cells.cells(include_cell0=False) if cell_uuid is None else [cells.cell(cell_uuid)]
    found = []
    for cell in asked:
        if cell.mapping.uuid == CELL0_UUID:
            continue
        say(f"Looking for new hosts in cell {cell.name} ({cell.mapping.uuid}).")
        found += _by_service(cells, cell, say) if by_service else _by_node(cells, cell, say)
    return found


def _by_node(cells: CellDirectory, cell: CellStores, say: Say) -> list[Any]:
    nodes = cell.compute_nodes.list_by_not_mapped(1)
    made = _map(cells, cell, (node.host for node in nodes), say)
    if nodes:
        cell.compute_nodes.mark_mapped([node.id for node in nodes])
    return made


def _by_service(cells: CellDirectory, cell: CellStores, say: Say) -> list[Any]:
    services = cell.services.list_by_binary("nova-compute", include_disabled=True)
    return _map(cells, cell, (service.host for service in services), say)


def _map(cells: CellDirectory, cell: CellStores, hosts: Iterable[str], say: Say) -> list[Any]:
    names = sorted(set(hosts))
    known = {mapping.host for mapping in cells.api.host_mappings.list_by_hosts(names)} if names else set()
    made = []
    for host in names:
        if host not in known:
            mapping = objects.HostMapping(host=host, cell_mapping=cell.mapping)
            cells.api.host_mappings.create(mapping)
            say(f"Host {host} is mapped to cell {cell.name}.")
            made.append(mapping)
    return made
