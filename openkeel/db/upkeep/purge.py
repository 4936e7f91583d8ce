"""Emptying shadow tables."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.session import Database
from openkeel.db.stores.plan import naive
from openkeel.db.upkeep.schema import SHADOW, Schema

# Rows of these are archived with their server: what counts is when they were made.
_NEVER_DEAD: Final = frozenset({"instance_actions", "instance_actions_events"})
_TASK_LOG: Final = "task_log"
_AT_ONCE: Final = 5000


@dataclass(frozen=True, slots=True)
class Purged:
    """What became of a shadow table. `column` tells the age of rows; None when all went, or none can."""

    table: str
    rows: int
    column: str | None


def purge(database: Database, before: datetime | None) -> Iterator[Purged]:
    """Empty all shadow tables of rows older than `before`, or of all; each as it is done."""
    for table in Schema(database).shadows():
        column = _age_column(table)
        if before is None:
            yield Purged(table.name, _remove(database, table, None), None)
        elif column is None:
            yield Purged(table.name, 0, None)
        else:
            yield Purged(table.name, _remove(database, table, column < naive(before)), column.name)


def _age_column(table: sa.Table) -> sa.Column[Any] | None:
    name = table.name.removeprefix(SHADOW)
    wanted = "deleted_at"
    if name in _NEVER_DEAD:
        wanted = "created_at"
    elif name == _TASK_LOG:
        wanted = "updated_at"
    return table.c.get(wanted)


def _remove(database: Database, table: sa.Table, where: sa.ColumnElement[bool] | None) -> int:
    """Remove rows a batch at a time: a delete of millions would lock and log for hours."""
    (key, *_) = table.primary_key.columns
    removed = 0
    while True:
        statement = sa.select(key).order_by(key).limit(_AT_ONCE)
        if where is not None:
            statement = statement.where(where)
        with database.write() as connection:
            keys = list(connection.scalars(statement))
            if keys:
                removed += connection.execute(sa.delete(table).where(key.in_(keys))).rowcount
        if len(keys) < _AT_ONCE:
            return removed
