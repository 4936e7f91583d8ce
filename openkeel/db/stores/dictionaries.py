"""Key-value rows of an owner: metadata of servers and aggregates, extra specs of flavors."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from openkeel.db.stores.table import end_rows


@dataclass(frozen=True, slots=True)
class Dictionaries:
    """A table of keys and values.

    Args:
        owner: names the column of whom they belong to.
        forgets: a key that is taken away leaves no dead row. Dead rows are those of dead owners then.
    """

    table: sa.Table
    owner: str
    forgets: bool = False

    @property
    def _keeps_dead(self) -> bool:
        return "deleted" in self.table.c

    def read(
        self,
        connection: sa.Connection,
        owners: Iterable[Any],
        *,
        died: Mapping[Any, datetime] | None = None,
    ) -> dict[Any, dict[str, Any]]:
        """The dictionaries of owners; those that `died` still have what they had at that time."""
        found: dict[Any, dict[str, Any]] = {owner: {} for owner in owners}
        if not found:
            return found
        columns = self.table.c
        statement = sa.select(columns[self.owner], columns.key, columns.value)
        statement = statement.where(columns[self.owner].in_(list(found)))
        if not self._keeps_dead:
            for owner, key, value in connection.execute(statement):
                found[owner][key] = value
            return found
        if not died:
            for owner, key, value in connection.execute(statement.where(columns.deleted == 0)):
                found[owner][key] = value
            return found
        dated = statement.add_columns(columns.deleted, columns.deleted_at).order_by(columns.id)
        for row in connection.execute(dated):
            owner, key, value, deleted, deleted_at = tuple(row)
            if not deleted or (owner in died and deleted_at is not None and deleted_at >= died[owner]):
                found[owner][key] = value
        return found

    def insert(self, connection: sa.Connection, owner: Any, values: Mapping[str, Any], now: datetime) -> None:
        """Write the dictionary of a new owner."""
        if not values:
            return
        fixed: dict[str, Any] = {self.owner: owner, "created_at": now}
        if self._keeps_dead:
            fixed["deleted"] = 0
        connection.execute(
            sa.insert(self.table), [{**fixed, "key": key, "value": value} for key, value in values.items()]
        )

    def _end(self, connection: sa.Connection, *which: sa.ColumnElement[bool], now: datetime) -> None:
        if self.forgets:
            connection.execute(sa.delete(self.table).where(*which))
        else:
            end_rows(connection, self.table, *which, now=now)

    def merge(
        self,
        connection: sa.Connection,
        owner: Any,
        values: Mapping[str, Any],
        now: datetime,
        *,
        remove: Iterable[str] | None = None,
        of_dead: bool = False,
    ) -> None:
        """Set `values` and end the keys to `remove`; None removes all keys that are not in `values`.

        `of_dead`: the owner is dead, and so are the rows it had.
        """
        columns = self.table.c
        mine = columns[self.owner] == owner
        statement = sa.select(columns.key, columns.value).where(mine).order_by(columns.id)
        only_living = self._keeps_dead and not of_dead
        if only_living:
            statement = statement.where(columns.deleted == 0)
        present: dict[str, Any] = {key: value for key, value in connection.execute(statement)}  # noqa: C416
        gone = set(present) - set(values) if remove is None else set(present) & set(remove)
        if gone:
            self._end(connection, mine, columns.key.in_(sorted(gone)), now=now)
        changed = [
            {"its_key": key, "new_value": value}
            for key, value in values.items()
            if key in present and present[key] != value
        ]
        if changed:
            update = (
                sa.update(self.table)
                .where(mine, columns.key == sa.bindparam("its_key"))
                .values(value=sa.bindparam("new_value"), updated_at=now)
            )
            if only_living:
                update = update.where(columns.deleted == 0)
            connection.execute(update, changed)
        self.insert(connection, owner, {k: v for k, v in values.items() if k not in present}, now)
