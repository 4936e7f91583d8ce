"""Moving dead rows into shadow tables.

A row takes everything along that refers to it, dead or not, so that no foreign key is ever broken:
first what refers to what refers to it, and so on. What has no shadow table (the shares of a server,
say) ends. A batch is one transaction: a crash leaves each row in exactly one place.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from oslo_db.exception import DBDuplicateEntry, DBReferenceError

from openkeel.db.models import api as api_rows
from openkeel.db.models.base import table_of
from openkeel.db.session import Database, retried
from openkeel.db.stores.plan import naive
from openkeel.db.upkeep.schema import Schema
from openkeel.domain.errors import Conflict

LOG = logging.getLogger(__name__)

# A transaction of this many rows and what refers to them locks nobody out for long.
_AT_ONCE: Final = 500
_SERVERS: Final = "instances"
_TASK_LOG: Final = "task_log"

# Called with the uuids of servers whose rows are about to go, inside of the transaction.
ServersGo = Callable[[Sequence[str]], None]


def batched(values: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    """Pieces of a list."""
    return (values[start : start + size] for start in range(0, len(values), size))


class Archiver:
    """Archives the database of one cell."""

    def __init__(self, database: Database, servers_go: ServersGo) -> None:
        self._database = database
        self._servers_go = servers_go
        self._schema = Schema(database)
        self._stuck: set[str] = set()

    def run(self, limit: int, before: datetime | None = None, *, with_task_log: bool = False) -> Counter[str]:
        """Archive dead rows.

        Args:
            limit: how many at most; what refers to them comes on top.
            before: only rows that died before.
            with_task_log: also the log of usage audits, whose rows never die.

        Returns: how many rows of which table were archived; empty when nothing is left.
        """
        done: Counter[str] = Counter()
        for table in self._schema.archived():
            if table.name == _TASK_LOG and with_task_log:
                age = table.c.updated_at < naive(before) if before else sa.true()
                self._archive(table, [age], limit, done)
                continue
            # Old tables keep truth, not an id, in this column: SQL compares both with 0.
            where: list[Any] = [table.c.deleted != sa.literal_column("0")]
            # Compat: a dead row of the log of audits goes whenever it died.
            if before and table.name != _TASK_LOG:
                where.append(table.c.deleted_at < naive(before))
            self._archive(table, where, limit, done)
        return done

    def _archive(self, table: sa.Table, where: Sequence[Any], limit: int, done: Counter[str]) -> None:
        while table.name not in self._stuck and (left := limit - done.total()) > 0:
            try:
                moved = self._batch(table, where, min(left, _AT_ONCE))
            except (Conflict, DBReferenceError, DBDuplicateEntry) as error:
                LOG.warning("Rows of %s cannot be archived, going on without them: %s", table.name, error)
                self._stuck.add(table.name)
                return
            if not moved:
                return
            done.update(moved)

    @retried
    def _batch(self, table: sa.Table, where: Sequence[Any], limit: int) -> Counter[str]:
        (key,) = table.primary_key.columns
        moved: Counter[str] = Counter()
        with self._database.write() as connection:
            statement = sa.select(key).where(*where).order_by(key).limit(limit)
            keys = list(connection.scalars(statement))
            if keys:
                if table.name == _SERVERS:
                    uuids = sa.select(table.c.uuid).where(key.in_(keys))
                    self._servers_go(list(connection.scalars(uuids)))
                self._move(connection, table, key, keys, moved)
        return moved

    def _move(
        self,
        connection: sa.Connection,
        table: sa.Table,
        column: sa.Column[Any],
        values: Sequence[Any],
        moved: Counter[str],
    ) -> None:
        """Move rows that have any of the values, after those that refer to them.

        Values are listed: for a DELETE with a subquery MariaDB reads the whole table.

        Raises: Conflict when rows changed meanwhile.
        """
        for chunk in batched(values, _AT_ONCE):
            which = column.in_(chunk)
            for reference in self._schema.referring_to(table):
                targets = connection.scalars(sa.select(reference.target).where(which)).all()
                self._move(connection, reference.table, reference.column, targets, moved)
            if count := self._move_rows(connection, table, which):
                moved[table.name] += count

    def _move_rows(self, connection: sa.Connection, table: sa.Table, which: sa.ColumnElement[bool]) -> int:
        shadow = self._schema.shadow_of(table)
        if shadow is None:
            connection.execute(sa.delete(table).where(which))
            return 0
        names = [column.name for column in table.c if column.name in shadow.c]
        rows = sa.select(*(table.c[name] for name in names)).where(which)
        copied = connection.execute(sa.insert(shadow).from_select(names, rows)).rowcount
        removed = connection.execute(sa.delete(table).where(which)).rowcount
        if copied != removed:
            raise Conflict(f"Rows of {table.name} changed while they were archived.")
        return copied


class ServerForgetter:
    """Removes what the API database holds of servers whose rows are archived."""

    # Contract: the names under which the command counts them.
    _TABLES: Final = {
        "instance_group_member": table_of(api_rows.InstanceGroupMember),
        "instance_mappings": table_of(api_rows.InstanceMapping),
        "request_specs": table_of(api_rows.RequestSpec),
    }

    def __init__(self, api_database: Database) -> None:
        self._database = api_database
        self.removed: Counter[str] = Counter()

    @retried
    def __call__(self, instance_uuids: Sequence[str]) -> None:
        """Fine when they are gone already: a batch that failed later is tried again."""
        removed: Counter[str] = Counter()
        with self._database.write() as connection:
            for name, table in self._TABLES.items():
                mine = sa.delete(table).where(table.c.instance_uuid.in_(list(instance_uuids)))
                removed[name] = connection.execute(mine).rowcount
        for name, count in removed.items():
            self.removed[name] += count
