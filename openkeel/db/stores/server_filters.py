"""Which servers a list shows and in which order: as SQL for cells, as Python for build requests.

Both forms of a condition stand side by side, so that a server is filtered alike before and after the
conductor gives it to a cell. Text compares without regard to case in order and patterns, as
MySQL's collation does.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from functools import cmp_to_key
from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of
from openkeel.db.stores.server_rows import ServerRow
from openkeel.domain import patterns
from openkeel.domain.states import VMState
from openkeel.objects.network_info import fixed_ips

INSTANCE: Final = table_of(rows.Instance)
CACHE: Final = table_of(rows.InstanceInfoCache)
TAG: Final = table_of(rows.Tag)

Where = sa.ColumnElement[bool]


class Lifetime(Enum):
    """Which servers count."""

    LIVING = "living"
    DELETED = "deleted"
    BOTH = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFilter:
    """Conditions that all must hold.

    Args:
        equal: column -> values, one of which it must have; None among them stands for NULL.
        patterns: column -> regular expression to be found in its text.
        address_patterns: IP version -> regular expression to be found in one of the addresses.
        tags: all of them; `any_tag`: one of them; `not_all_tags`, `not_any_tag`: the opposites.
    """

    lifetime: Lifetime = Lifetime.LIVING
    with_soft_deleted: bool = False
    equal: Mapping[str, frozenset[Any]] = field(default_factory=dict)
    patterns: Mapping[str, str] = field(default_factory=dict)
    address_patterns: Mapping[int, str] = field(default_factory=dict)
    changed_since: datetime | None = None
    changed_before: datetime | None = None
    tags: frozenset[str] = frozenset()
    any_tag: frozenset[str] = frozenset()
    not_all_tags: frozenset[str] = frozenset()
    not_any_tag: frozenset[str] = frozenset()

    def clauses(self, dialect: str) -> Iterator[Where]:
        """The conditions as SQL, but for the addresses, which no column has by themselves."""
        yield sa.func.coalesce(INSTANCE.c.hidden, sa.false()) == sa.false()
        if self.lifetime is Lifetime.LIVING:
            yield INSTANCE.c.deleted == 0
            if not self.with_soft_deleted:
                yield sa.func.coalesce(INSTANCE.c.vm_state, "") != VMState.SOFT_DELETED
        elif self.lifetime is Lifetime.DELETED:
            yield sa.or_(INSTANCE.c.deleted != 0, INSTANCE.c.vm_state == VMState.SOFT_DELETED)
        for name, values in self.equal.items():
            yield _is_one_of(INSTANCE.c[name], values)
        for name, pattern in self.patterns.items():
            yield _has_pattern(INSTANCE.c[name], pattern, dialect)
        touched = sa.func.coalesce(INSTANCE.c.updated_at, INSTANCE.c.created_at)
        if self.changed_since is not None:
            yield touched >= self.changed_since
        if self.changed_before is not None:
            yield touched <= self.changed_before
        yield from self._tag_clauses()

    def _tag_clauses(self) -> Iterator[Where]:
        if self.tags:
            yield sa.and_(*(_has_tag(tag) for tag in sorted(self.tags)))
        if self.any_tag:
            yield _has_any_tag(self.any_tag)
        if self.not_all_tags:
            yield sa.not_(sa.and_(*(_has_tag(tag) for tag in sorted(self.not_all_tags))))
        if self.not_any_tag:
            yield sa.not_(_has_any_tag(self.not_any_tag))

    def accepts(self, row: ServerRow) -> bool:
        """The same conditions for a build request, which is always living."""
        if self.lifetime is Lifetime.DELETED:
            return False
        touched = row.updated_at or row.created_at
        tags = frozenset(row.tags)
        return (
            all(getattr(row, name) in values for name, values in self.equal.items())
            and all(_found(pattern, getattr(row, name)) for name, pattern in self.patterns.items())
            and (self.changed_since is None or (touched is not None and touched >= self.changed_since))
            and (self.changed_before is None or (touched is not None and touched <= self.changed_before))
            and self.tags <= tags
            and (not self.any_tag or bool(self.any_tag & tags))
            and (not self.not_all_tags or not self.not_all_tags <= tags)
            and not self.not_any_tag & tags
            and self.accepts_addresses(row)
        )

    def accepts_addresses(self, row: ServerRow) -> bool:
        """Whether one address of each asked version fits its pattern."""
        return all(
            any(
                ip["version"] == version and _found(pattern, ip["address"])
                for vif in row.network_info
                for ip in _addresses(vif)
            )
            for version, pattern in self.address_patterns.items()
        )


def _addresses(vif: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for ip in fixed_ips(vif):
        yield ip
        yield from ip.get("floating_ips", ())


def _found(pattern: str, value: Any) -> bool:
    return value is not None and patterns.is_found(pattern, _text(value))


def _text(value: Any) -> str:
    # As the database writes it: truth as a number.
    return str(int(value)) if isinstance(value, bool) else str(value)


def _is_one_of(column: sa.ColumnElement[Any], values: Iterable[Any]) -> Where:
    named = [value for value in values if value is not None]
    test: Where = column.in_(named)
    return sa.or_(test, column.is_(None)) if len(named) < len(set(values)) else test


def _has_pattern(column: sa.ColumnElement[Any], pattern: str, dialect: str) -> Where:
    text = sa.cast(column, sa.String(255)) if not isinstance(column.type, sa.String) else column
    if dialect == "postgresql":
        return text.op("~*", is_comparison=True)(pattern)
    if dialect == "sqlite":  # its REGEXP is Python's, and its collation knows cases
        pattern = f"(?i:{pattern})"
    return text.op("REGEXP", is_comparison=True)(pattern)


def _has_tag(tag: str) -> Where:
    return sa.exists().where(TAG.c.resource_id == INSTANCE.c.uuid, TAG.c.tag == tag)


def _has_any_tag(tags: frozenset[str]) -> Where:
    return sa.exists().where(TAG.c.resource_id == INSTANCE.c.uuid, TAG.c.tag.in_(sorted(tags)))


# Order

_TIE: Final = "uuid"  # ids of different cells mean nothing beside each other


@dataclass(frozen=True, slots=True)
class Order:
    """A total order of servers: columns, each up or down."""

    keys: tuple[tuple[str, bool], ...]  # column, is it descending

    @classmethod
    def by(cls, keys: Sequence[tuple[str, bool]]) -> "Order":
        """By these columns, ties broken so that pages neither overlap nor skip.

        Contract: the newest first unless asked otherwise; among equals by uuid, always upwards.
        """
        keys = keys or (("created_at", True),)
        tie = () if any(name == _TIE for name, _ in keys) else ((_TIE, False),)
        return cls((*keys, *tie))

    def columns(self) -> list[sa.Column[Any]]:
        return [INSTANCE.c[name] for name, _ in self.keys]

    def order_by(self, dialect: str) -> list[Any]:
        """NULL sorts first going up and last going down, as MySQL and SQLite do by themselves."""
        terms: list[Any] = []
        for name, descending in self.keys:
            term = _comparable(INSTANCE.c[name])
            term = term.desc() if descending else term.asc()
            if dialect == "postgresql":
                term = term.nulls_last() if descending else term.nulls_first()
            terms.append(term)
        return terms

    def beyond(self, values: Sequence[Any]) -> Where:
        """Rows that come after the one with these values."""
        alternatives: list[Where] = []
        same: list[Where] = []
        for (name, descending), raw in zip(self.keys, values, strict=True):
            column, value = _comparable(INSTANCE.c[name]), _comparable_value(name, raw)
            if descending:
                after = sa.false() if value is None else sa.or_(column < value, column.is_(None))
            else:
                after = column.is_not(None) if value is None else column > value
            alternatives.append(sa.and_(*same, after))
            same.append(column.is_(None) if value is None else column == value)
        return sa.or_(*alternatives)

    def values(self, row: ServerRow) -> list[Any]:
        """What stands in a row for each key."""
        return [getattr(row, name) for name, _ in self.keys]

    def sort_key(self) -> Callable[[Sequence[Any]], Any]:
        """For `sorted`, over lists of values."""

        def compare(left: Sequence[Any], right: Sequence[Any]) -> int:
            for (name, descending), raw_a, raw_b in zip(self.keys, left, right, strict=True):
                a, b = _comparable_value(name, raw_a), _comparable_value(name, raw_b)
                if a == b:
                    continue
                is_less = a is None or (b is not None and a < b)
                return 1 if is_less == descending else -1
            return 0

        return cmp_to_key(compare)


def _comparable(column: sa.Column[Any]) -> sa.ColumnElement[Any]:
    is_text = isinstance(column.type, sa.String) and column.name != "uuid"
    return sa.func.lower(column) if is_text else column


def _comparable_value(name: str, value: Any) -> Any:
    return value.lower() if isinstance(value, str) and name != "uuid" else value
