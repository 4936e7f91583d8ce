"""What the stores of servers have in common: whose they are, and the tables they live in."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of
from openkeel.db.session import Database
from openkeel.db.stores.plan import values_of

INSTANCE: Final = table_of(rows.Instance)
CACHE: Final = table_of(rows.InstanceInfoCache)


class ServersOfCell:
    """Something that can be done with the servers of one cell.

    Args:
        on_saved: Told of each server that was written, with its states and its name as they were.
    """

    def __init__(
        self, database: Database, on_saved: Callable[[Any, Mapping[str, Any]], None] | None = None
    ) -> None:
        self._database = database
        self._on_saved = on_saved

    def _before(self, connection: sa.Connection, instance_uuid: str) -> Mapping[str, Any]:
        """What changes are told by, if anybody wants to know of them."""
        if self._on_saved is None:
            return {}
        names = (INSTANCE.c.vm_state, INSTANCE.c.task_state, INSTANCE.c.display_name)
        row = connection.execute(sa.select(*names).where(INSTANCE.c.uuid == instance_uuid)).first()
        return {} if row is None else values_of(row)

    def _saved(self, instance: Any, before: Mapping[str, Any]) -> None:
        if self._on_saved is not None and before:
            self._on_saved(instance, before)
