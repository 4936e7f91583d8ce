"""What the stores of servers have in common: whose they are, and the tables they live in."""

from typing import Final

from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of
from openkeel.db.session import Database

INSTANCE: Final = table_of(rows.Instance)
CACHE: Final = table_of(rows.InstanceInfoCache)


class ServersOfCell:
    """Something that can be done with the servers of one cell."""

    def __init__(self, database: Database) -> None:
        self._database = database
