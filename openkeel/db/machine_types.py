"""Which servers do not know what kind of machine they are: a new default would change them."""

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa

from openkeel.db.cells import CellStores
from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of

MACHINE_TYPE: Final = "image_hw_machine_type"
_INSTANCE: Final = table_of(rows.Instance)
_METADATA: Final = table_of(rows.InstanceSystemMetadata)


def servers_without_machine_type(cell: CellStores) -> Sequence[str]:
    """Their uuids, of one cell."""
    known = (
        sa.select(_METADATA.c.instance_uuid)
        .where(_METADATA.c.instance_uuid == _INSTANCE.c.uuid)
        .where(_METADATA.c.key == MACHINE_TYPE, _METADATA.c.deleted == 0)
    )
    statement = sa.select(_INSTANCE.c.uuid).where(_INSTANCE.c.deleted == 0, ~known.exists())
    with cell.database.read() as connection:
        return list(connection.scalars(statement.order_by(_INSTANCE.c.id)))
