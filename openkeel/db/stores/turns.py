"""Counting and making as one step, so that rivals at a limit do not all find room.

What is counted has no row of its own that they could wait for each other at: the first things of a
project, or of a user, are rivals too. So all wait at one row that every cloud has, for the length of one
short transaction.
"""

from typing import Final

import sqlalchemy as sa

from openkeel.db.models import api as rows
from openkeel.db.models.base import table_of

_CELL: Final = table_of(rows.CellMapping)


def take_turn(connection: sa.Connection) -> None:
    """Wait until nobody else counts. The first statement of a transaction: it sees what others made."""
    connection.execute(sa.select(_CELL.c.id).order_by(_CELL.c.id).limit(1).with_for_update())
