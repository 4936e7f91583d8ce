"""The body of an answer as JSON Schema, from the view that renders it."""

from typing import Any, Final

from openkeel.api.answer_types import type_of
from openkeel.api.schema import PathWindow
from openkeel.api.tables import Field, Operation, RawView, View
from openkeel.api.versions import END

Plain = dict[str, Any]

_ITEMS: Final = "[]"
_ANY_KEY: Final = "*"


class UntypedFieldError(LookupError):
    """A field whose type neither its row nor its name says."""


def answer(operation: Operation, minor: int) -> Plain | None:
    """What an operation answers in a version; None: no body."""
    minor = max(minor, 1)  # /v2 answers like 2.1
    return None if operation.view is None else rendered(operation.view, minor)


def rendered(view: View, minor: int) -> Plain:
    """What a view renders in a version."""
    if isinstance(view, RawView):
        return view.type.at(minor) if view.type else _shaped(_covering(view.shape, minor), "")
    properties: dict[str, Plain] = {}
    required: dict[str, bool] = {}
    for field in view.fields:
        if not field.covers(minor):
            continue
        schema = _value(field, minor)
        # Two rows of a name in one version: two rules decide which of them a caller sees.
        known = properties.get(field.name, schema)
        properties[field.name] = schema if known == schema else {"anyOf": [known, schema]}
        always = field.rule is None and minor < field.optional_since
        required[field.name] = required.get(field.name, False) or always
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name, is_required in required.items() if is_required],
        "additionalProperties": False,
    }


def _value(field: Field, minor: int) -> Plain:
    shape = _covering(field.shape, minor)
    if field.view is not None:
        schema = rendered(field.view, minor)
        if field.many:
            schema = {"type": "array", "items": schema}
    elif shape:
        schema = _shaped(shape, field.name)
    else:
        return _leaf(field, minor)
    return schema if field.type is None else {"anyOf": [schema, field.type.at(minor)]}


def _leaf(field: Field, minor: int) -> Plain:
    schema = field.type or type_of(field.name)
    if schema is None:
        raise UntypedFieldError(
            f"What is {field.name}? Say it by Field(type=...), or for all of that name in answer_types."
        )
    return schema.at(minor)


def _covering(shape: tuple[str | PathWindow, ...], minor: int) -> list[str]:
    windows = [(entry, 0, END) if isinstance(entry, str) else entry for entry in shape]
    return [path for path, since, until in windows if since <= minor < until]


def _shaped(paths: list[str], name: str) -> Plain:
    """Paths below a value as one schema: ["[].rel", "[].href"] is an array of objects.

    What lies below is never required: shapes do not say it.
    """
    below: dict[str, list[str]] = {}
    for path in paths:
        step, rest = _step(path)
        below.setdefault(step, []).append(rest)
    if not below or set(below) == {""} or (type_of(name) and not any(map(_has_name, paths))):
        return _named_leaf(name)
    if _ITEMS in below:
        return {"type": "array", "items": _shaped([rest for rest in below[_ITEMS] if rest], "")}
    schema: Plain = {"type": "object", "additionalProperties": False}
    properties = {}
    for step, rests in below.items():
        if step == _ANY_KEY:
            deeper = [rest for rest in rests if rest]
            schema["additionalProperties"] = _shaped(deeper, "") if deeper else {"type": "string"}
        elif step:
            properties[step] = _shaped([rest for rest in rests if rest], step)
    if properties:
        schema["properties"] = properties
    return schema


def _has_name(path: str) -> bool:
    """Whether a path is more than items and values of whatever key."""
    return bool(path.strip("[].*"))


def _step(path: str) -> tuple[str, str]:
    if path.startswith(_ITEMS):
        return _ITEMS, path[len(_ITEMS) :]
    head, dot, rest = path.removeprefix(".").partition(".")
    key, items, more = head.partition(_ITEMS)
    return key, items + more + dot + rest


def _named_leaf(name: str) -> Plain:
    schema = type_of(name)
    if schema is None:
        raise UntypedFieldError(f"What is {name}? Say it in answer_types.")
    return schema.at(0)
