"""What commands about one server share: where it is, and in which states it may be changed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from oslo_config import cfg

from openkeel.cmd.databases import cell_directory
from openkeel.db.cells import ApiStores, CellStores
from openkeel.domain.errors import CellMappingNotFound, InstanceMappingNotFound, InstanceNotFound
from openkeel.domain.states import VMState

# A server that does not run takes a change of its machine when it is started.
AT_REST: Final = frozenset({VMState.STOPPED, VMState.SHELVED, VMState.SHELVED_OFFLOADED})
NOT_FOUND: Final = (InstanceNotFound, InstanceMappingNotFound, CellMappingNotFound)


@contextmanager
def found(
    conf: cfg.ConfigOpts, instance_uuid: str, *parts: str
) -> Iterator[tuple[ApiStores, CellStores, Any]]:
    """The API database, the cell of a server, and the server. Raises: one of NOT_FOUND."""
    cells = cell_directory(conf)
    try:
        mapping = cells.api.instance_mappings.get(instance_uuid)
        if mapping.cell_mapping is None:
            raise InstanceNotFound(instance_id=instance_uuid)
        cell = cells.cell(mapping.cell_mapping.uuid)
        yield cells.api, cell, cell.instances.get(instance_uuid, ("system_metadata", *parts))
    finally:
        cells.close()
