"""How one remotable method is declared: a row that maps Nova's arguments to a store call."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from openkeel.common.context import Context
from openkeel.db.stores.quota_reads import Usage
from openkeel.objects.stores import ANY


@dataclass(frozen=True, slots=True)
class Zones:
    """Where services are that no aggregate places: computes, and all others.

    Contract: options default_availability_zone, internal_service_availability_zone.
    """

    of_computes: str = "nova"
    of_others: str = "internal"


class Quota(Protocol):
    """What may be had, and what is: over all cells."""

    def limits(self, project_id: str) -> Mapping[str, int]: ...

    def user_limits(self, project_id: str, user_id: str | None) -> Mapping[str, int]: ...

    def usage(self, project_id: str, user_id: str | None = None) -> tuple[Usage, Usage]: ...


@dataclass(frozen=True, slots=True)
class Stores:
    """What a conductor works on: its own cell's database, the API database, and what spans cells."""

    cell: Any
    api: Any
    quota: Quota
    zones: Zones


@dataclass(frozen=True, slots=True)
class OnClass:
    """A class method: called with (stores, context, its arguments by Nova's names)."""

    run: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class OnObject:
    """A method of an object: called with (stores, context, the object, its arguments)."""

    run: Callable[..., Any]


# (object name, method name) -> how it is done
Methods = Mapping[tuple[str, str], OnClass | OnObject]


def rows_of(stores_of: Callable[[Stores], Any], kind: str, *methods: str) -> Methods:
    """Rows for what most nouns have: create, save, destroy go to the store as they are."""

    def row(method: str) -> OnObject:
        return OnObject(lambda stores, _ctx, item: getattr(stores_of(stores), method)(item))

    return {(kind, method): row(method) for method in methods}


def seen(ctx: Context) -> bool | None:
    """Whether dead rows are asked for: False living, True dead, None both."""
    return {"no": False, "yes": None, "only": True}[ctx.read_deleted]


def expected(states: Any) -> Any:
    """States of a compare-and-swap: on the wire None means that anything will do."""
    if states is None:
        return ANY
    return tuple(states) if isinstance(states, list) else states


def moment(value: Any) -> datetime | None:
    """A time argument, which peers send as text."""
    return datetime.fromisoformat(value) if isinstance(value, str) else value


def flat(lists: Mapping[Any, Iterable[Any]]) -> list[Any]:
    """The items of all lists of a grouped answer."""
    return [item for items in lists.values() for item in items]
