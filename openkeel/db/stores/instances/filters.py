"""The filters, order and markers of lists of servers, as SQL.

Contract: the keys that `InstanceList.get_by_filters` takes on the wire.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of
from openkeel.db.stores.plan import naive
from openkeel.db.stores.table import Where
from openkeel.domain.errors import InstanceNotFound, Invalid
from openkeel.domain.states import VMState

INSTANCE: Final = table_of(rows.Instance)
TAG: Final = table_of(rows.Tag)
# Matched as a pattern; every other column as given.
_PATTERNS: Final = frozenset({"display_name", "display_description", "name", "hostname"})
_HANDLED: Final = frozenset({"changes-before", "changes-since", "cleaned", "deleted", "soft_deleted"})


def conditions(filters: Mapping[str, Any]) -> Iterator[Where]:
    """Tests of a row, all of which must hold. Raises: Invalid (unknown key)."""
    yield from _lifetimes(filters)
    for key, value in filters.items():
        if key in _HANDLED:
            continue
        if key in _SPECIAL:
            yield _SPECIAL[key](value)
        elif key in _PATTERNS:
            yield _matches(INSTANCE.c["display_name" if key == "name" else key], value)
        elif key in INSTANCE.c:
            yield _equals(INSTANCE.c[key], value)
        else:
            raise Invalid(f"Servers cannot be filtered by {key}.")


def ordering(
    connection: sa.Connection,
    sort_keys: Sequence[str],
    sort_dirs: Sequence[str],
    marker: str | None,
) -> tuple[list[Any], Where | None]:
    """ORDER BY, and the test of lying beyond the marker. Raises: InstanceNotFound; Invalid."""
    keys = list(sort_keys) or ["created_at"]
    directions = [*list(sort_dirs)[: len(keys)], *["desc"] * (len(keys) - len(sort_dirs))]
    for key in ("created_at", "id"):  # a total order, so that pages neither overlap nor skip
        if key not in keys and (key != "created_at" or "id" not in keys):
            keys.append(key)
            directions.append("desc" if not sort_dirs else directions[-1])
    unknown = [key for key in keys if key not in INSTANCE.c]
    if unknown:
        raise Invalid(f"Servers cannot be sorted by {', '.join(unknown)}.")
    columns = [INSTANCE.c[key] for key in keys]
    order_by = [
        column.desc() if direction == "desc" else column.asc()
        for column, direction in zip(columns, directions, strict=True)
    ]
    if marker is None:
        return order_by, None
    row = connection.execute(sa.select(*columns).where(INSTANCE.c.uuid == marker)).first()
    if row is None:
        raise InstanceNotFound(instance_id=marker)
    return order_by, _beyond(columns, directions, list(row))


def _beyond(columns: Sequence[Any], directions: Sequence[str], values: Sequence[Any]) -> Where:
    """Lexicographic order after a row; NULL sorts first going up, last going down, as both databases do."""
    alternatives: list[Where] = []
    for position, (column, direction, value) in enumerate(zip(columns, directions, values, strict=True)):
        same = [
            earlier.is_(None) if known is None else earlier == known
            for earlier, known in zip(columns[:position], values[:position], strict=True)
        ]
        if direction == "desc":
            after = sa.false() if value is None else sa.or_(column < value, column.is_(None))
        else:
            after = column.is_not(None) if value is None else column > value
        alternatives.append(sa.and_(*same, after))
    return sa.or_(*alternatives)


def _lifetimes(filters: Mapping[str, Any]) -> Iterator[Where]:
    since, before = filters.get("changes-since"), filters.get("changes-before")
    touched = sa.func.coalesce(INSTANCE.c.updated_at, INSTANCE.c.created_at)
    if since:
        yield sa.or_(
            INSTANCE.c.updated_at >= _moment(since),
            sa.and_(INSTANCE.c.updated_at.is_(None), touched >= _moment(since)),
            INSTANCE.c.deleted_at >= _moment(since),
        )
    if before:
        yield touched <= _moment(before)
    if "deleted" in filters:
        soft_deleted = INSTANCE.c.vm_state == VMState.SOFT_DELETED
        if not filters["deleted"]:
            yield INSTANCE.c.deleted == 0
            if not filters.get("soft_deleted", False):
                yield sa.or_(INSTANCE.c.vm_state.is_(None), sa.not_(soft_deleted))
        elif filters.get("soft_deleted", True):
            yield sa.or_(INSTANCE.c.deleted != 0, soft_deleted)
        else:
            yield INSTANCE.c.deleted != 0
    elif not since and not before:
        yield INSTANCE.c.deleted == 0
    if "cleaned" in filters:
        yield INSTANCE.c.cleaned == (1 if filters["cleaned"] else 0)


def _moment(value: Any) -> datetime | None:
    return naive(datetime.fromisoformat(value) if isinstance(value, str) else value)


def _equals(column: sa.ColumnElement[Any], value: Any) -> Where:
    if isinstance(value, (list, tuple, set, frozenset)):
        named = [item for item in value if item is not None]
        test: Where = column.in_(named)
        return sa.or_(test, column.is_(None)) if None in value else test
    return column.is_(None) if value is None else column == value


def _matches(column: sa.ColumnElement[Any], value: Any) -> Where:
    if not isinstance(value, str):
        return _equals(column, value)
    if not re.search(r"[.^$*+?{}\[\]\\|()]", value):
        return column.contains(value, autoescape=True)
    return column.regexp_match(value)


def _pairs(table: sa.Table) -> Callable[[Any], Where]:
    """A dict, or a list of dicts, of keys and values that the server must have."""

    def test(wanted: Any) -> Where:
        pairs = [pair for one in (wanted if isinstance(wanted, list) else [wanted]) for pair in one.items()]
        return sa.and_(
            *(
                sa.exists().where(
                    table.c.instance_uuid == INSTANCE.c.uuid,
                    table.c.deleted == 0,
                    table.c.key == key,
                    table.c.value == value,
                )
                for key, value in pairs
            )
        )

    return test


def _has_tag(tag: str) -> Where:
    return sa.exists().where(TAG.c.resource_id == INSTANCE.c.uuid, TAG.c.tag == tag)


def _has_any_tag(tags: Sequence[str]) -> Where:
    return sa.exists().where(TAG.c.resource_id == INSTANCE.c.uuid, TAG.c.tag.in_(list(tags)))


def _address(version: int) -> Callable[[Any], Where]:
    """An address of the server, or a pattern of it, searched in the info cache."""
    del version  # the cache holds both kinds as text
    cache = table_of(rows.InstanceInfoCache)

    def test(pattern: Any) -> Where:
        return sa.exists().where(
            cache.c.instance_uuid == INSTANCE.c.uuid, cache.c.network_info.regexp_match(str(pattern))
        )

    return test


_SPECIAL: Final[Mapping[str, Callable[[Any], Where]]] = {
    "hidden": lambda hidden: sa.func.coalesce(INSTANCE.c.hidden, sa.false()) == bool(hidden),
    "ip": _address(4),
    "ip6": _address(6),
    "metadata": _pairs(table_of(rows.InstanceMetadata)),
    "system_metadata": _pairs(table_of(rows.InstanceSystemMetadata)),
    "not-tags": lambda tags: sa.not_(sa.and_(*map(_has_tag, tags))),
    "not-tags-any": lambda tags: sa.not_(_has_any_tag(tags)),
    "tags": lambda tags: sa.and_(*map(_has_tag, tags)),
    "tags-any": _has_any_tag,
}
