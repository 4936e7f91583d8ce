"""Which parts a wish means, and that the table makes sense."""

from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from devstack.lib.part import Part


class UnknownPart(Exception):
    """A name that is neither a part nor a group."""


def ordered(parts: Sequence[Part]) -> list[Part]:
    """The parts, needs before needers.

    Raises:
        UnknownPart: a need names no part.
        CycleError: parts need each other.
    """
    by_name = {part.name: part for part in parts}
    for part in parts:
        if missing := [need for need in part.needs if need not in by_name]:
            raise UnknownPart(f"{part.name} needs {', '.join(missing)}")
    return [
        by_name[name] for name in TopologicalSorter({part.name: part.needs for part in parts}).static_order()
    ]


def named(parts: Sequence[Part], names: Iterable[str]) -> list[Part]:
    """The parts that names of parts or groups mean."""
    chosen: list[Part] = []
    for name in names:
        found = [part for part in parts if name in {part.name, part.group}]
        if not found:
            groups = ", ".join(dict.fromkeys(part.group for part in parts))
            raise UnknownPart(f"'{name}' is no part and no group (groups: {groups})")
        chosen += [part for part in found if part not in chosen]
    return chosen


def with_needs(parts: Sequence[Part], wanted: Iterable[Part]) -> list[Part]:
    """The wanted parts and everything below them, in order."""
    by_name: Mapping[str, Part] = {part.name: part for part in parts}
    waiting, closed = [part.name for part in wanted], set[str]()
    while waiting:
        name = waiting.pop()
        if name not in closed:
            closed.add(name)
            waiting += by_name[name].needs
    return [part for part in ordered(parts) if part.name in closed]


def until(parts: Sequence[Part], name: str) -> list[Part]:
    """Everything of the groups up to the one named (or the named part's), in table order."""
    last = named(parts, [name])[-1].group
    groups = list(dict.fromkeys(part.group for part in parts))
    wanted = groups[: groups.index(last) + 1]
    return with_needs(parts, [part for part in parts if part.group in wanted])


__all__ = ["CycleError", "UnknownPart", "named", "ordered", "until", "with_needs"]
