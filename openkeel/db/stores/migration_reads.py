"""Moves of servers for lists and views: rows of one cell. Nothing here makes objects."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of
from openkeel.db.session import Database
from openkeel.db.stores import keyset
from openkeel.db.stores.plan import values_of

_MIGRATION: Final = table_of(rows.Migration)
_NEWEST_FIRST: Final = ((_MIGRATION.c.created_at, False), (_MIGRATION.c.id, False))
# Contract: what the API calls a live migration in progress.
UNDER_WAY: Final = ("queued", "preparing", "running", "post-migrating")
LIVE_MIGRATION: Final = "live-migration"

_NAMES: Final = (
    "id",
    "uuid",
    "source_compute",
    "dest_compute",
    "source_node",
    "dest_node",
    "dest_host",
    "old_instance_type_id",
    "new_instance_type_id",
    "instance_uuid",
    "status",
    "migration_type",
    "user_id",
    "project_id",
    "memory_total",
    "memory_processed",
    "memory_remaining",
    "disk_total",
    "disk_processed",
    "disk_remaining",
    "created_at",
    "updated_at",
)

Where = sa.ColumnElement[bool]


@dataclass(frozen=True, slots=True)
class MigrationFilter:
    """Which migrations a list wants; None: whatever. Times are naive UTC, both ends included.

    `host` is either end of a move and counts more than `source_compute`.
    """

    host: str | None = None
    source_compute: str | None = None
    instance_uuid: str | None = None
    status: str | None = None
    migration_type: str | None = None
    user_id: str | None = None
    project_id: str | None = None
    changed_since: datetime | None = None
    changed_before: datetime | None = None

    def clauses(self) -> Iterator[Where]:
        columns = _MIGRATION.c
        if self.host is not None:
            yield sa.or_(columns.source_compute == self.host, columns.dest_compute == self.host)
        elif self.source_compute is not None:
            yield columns.source_compute == self.source_compute
        for name in ("instance_uuid", "status", "migration_type", "user_id", "project_id"):
            value = getattr(self, name)
            if value is not None:
                yield columns[name] == value
        if self.changed_since is not None:
            yield columns.updated_at >= self.changed_since
        if self.changed_before is not None:
            yield columns.updated_at <= self.changed_before


Rows = list[sa.Row[Any]]


class CellMigrationReads:
    """Migrations of one cell. Hidden ones (of moves across cells, seen from the other cell) stay hidden."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self, wanted: MigrationFilter) -> Rows:
        """All that are wanted, in the order they were made."""
        with self._database.read() as connection:
            return list(connection.execute(_select(*wanted.clauses()).order_by(_MIGRATION.c.id)))

    def page(self, wanted: MigrationFilter, limit: int, after: sa.Row[Any] | None) -> Rows:
        """The newest of those wanted that come after a row, which may be of another cell."""
        where = list(wanted.clauses())
        if after is not None:
            where.append(keyset.after(_NEWEST_FIRST, values_of(after)))
        statement = _select(*where).order_by(*keyset.order_by(_NEWEST_FIRST)).limit(limit)
        with self._database.read() as connection:
            return list(connection.execute(statement))

    def find(self, uuid: str) -> sa.Row[Any] | None:
        """One by uuid, hidden or not: a marker may be any."""
        statement = sa.select(*(_MIGRATION.c[name] for name in _NAMES)).where(
            _MIGRATION.c.uuid == uuid, _MIGRATION.c.deleted == 0
        )
        with self._database.read() as connection:
            return connection.execute(statement).first()

    def under_way(self, instance_uuid: str) -> Rows:
        """Live migrations of a server that are in progress."""
        mine = MigrationFilter(instance_uuid=instance_uuid, migration_type=LIVE_MIGRATION)
        statement = _select(*mine.clauses(), _MIGRATION.c.status.in_(UNDER_WAY)).order_by(_MIGRATION.c.id)
        with self._database.read() as connection:
            return list(connection.execute(statement))


def _select(*where: Where) -> sa.Select[Any]:
    visible = sa.func.coalesce(_MIGRATION.c.hidden, sa.false()).is_(sa.false())
    columns = (_MIGRATION.c[name] for name in _NAMES)
    return sa.select(*columns).where(_MIGRATION.c.deleted == 0, visible, *where)
