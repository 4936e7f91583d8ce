"""Moves of servers between hosts or sizes."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.models.base import utcnow
from openkeel.db.stores import plans
from openkeel.db.stores.migration_reads import UNDER_WAY
from openkeel.db.stores.plan import naive
from openkeel.db.stores.table import TableStore, Where
from openkeel.domain.errors import (
    Invalid,
    MigrationNotFound,
    MigrationNotFoundByStatus,
    MigrationNotFoundForInstance,
)

MIGRATION: Final = plans.MIGRATIONS.table
# Contract: migration_status_lists_in_queries of states.json.
_OVER: Final = ("cancelled", "completed", "confirmed", "done", "error", "failed", "reverted")


class MigrationStore(TableStore[Any]):
    """Migrations of one cell."""

    plan = plans.MIGRATIONS
    not_found = MigrationNotFound

    def get(self, id_: int, *, instance_uuid: str | None = None) -> Any:
        """Raises: NotFound."""
        if instance_uuid is None:
            return self._get(MIGRATION.c.id == id_, migration_id=id_)
        found = self._find(MIGRATION.c.id == id_, MIGRATION.c.instance_uuid == instance_uuid)
        if found is None:
            raise MigrationNotFoundForInstance(migration_id=id_, instance_id=instance_uuid)
        return found

    def get_by_uuid(self, uuid: str) -> Any:
        """Raises: NotFound."""
        return self._get(MIGRATION.c.uuid == uuid, migration_id=uuid)

    def get_by_instance_and_status(self, instance_uuid: str, status: str) -> Any:
        """The newest of a server in a status. Raises: NotFound."""
        found = self._list(
            MIGRATION.c.instance_uuid == instance_uuid,
            MIGRATION.c.status == status,
            order_by=(MIGRATION.c.id.desc(),),
            limit=1,
        )
        if not found:
            raise MigrationNotFoundByStatus(instance_id=instance_uuid, status=status)
        return found[0]

    def list_in_progress(self, host: str, node: str) -> Any:
        """Those under way or failed, to or from a node."""
        return self._at(host, node, over=tuple(status for status in _OVER if status != "error"))

    def list_under_way(self, host: str, node: str) -> Any:
        """Those under way, to or from a node."""
        return self._at(host, node, over=_OVER)

    def _at(self, host: str, node: str, *, over: Sequence[str]) -> Any:
        columns = MIGRATION.c
        return self._list(
            sa.or_(
                sa.and_(columns.source_compute == host, columns.source_node == node),
                sa.and_(columns.dest_compute == host, columns.dest_node == node),
            ),
            columns.status.not_in(over),
        )

    def list_under_way_of(self, instance_uuid: str, migration_type: str | None = None) -> Any:
        """Those of a server under way, dead servers' too."""
        where: list[Where] = [
            MIGRATION.c.instance_uuid == instance_uuid,
            MIGRATION.c.status.in_(UNDER_WAY),
        ]
        if migration_type:
            where.append(MIGRATION.c.migration_type == migration_type)
        return self._list(*where)

    def list_unconfirmed(self, window_s: int, dest_compute: str) -> Any:
        """Resizes to a host that have waited for their confirmation longer than the window."""
        since = utcnow() - timedelta(seconds=window_s)
        return self._list(
            MIGRATION.c.updated_at <= since,
            MIGRATION.c.status == "finished",
            MIGRATION.c.dest_compute == dest_compute,
        )

    def list_by_filters(
        self,
        filters: Mapping[str, Any],
        *,
        sort_keys: Sequence[str] = ("created_at", "id"),
        sort_dirs: Sequence[str] = ("desc", "desc"),
        limit: int | None = None,
        marker: str | None = None,
    ) -> Any:
        """Contract: the keys of `MigrationList.get_by_filters`. Raises: Invalid, NotFound (marker)."""
        if limit == 0:
            return self.plan.wrap([])
        where = list(_conditions(filters))
        keys = list(sort_keys) or ["created_at", "id"]
        directions = [*sort_dirs, *["desc"] * len(keys)][: len(keys)]
        if "id" not in keys:
            keys.append("id")
            directions.append(directions[-1])
        columns = [MIGRATION.c[key] for key in keys]
        if marker is not None:
            found = self.get_by_uuid(marker)
            known = [naive(value) if key.endswith("_at") else value for key, value in _fields(found, keys)]
            where.append(_beyond(columns, directions, known))
        order_by = [
            column.desc() if direction == "desc" else column.asc()
            for column, direction in zip(columns, directions, strict=True)
        ]
        return self._list(*where, order_by=order_by, limit=limit)

    def _facts(self, item: Any) -> dict[str, Any]:
        return {"migration_id": item.id if item.obj_attr_is_set("id") else None}


def _fields(item: Any, names: Sequence[str]) -> list[tuple[str, Any]]:
    return [(name, getattr(item, name)) for name in names]


def _beyond(columns: Sequence[Any], directions: Sequence[str], known: Sequence[Any]) -> Where:
    alternatives = []
    for position, (column, direction, value) in enumerate(zip(columns, directions, known, strict=True)):
        same = [earlier == past for earlier, past in zip(columns[:position], known[:position], strict=True)]
        alternatives.append(sa.and_(*same, column < value if direction == "desc" else column > value))
    return sa.or_(*alternatives)


def _conditions(filters: Mapping[str, Any]) -> list[Where]:
    tests: list[Where] = []
    columns = MIGRATION.c
    for key, value in filters.items():
        if key == "changes-since":
            tests.append(columns.updated_at >= naive(value))
        elif key == "changes-before":
            tests.append(columns.updated_at <= naive(value))
        elif key == "host":
            tests.append(sa.or_(columns.source_compute == value, columns.dest_compute == value))
        elif key == "node":
            tests.append(sa.or_(columns.source_node == value, columns.dest_node == value))
        elif key == "hidden":
            tests.append(sa.func.coalesce(columns.hidden, sa.false()) == bool(value))
        elif key in columns:
            several = isinstance(value, (list, tuple, set, frozenset))
            tests.append(columns[key].in_(list(value)) if several else columns[key] == value)
        else:
            raise Invalid(f"Migrations cannot be filtered by {key}.")
    return tests
