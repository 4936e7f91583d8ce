"""Puts servers into states that only absent actions bring, by their rows, to see what is refused there."""

from collections.abc import Mapping
from typing import Any, Final

import sqlalchemy as sa

from devstack.lib.parts.openkeel import CELL1_DATABASE
from devstack.lib.site import Site

OFF, SUSPENDED, RUNNING = 4, 7, 1
# status of the API: what the row has then
ROWS: Final[Mapping[str, Mapping[str, Any]]] = {
    "SUSPENDED": {"vm_state": "suspended", "power_state": SUSPENDED},
    "RESCUE": {"vm_state": "rescued", "power_state": OFF},
    "VERIFY_RESIZE": {"vm_state": "resized", "power_state": RUNNING},
    "SHELVED_OFFLOADED": {
        "vm_state": "shelved_offloaded",
        "power_state": OFF,
        "host": None,
        "node": None,
        "availability_zone": None,
    },
}
_TABLE: Final = sa.table(
    "instances",
    *(sa.column(name) for name in ("uuid", "vm_state", "power_state", "host", "node", "availability_zone")),
)


class ForcedStates:
    """Rows that were changed, and how they were before."""

    def __init__(self) -> None:
        self._engine = sa.create_engine(Site.load().database(CELL1_DATABASE))
        self._before: dict[str, Mapping[str, Any]] = {}

    def force(self, uuid: str, status: str) -> None:
        """Make it look as if the server had come to this status."""
        with self._engine.begin() as connection:
            row = connection.execute(sa.select(_TABLE).where(_TABLE.c.uuid == uuid)).mappings().one()
            self._before.setdefault(uuid, dict(row))
            connection.execute(sa.update(_TABLE).where(_TABLE.c.uuid == uuid).values(**ROWS[status]))

    def undo(self) -> None:
        """As before, so that deleting finds the guest."""
        with self._engine.begin() as connection:
            while self._before:
                uuid, row = self._before.popitem()
                connection.execute(sa.update(_TABLE).where(_TABLE.c.uuid == uuid).values(**row))
