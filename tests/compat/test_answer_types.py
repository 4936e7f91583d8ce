"""The types of fields in answers, and which of them may be missing, against the facts about Nova."""

import re
from collections import defaultdict

import pytest

from openkeel.api.reference.answers import answer
from openkeel.api.resources import operations
from openkeel.api.versions import LATEST
from tests.fixtures.contract import facts

# What Nova's schemas let be missing although its answers always have it, and what it never answers.
ALWAYS_THERE = {"local_gb", "memory_mb", "vcpus", "disk_available_least", "key_name", "tls_port"}
ALWAYS_THERE |= {"OS-EXT-SRV-ATTR:hostname", "address"}
NEVER_NULL_IN_NOVA = {"OS-EXT-SRV-ATTR:launch_index", "updated_at"}
# Against its schema: a node of bare metal without a server.
NULL_IN_NOVA = {"node.instance_uuid"}

LIVE = [one for one in operations() if one.view is not None and not one.is_removed]
ANY = {"array", "boolean", "integer", "null", "number", "object", "string"}


def plain(path):
    path = re.sub(r"<[^>]*>", "", path)
    path = re.sub(r"\.?/\^.*?\$?/(?=$|\.|\[|<)", ".*", path)
    path = re.sub(r"\[\d+\]", "[]", path)
    return path.removeprefix("$").removeprefix(".")


def kinds(values):
    names = {bool: "boolean", int: "integer", str: "string", type(None): "null"}
    return {names[type(value)] for value in values}


def declared_by_nova(minor):
    """Per operation and path: types of every variant, and whether each of them requires it."""
    types = defaultdict(set)
    required = defaultdict(list)
    for row in facts("rest_response_fields", "fields"):
        low, high = (max(int(row[end].split(".")[1]), 1) for end in ("min", "max"))
        if not low <= minor <= high:
            continue
        key = row["op"], plain(row["path"])
        if "type" in row:
            types[key] |= set(row["type"])
        elif "enum" in row:
            types[key] |= kinds(row["enum"])
        elif "const" in row:
            types[key] |= kinds([row["const"]])
        elif "format" in row:
            types[key].add("string")
        if not re.search(r"<[^>]*>$", row["path"]) and "required" in row:
            required[key].append(row["required"])
    return types, required


def flat(schema, path=""):
    """Paths with their types."""
    for variant in schema.get("anyOf", ()):
        yield from flat(variant, path)
    kind = schema.get("type", () if "anyOf" in schema else sorted(ANY))
    here = {kind} if isinstance(kind, str) else set(kind)
    yield path, here
    for name, below in schema.get("properties", {}).items():
        yield from flat(below, f"{path}.{name}".removeprefix("."))
    if isinstance(extra := schema.get("additionalProperties"), dict):
        yield from flat(extra, f"{path}.*".removeprefix("."))
    if "items" in schema:
        yield from flat(schema["items"], f"{path}[]")


def required_in(schema, path=""):
    for variant in schema.get("anyOf", ()):
        yield from required_in(variant, path)
    for name, below in schema.get("properties", {}).items():
        deeper = f"{path}.{name}".removeprefix(".")
        if name in schema.get("required", ()):
            yield deeper
        yield from required_in(below, deeper)
    if "items" in schema:
        yield from required_in(schema["items"], f"{path}[]")


@pytest.mark.parametrize("minor", [1, 2, 26, 47, 53, 69, 75, 90, int(LATEST)])
def test_no_value_has_a_type_that_nova_does_not_answer(minor):
    types, _ = declared_by_nova(minor)
    wrong = []
    for operation in LIVE:
        if not operation.covers(minor):
            continue
        ours = defaultdict(set)
        for path, here in flat(answer(operation, minor)):
            ours[path] |= here
        for path, here in ours.items():
            theirs = types.get((operation.name, path))
            if theirs and "number" in theirs:
                theirs = theirs | {"integer"}
            if path.rpartition(".")[2] in NEVER_NULL_IN_NOVA or path in NULL_IN_NOVA:
                here -= {"null"}
            if theirs and not here <= theirs:
                wrong.append((operation.name, path, sorted(here), sorted(theirs)))
    assert wrong == []


@pytest.mark.parametrize("minor", [1, 53, 68, 69, 75, int(LATEST)])
def test_what_is_always_there_is_always_there_in_nova(minor):
    _, required = declared_by_nova(minor)
    wrong = [
        (operation.name, path)
        for operation in LIVE
        if operation.covers(minor)
        for path in required_in(answer(operation, minor))
        if not all(required[operation.name, path]) and path.rpartition(".")[2] not in ALWAYS_THERE
    ]
    assert wrong == []
