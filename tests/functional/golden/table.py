"""What is asked of an operation, so that its answer can be held against a golden file.

A row names the operation, what must be there before (tests.functional.golden.things), and a body with
everything in it that any version takes. What a version does not take is left out of what is sent to it
(`fitting`), so one body serves all of them, and a property that comes later shows up where it comes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from openkeel.api.schema import NoBody
from openkeel.api.tables import Operation
from openkeel.api.validation import Validator, pattern
from openkeel.domain.errors import Invalid


@dataclass(frozen=True)
class Write:
    """One operation, and how to ask for it.

    Args:
        operation: its name, as `Operation.name`.
        ids: what stands in the path, in order. "$server" is the id of a thing.
        body: all that any version takes; "$server" in it as well.
        needs: things that are made first, beyond those that `ids` and `body` name.
        look: the path whose answer shows what it did; by default nothing is looked at. "$new" is the id
            that the answer gave.
        look_in: the version in which that is asked.
        new: where in the answer the id of what was made stands, for example "keypair.name".
        forget: the paths by which what was made is deleted again, if `look` is not the one.
        query: the query string.
        who: who asks.
        never: properties that are not in the body, and why.
    """

    operation: str
    ids: tuple[str, ...] = ()
    body: Any = None
    needs: tuple[str, ...] = ()
    look: str = ""
    look_in: str = "2.104"
    new: str = ""
    forget: tuple[str, ...] = ()
    query: str = ""
    who: str = "admin"
    never: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Either:
    """In a body: the first of these that the version takes."""

    choices: tuple[Any, ...]


def either(*choices: Any) -> Either:
    return Either(choices)


def body_of(operation: Operation, minor: int, full: Any) -> Any:
    """What is sent to an operation in a version; None: no body at all."""
    body = next((one for one in (operation.body, *operation.bodies) if one and one.covers(minor)), None)
    if isinstance(body, NoBody):
        return None
    if body is None:
        return full if full is not None else ({operation.action: None} if operation.action else None)
    return fitting(full, body.at(minor))


def fitting(value: Any, schema: Mapping[str, Any]) -> Any:
    """A value without what the schema does not know."""
    if isinstance(value, Either):
        return next(found for one in value.choices if accepts(schema, found := fitting(one, schema)))
    for keyword in ("oneOf", "anyOf"):
        for variant in schema.get(keyword, ()):
            if accepts(variant, found := fitting(value, variant)):
                return found
    if isinstance(value, dict):
        known = {key: _below(schema, key) for key in value}
        return {key: fitting(one, known[key]) for key, one in value.items() if known[key] is not None}
    if isinstance(value, list):
        items = [fitting(one, schema.get("items", {})) for one in value]
        return [one for one in items if accepts(schema.get("items", {}), one)]
    return value


def _below(schema: Mapping[str, Any], key: str) -> Any:
    """The schema of a property; None if it may not be there."""
    if key in schema.get("properties", {}):
        return schema["properties"][key]
    for name, one in schema.get("patternProperties", {}).items():
        if pattern(name).search(key):
            return one
    extra = schema.get("additionalProperties", True)
    if isinstance(extra, dict):
        return extra
    return {} if extra else None


def accepts(schema: Mapping[str, Any], value: Any) -> bool:
    try:
        Validator(schema).check(value)
    except Invalid:
        return False
    return True
