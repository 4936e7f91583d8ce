"""Pages of a sorted table by marker: the condition "comes after this row", and the order itself.

Databases agree that NULL is smallest here: MySQL and SQLite say so by themselves.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

Key = tuple[sa.ColumnElement[Any], bool]  # a column, and whether it ascends


def order_by(keys: Sequence[Key]) -> list[sa.UnaryExpression[Any]]:
    """The ORDER BY of a list sorted by keys; the last should be unique."""
    return [column.asc() if ascending else column.desc() for column, ascending in keys]


def after(keys: Sequence[Key], marker: Mapping[str, Any]) -> sa.ColumnElement[bool]:
    """Rows that come after the marker's row in that order; `marker` is its row by column name."""
    beyond = []
    same: list[sa.ColumnElement[bool]] = []
    for column, ascending in keys:
        value = marker[str(column.key)]
        beyond.append(sa.and_(*same, _past(column, value, ascending=ascending)))
        same.append(column.is_(None) if value is None else column == value)
    return sa.or_(*beyond)


def _past(column: sa.ColumnElement[Any], value: Any, *, ascending: bool) -> sa.ColumnElement[bool]:
    if value is None:
        return column.is_not(None) if ascending else sa.false()
    beyond: sa.ColumnElement[bool] = column > value if ascending else column < value
    return beyond if ascending else sa.or_(beyond, column.is_(None))
