"""Limits once lay in the cell's database; now they hold for all cells."""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa
from oslo_db.exception import DBDuplicateEntry

from openkeel.db.models import api as api_rows
from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of, utcnow
from openkeel.db.stores.plan import values_of
from openkeel.db.stores.table import end_rows
from openkeel.db.upkeep.online.step import Place, Progress

_LIMITS: Final[Sequence[tuple[type[Any], type[Any]]]] = (
    (rows.Quota, api_rows.Quota),
    (rows.ProjectUserQuota, api_rows.ProjectUserQuota),
)
_KEPT: Final = ("project_id", "user_id", "class_name", "resource", "hard_limit")


def move_limits(place: Place, limit: int) -> Progress:
    """Limits of projects and users."""
    found = 0
    for old, new in _LIMITS:
        found += _move(place, table_of(old), table_of(new), limit - found)
    return Progress(found, found)


def move_classes(place: Place, limit: int) -> Progress:
    """Limits of classes."""
    found = _move(place, table_of(rows.QuotaClass), table_of(api_rows.QuotaClass), limit)
    return Progress(found, found)


def _move(place: Place, old: sa.Table, new: sa.Table, limit: int) -> int:
    """Copy first, then end the old row: what was cut off between them is copied already the next time."""
    with place.main.read() as connection:
        statement = sa.select(old).where(old.c.deleted == 0).order_by(old.c.id).limit(limit)
        found = [values_of(row) for row in connection.execute(statement)]
    for row in found:
        kept = {name: row[name] for name in _KEPT if name in new.c}
        created_at = row["created_at"] or utcnow()
        try:
            with place.api.write() as connection:
                # Not every table is unique by these columns.
                same = [new.c[name] == value for name, value in kept.items() if name != "hard_limit"]
                if connection.scalar(sa.select(new.c.id).where(*same)) is None:
                    connection.execute(sa.insert(new).values(created_at=created_at, **kept))
        except DBDuplicateEntry:
            pass  # what was set there meanwhile holds
        with place.main.write() as connection:
            end_rows(connection, old, old.c.id == row["id"])
    return len(found)
