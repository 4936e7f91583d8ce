"""Flavors for lists and views: rows of the API database.

A page costs one statement, and one more for the extra specs where they are wanted. Nothing here makes
objects.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.models import api as rows
from openkeel.db.models.base import table_of
from openkeel.db.session import Database
from openkeel.db.stores import keyset
from openkeel.db.stores.plan import values_of

FLAVOR: Final = table_of(rows.Flavor)
_SPEC: Final = table_of(rows.FlavorExtraSpec)
_ACCESS: Final = table_of(rows.FlavorProject)

Where = sa.ColumnElement[bool]


@dataclass(frozen=True, slots=True)
class FlavorFilter:
    """Which flavors a list wants.

    Args:
        is_public: True also brings private ones that `project_id` may use; None: all.
        project_id: the project whose access counts.
        disabled: None: all.
        min_memory_mib: at least so much memory.
        min_root_gib: at least so large a root disk.
        name_pattern: regular expression that the name holds.
    """

    is_public: bool | None = True
    project_id: str | None = None
    disabled: bool | None = None
    min_memory_mib: int | None = None
    min_root_gib: int | None = None
    name_pattern: str | None = None

    def clauses(self) -> Iterable[Where]:
        if self.is_public is not None:
            public = FLAVOR.c.is_public == self.is_public
            yield sa.or_(public, _used_by(self.project_id)) if self.is_public else public
        if self.disabled is not None:
            yield FLAVOR.c.disabled == self.disabled
        if self.min_memory_mib is not None:
            yield FLAVOR.c.memory_mb >= self.min_memory_mib
        if self.min_root_gib is not None:
            yield FLAVOR.c.root_gb >= self.min_root_gib
        if self.name_pattern is not None:
            yield FLAVOR.c.name.regexp_match(self.name_pattern)


class FlavorReads:
    """Flavors as rows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(
        self,
        wanted: FlavorFilter,
        sort_key: str,
        limit: int,
        marker: str | None,
        *,
        ascending: bool,
        see_all: bool,
    ) -> list[sa.Row[Any]] | None:
        """A page of flavors after the flavor `marker`; None when there is no such flavor to see."""
        keys = [(FLAVOR.c[sort_key], ascending), (FLAVOR.c.id, ascending)]
        statement = sa.select(FLAVOR).where(*wanted.clauses()).order_by(*keyset.order_by(keys)).limit(limit)
        with self._database.read() as connection:
            if marker is not None:
                seen = [] if see_all else [_used_or_public(wanted.project_id)]
                last = connection.execute(sa.select(FLAVOR).where(FLAVOR.c.flavorid == marker, *seen)).first()
                if last is None:
                    return None
                statement = statement.where(keyset.after(keys, values_of(last)))
            return list(connection.execute(statement))

    def find(self, flavor_id: str, seen_by: str | None) -> sa.Row[Any] | None:
        """A flavor by the id clients know; `seen_by` is a project, or None to see all."""
        where = [FLAVOR.c.flavorid == flavor_id]
        if seen_by is not None:
            where.append(_used_or_public(seen_by))
        with self._database.read() as connection:
            return connection.execute(sa.select(FLAVOR).where(*where)).first()

    def extra_specs(self, ids: Collection[int]) -> Mapping[int, Mapping[str, str]]:
        """Extra specs of flavors by their row ids; every id has an entry."""
        found: dict[int, dict[str, str]] = {one: {} for one in ids}
        if not found:
            return found
        statement = sa.select(_SPEC.c.flavor_id, _SPEC.c.key, _SPEC.c.value).where(
            _SPEC.c.flavor_id.in_(found)
        )
        with self._database.read() as connection:
            for flavor_id, key, value in connection.execute(statement):
                found[flavor_id][key] = value
        return found


def _used_by(project_id: str | None) -> Where:
    return FLAVOR.c.id.in_(sa.select(_ACCESS.c.flavor_id).where(_ACCESS.c.project_id == project_id))


def _used_or_public(project_id: str | None) -> Where:
    return sa.or_(FLAVOR.c.is_public.is_(sa.true()), _used_by(project_id))
