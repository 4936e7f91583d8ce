"""The tables of a database as they are: whichever revision made them, with what refers to what."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.session import Database

SHADOW: Final = "shadow_"


@dataclass(frozen=True, slots=True)
class Reference:
    """A column whose values stand in another table."""

    table: sa.Table
    column: sa.Column[Any]
    target: sa.Column[Any]


class Schema:
    """All tables of a cell's database, read once."""

    def __init__(self, database: Database) -> None:
        metadata = sa.MetaData()
        metadata.reflect(bind=database.engine)
        self._tables = dict(metadata.tables)
        self._in_order = metadata.sorted_tables
        self._referring: dict[str, list[Reference]] = {}
        for table in self._in_order:
            for key in table.foreign_keys:
                target = key.column
                referring = self._referring.setdefault(target.table.name, [])
                referring.append(Reference(table, table.c[key.parent.name], target))

    def archived(self) -> Iterator[sa.Table]:
        """Tables whose dead rows have a place to go; referring ones first."""
        for table in reversed(self._in_order):
            if "deleted" in table.c and self.shadow_of(table) is not None:
                yield table

    def shadows(self) -> Sequence[sa.Table]:
        """All shadow tables by name."""
        return [table for name, table in sorted(self._tables.items()) if name.startswith(SHADOW)]

    def shadow_of(self, table: sa.Table) -> sa.Table | None:
        """Where archived rows of a table go."""
        return self._tables.get(f"{SHADOW}{table.name}")

    def referring_to(self, table: sa.Table) -> Sequence[Reference]:
        """Columns of other tables that hold values of this one."""
        return self._referring.get(table.name, ())
