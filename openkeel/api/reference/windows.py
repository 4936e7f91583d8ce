"""How schemas change with the versions: every path with its type, from which version to which."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from openkeel.api.forms import BOOLEANS
from openkeel.api.tables import Operation
from openkeel.api.versions import END, text

Plain = Mapping[str, Any]

_COMBINED: Final = ("anyOf", "oneOf", "allOf")
_BOUNDS: Final = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minLength": "at least {} long",
    "maxLength": "at most {} long",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} keys",
    "maxProperties": "at most {} keys",
    "pattern": "`{}`",
}


@dataclass(frozen=True, slots=True)
class Line:
    """A path with what stands there."""

    path: str
    type: str
    is_required: bool


@dataclass(frozen=True, slots=True)
class Window:
    """A line, from a version up to, not including, another."""

    line: Line
    since: int
    until: int

    def within(self, operation: Operation) -> str:
        """The versions as text; empty where they are all that the operation has."""
        return span(self.since, self.until, operation)


def span(since: int, until: int, operation: Operation) -> str:
    """A window as text, as far as it is narrower than the operation's own."""
    low, high = max(since, operation.since, 1), min(until, operation.until, END)
    begins, ends = low > max(operation.since, 1), high < min(operation.until, END)
    if begins and ends:
        return text(low) if low == high - 1 else f"{text(low)} to {text(high - 1)}"
    if begins:
        return f"from {text(low)}"
    return f"to {text(high - 1)}" if ends else ""


def windows(operation: Operation, schema_at: Callable[[int], Plain | None]) -> list[Window]:
    """Every path of a schema that changes with the version, in the order of the first version that has it."""
    edges = [edge for edge in operation.edges() if operation.covers(edge) and edge > 0]
    open_since: dict[Line, int] = {}
    found: dict[str, list[Window]] = defaultdict(list)
    for edge in edges:
        schema = schema_at(edge)
        lines = list(flat(schema)) if schema is not None else []
        for line in [line for line in open_since if line not in lines]:
            found[line.path].append(Window(line, open_since.pop(line), edge))
        for line in lines:
            open_since.setdefault(line, edge)
            found.setdefault(line.path, [])
    for line, since in open_since.items():
        found[line.path].append(Window(line, since, min(operation.until, END)))
    return [window for same in found.values() for window in sorted(same, key=lambda one: one.since)]


def flat(schema: Plain, path: str = "", *, is_required: bool = False) -> Iterator[Line]:
    """Every path of a schema, parents before children, each once."""
    seen: dict[str, Line] = {}
    for line in _walk(schema, path, is_required=is_required):
        seen.setdefault(line.path, line)
    yield from seen.values()


def _walk(schema: Plain, path: str, *, is_required: bool) -> Iterator[Line]:
    if path:
        yield Line(path, words(schema), is_required)
    for keyword in _COMBINED:
        for variant in schema.get(keyword, ()):
            yield from _below(variant, path)
    yield from _below(schema, path)


def _below(schema: Plain, path: str) -> Iterator[Line]:
    required = schema.get("required", ())
    for name, value in schema.get("properties", {}).items():
        yield from _walk(value, f"{path}.{name}".lstrip("."), is_required=name in required)
    free = [
        *schema.get("patternProperties", {}).values(),
        *([extra] if isinstance(extra := schema.get("additionalProperties"), Mapping) else []),
    ]
    for value in free:
        yield from _walk(value, f"{path}.*".lstrip("."), is_required=False)
    if isinstance(items := schema.get("items"), Mapping):
        if "properties" in items or any(keyword in items for keyword in _COMBINED):
            yield from _below_items(items, f"{path}[]")
        else:
            yield from _below(items, f"{path}[]")


def _below_items(items: Plain, path: str) -> Iterator[Line]:
    for keyword in _COMBINED:
        for variant in items.get(keyword, ()):
            yield from _below(variant, path)
    yield from _below(items, path)


def words(schema: Plain) -> str:
    """A schema in words: "string (uuid) or null"."""
    for keyword in _COMBINED:
        if keyword in schema:
            parts = dict.fromkeys(words(variant) for variant in schema[keyword])
            return (" and " if keyword == "allOf" else " or ").join(parts)
    if "const" in schema:
        return f"`{_value(schema['const'])}`"
    if "enum" in schema:
        return _choice(schema["enum"])
    kinds = schema.get("type", "anything")
    names = [kinds] if isinstance(kinds, str) else list(kinds)
    said = " or ".join(_kind(name, schema) for name in names)
    bounds = [words.format(schema[keyword]) for keyword, words in _BOUNDS.items() if keyword in schema]
    return ", ".join([said, *bounds])


def _kind(name: str, schema: Plain) -> str:
    if name == "array" and isinstance(schema.get("items"), Mapping):
        return f"list of {words(schema['items'])}"
    if name == "string" and "format" in schema:
        return f"string ({schema['format']})"
    return {"array": "list"}.get(name, name)


def _choice(values: Sequence[Any]) -> str:
    if list(values) == BOOLEANS:
        return "boolean, or a word for it"
    return " or ".join(f"`{_value(value)}`" for value in values)


def _value(value: Any) -> str:
    return (
        {None: "null", True: "true", False: "false", "": '""'}.get(value, str(value))
        if (value is None or isinstance(value, bool | str))
        else str(value)
    )
