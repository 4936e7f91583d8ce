"""Host aggregates for lists and views: rows of the API database.

Any number of aggregates costs three statements. Nothing here makes objects.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.models import api as rows
from openkeel.db.models.base import table_of
from openkeel.db.session import Database
from openkeel.db.stores.dictionaries import Dictionaries
from openkeel.db.stores.plan import values_of

_AGGREGATE: Final = table_of(rows.Aggregate)
_HOST: Final = table_of(rows.AggregateHost)
_METADATA: Final = Dictionaries(table_of(rows.AggregateMetadata), "aggregate_id")

_MAX_ID: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class AggregateRow:
    """An aggregate with its hosts in the order they came."""

    id: int
    uuid: str | None
    name: str | None
    created_at: datetime | None
    updated_at: datetime | None
    hosts: Sequence[str]
    metadata: Mapping[str, str]


class AggregateReads:
    """Aggregates as rows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self) -> Sequence[AggregateRow]:
        """All, by id."""
        return self._read()

    def find(self, id_: int) -> AggregateRow | None:
        """One by id."""
        if not 0 < id_ <= _MAX_ID:
            return None
        return next(iter(self._read(id_)), None)

    def _read(self, id_: int | None = None) -> Sequence[AggregateRow]:
        names = ("id", "uuid", "name", "created_at", "updated_at")
        statement = sa.select(*(_AGGREGATE.c[name] for name in names)).order_by(_AGGREGATE.c.id)
        if id_ is not None:
            statement = statement.where(_AGGREGATE.c.id == id_)
        with self._database.read() as connection:
            found = connection.execute(statement).all()
            ids = [row.id for row in found]
            metadata: Mapping[Any, Mapping[str, str]] = _METADATA.read(connection, ids)
            hosts: dict[int, list[str]] = {one: [] for one in ids}
            members = sa.select(_HOST.c.aggregate_id, _HOST.c.host).where(_HOST.c.aggregate_id.in_(ids))
            for owner, host in connection.execute(members.order_by(_HOST.c.id)):
                hosts[owner].append(host)
        return [
            AggregateRow(**values_of(row), hosts=hosts[row.id], metadata=metadata[row.id]) for row in found
        ]
