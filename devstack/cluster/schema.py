"""Structural schemas: what a field may be, which fields there are, which lists merge by key.

The schemas themselves are the published ones, in `schemas/`. A `Node` is one place in a schema, with its
references resolved.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import orjson

from devstack.cluster.errors import Cause

FOLDER: Final = Path(__file__).parent / "schemas"
_REFERENCE: Final = "#/definitions/"


@dataclass(slots=True, eq=False)
class Node:
    """One place in a schema. `values` is the schema of a map's values, `items` that of a list's items."""

    name: str
    types: frozenset[str] = frozenset()
    properties: dict[str, "Node"] = field(default_factory=dict)
    values: "Node | None" = None
    items: "Node | None" = None
    required: tuple[str, ...] = ()
    enum: tuple[Any, ...] = ()
    pattern: re.Pattern[str] | None = None
    format: str = ""
    nullable: bool = False
    int_or_string: bool = False
    keeps_unknown: bool = False
    atomic: bool = False
    is_set: bool = False
    list_keys: tuple[str, ...] = ()
    merge_key: str = ""
    max_items: int | None = None

    def child(self, name: str) -> "Node | None":
        """The schema of a field, if it is declared."""
        return self.properties.get(name) or self.values


ANYTHING: Final = Node("anything", keeps_unknown=True)


class Schemas:
    """All definitions, built on first use of each."""

    def __init__(self, definitions: Mapping[str, Mapping[str, Any]]) -> None:
        self.definitions = definitions
        self._nodes: dict[str, Node] = {}

    def node(self, name: str) -> Node:
        node = self._nodes.get(name)
        if node is None:
            node = self._nodes[name] = Node(name)
            self._fill(node, self.definitions[name])
        return node

    def _build(self, schema: Mapping[str, Any], name: str) -> Node:
        reference = schema.get("$ref")
        if reference:
            return self.node(reference.removeprefix(_REFERENCE))
        node = Node(name)
        self._fill(node, schema)
        return node

    def _fill(self, node: Node, schema: Mapping[str, Any]) -> None:
        types = schema.get("type", ())
        types = {types} if isinstance(types, str) else set(types)
        node.nullable = bool(schema.get("nullable")) or "null" in types
        node.types = frozenset(types - {"null"})
        node.properties = {
            key: self._build(part, f"{node.name}.{key}") for key, part in schema.get("properties", {}).items()
        }
        values = schema.get("additionalProperties")
        if isinstance(values, Mapping):
            node.values = self._build(values, f"{node.name}.*")
        items = schema.get("items")
        if items is not None:
            node.items = self._build(items, f"{node.name}[]")
        node.required = tuple(schema.get("required", ()))
        node.enum = tuple(schema.get("enum", ()))
        node.pattern = re.compile(schema["pattern"]) if "pattern" in schema else None
        node.format = schema.get("format", "")
        node.int_or_string = bool(schema.get("x-kubernetes-int-or-string"))
        node.keeps_unknown = bool(schema.get("x-kubernetes-preserve-unknown-fields"))
        list_type = schema.get("x-kubernetes-list-type", "")
        node.is_set = list_type == "set"
        node.list_keys = tuple(schema.get("x-kubernetes-list-map-keys", ())) if list_type == "map" else ()
        node.atomic = schema.get("x-kubernetes-map-type") == "atomic" or (
            "array" in node.types and not node.is_set and not node.list_keys
        )
        node.merge_key = schema.get("x-kubernetes-patch-merge-key", "")
        node.max_items = schema.get("maxItems")


@cache
def published() -> Schemas:
    """The schemas in this package."""
    definitions: dict[str, Any] = {}
    for path in sorted(FOLDER.glob("*.json")):
        definitions.update(orjson.loads(path.read_bytes())["definitions"])
    return Schemas(definitions)


@dataclass(slots=True)
class Findings:
    """What a look at an object found: values that break the schema, fields it does not know."""

    causes: list[Cause] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


def examine(obj: dict[str, Any], node: Node, *, nulls_are_absent: bool = False) -> Findings:
    """Check an object and prune from it, in place, what the schema does not declare.

    `nulls_are_absent` is how the built-in kinds read null; custom kinds refuse it unless it is nullable.
    """
    findings = Findings()
    _Examination(findings, nulls_are_absent=nulls_are_absent).object(obj, node, "")
    return findings


class _Examination:
    def __init__(self, findings: Findings, *, nulls_are_absent: bool) -> None:
        self._findings = findings
        self._nulls_are_absent = nulls_are_absent

    def object(self, value: dict[str, Any], node: Node, path: str) -> None:
        for name in [*value]:
            child = node.child(name)
            where = f"{path}.{name}" if path else name
            part = value[name]
            if child is None:
                if not node.keeps_unknown:
                    del value[name]
                    self._findings.unknown.append(where)
            elif part is None and not child.nullable and not child.keeps_unknown:
                if self._nulls_are_absent:
                    del value[name]
                else:
                    self._wrong_type(child, part, where)
            elif part is not None:
                self.value(part, child, where)
        for name in node.required:
            if name not in value:
                where = f"{path}.{name}" if path else name
                self._findings.causes.append(Cause(where, "FieldValueRequired", "Required value"))

    def value(self, value: Any, node: Node, path: str) -> None:
        if node.int_or_string:
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                self._wrong_type(node, value, path)
            elif isinstance(value, str) and node.pattern and not node.pattern.search(value):
                self._mismatch(node.pattern, value, path)
            return
        if node.types and not _fits(value, node.types):
            self._wrong_type(node, value, path)
            return
        if isinstance(value, dict):
            self.object(value, node, path)
        elif isinstance(value, list):
            self._list(value, node, path)
        elif node.enum and value not in node.enum:
            allowed = ", ".join(f'"{each}"' for each in node.enum)
            message = f'Unsupported value: "{value}": supported values: {allowed}'
            self._findings.causes.append(Cause(path, "FieldValueNotSupported", message))
        elif node.pattern and isinstance(value, str) and not node.pattern.search(value):
            self._mismatch(node.pattern, value, path)

    def _list(self, value: list[Any], node: Node, path: str) -> None:
        if node.max_items is not None and len(value) > node.max_items:
            message = f"Too many: {len(value)}: must have at most {node.max_items} items"
            self._findings.causes.append(Cause(path, "FieldValueTooMany", message))
        items = node.items or ANYTHING
        for index, part in enumerate(value):
            self.value(part, items, f"{path}[{index}]")
        for index, again in _duplicates(value, node):
            message = f"Duplicate value: {orjson.dumps(again).decode()}"
            self._findings.causes.append(Cause(f"{path}[{index}]", "FieldValueDuplicate", message))

    def _wrong_type(self, node: Node, value: Any, path: str) -> None:
        wanted = "string" if node.int_or_string else ",".join(sorted(node.types)) or "object"
        found = _type_name(value)
        message = f'Invalid value: "{found}": {path} in body must be of type {wanted}: "{found}"'
        self._findings.causes.append(Cause(path, "FieldValueTypeInvalid", message))

    def _mismatch(self, pattern: re.Pattern[str], value: str, path: str) -> None:
        message = f"Invalid value: \"{value}\": {path} in body should match '{pattern.pattern}'"
        self._findings.causes.append(Cause(path, "FieldValueInvalid", message))


def _duplicates(value: list[Any], node: Node) -> Iterator[tuple[int, Any]]:
    if not node.list_keys and not node.is_set:
        return
    seen: set[bytes] = set()
    for index, part in enumerate(value):
        identity = {key: part.get(key) for key in node.list_keys} if isinstance(part, dict) else part
        mark = orjson.dumps(identity)
        if mark in seen:
            yield index, identity
        seen.add(mark)


_PYTHON_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}


def _fits(value: Any, types: frozenset[str]) -> bool:
    if isinstance(value, bool):
        return "boolean" in types
    if isinstance(value, float) and value.is_integer() and "integer" in types:
        return True
    return any(isinstance(value, _PYTHON_TYPES[name]) for name in types if name != "boolean")


def _type_name(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return next(name for name, types in _PYTHON_TYPES.items() if isinstance(value, types))
