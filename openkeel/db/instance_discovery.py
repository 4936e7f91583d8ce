"""Mapping servers whose cell is not written down: rows of a cell that came from elsewhere."""

from typing import Final

from openkeel import objects
from openkeel.db.cells import CellDirectory

_BATCH: Final = 500


def map_instances(cells: CellDirectory, cell_uuid: str, limit: int | None = None) -> bool:
    """Map servers of a cell, deleted ones too. Returns: whether some are left for another run.

    It needs no memory of earlier runs: what has a mapping is passed over.

    Raises: CellMappingNotFound.
    """
    cell = cells.cell(cell_uuid)
    made = 0
    for page in cell.instances.owners(_BATCH):
        mappings = cells.api.instance_mappings.list_by_uuids([uuid for uuid, _, _ in page])
        known = {mapping.instance_uuid for mapping in mappings}
        for uuid, project_id, user_id in page:
            if uuid in known:
                continue
            if limit is not None and made == limit:
                return True
            cells.api.instance_mappings.create(
                objects.InstanceMapping(
                    instance_uuid=uuid,
                    project_id=project_id,
                    user_id=user_id,
                    cell_mapping=cell.mapping,
                    queued_for_delete=False,
                )
            )
            made += 1
    return False
