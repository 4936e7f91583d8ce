"""What bodies and queries operations take, on both sides of every version that changes them.

The windows are the contract's, not our tables': for each version at which a row of it begins or ends, and
the one before, the least body passes, a property that nobody knows is refused where objects are closed
there, a value of another type is refused with the name of its place, and a property that is not there yet
is one that nobody knows.

Asked over HTTP. Handlers only say that they were reached, so that nothing but the validation decides.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from openkeel.api.errors import Fault
from openkeel.api.resources import operations
from openkeel.api.tables import ANYONE, Operation
from openkeel.api.versions import LATEST, text
from tests.fixtures.api_client import caller, enforcer
from tests.fixtures.contract import facts
from tests.fixtures.samples import least, sample

LET_IN = 418
UNKNOWN = "nobody!knows"  # of no pattern either
OPERATIONS = {one.name: one for one in operations() if not one.is_removed}
# One value of each JSON type, those that are never meant first.
OF_TYPE = {
    "object": {UNKNOWN: {}},
    "array": [[]],
    "number": 1.5,
    "boolean": True,
    "string": "x",
    "null": None,
}
_STEP = re.compile(r"/(?P<key>\^[^/]*)/|<\w+:\d+>|(?P<item>\[\d*\])|(?P<name>[^.\[<]+)")

Rows = list[dict[str, Any]]


def minor(version: str) -> int:
    return int(version.split(".")[1])


@cache
def rows_of(kind: str) -> dict[str, Rows]:
    """What the contract says of bodies or queries, by operation that we have."""
    found: dict[str, Rows] = defaultdict(list)
    for row in facts("rest_request_fields", "fields"):
        if row["in"] == kind and row["op"] in OPERATIONS:
            found[row["op"]].append(row)
    return found


def here(rows: Rows, version: int) -> Rows:
    return [row for row in rows if minor(row["min"]) <= version <= minor(row["max"])]


def sides(operation: Operation, rows: Rows) -> list[int]:
    """Both sides of each version at which the contract changes."""
    starts = {edge for row in rows for edge in (minor(row["min"]), minor(row["max"]) + 1)}
    found = {one for start in starts for one in (start - 1, start)}
    return sorted(one for one in found if 1 <= one <= LATEST and operation.covers(one))


def steps(path: str) -> list[str | int]:
    """A path of the contract: keys, 0 for an item, "key" for a property by a pattern."""
    found: list[str | int] = []
    for step in _STEP.finditer("" if path == "$" else path.removeprefix("$")):
        if step["key"]:
            found.append("key")
        elif step["item"]:
            found.append(0)
        elif step["name"]:
            found.append(step["name"])
    return found


def places(rows: Rows) -> dict[tuple[str | int, ...], Rows]:
    """Rows by the place they are about: those of variants belong to the place that varies."""
    found: dict[tuple[str | int, ...], Rows] = defaultdict(list)
    for row in rows:
        found[tuple(steps(row["path"]))].append(row)
    return found


def with_place(schema: dict[str, Any], place: tuple[str | int, ...], value: Any) -> Any:
    """The least that the schema takes, with something at a place in it."""
    if not place:
        return value
    for keyword in ("oneOf", "anyOf"):
        for variant in schema.get(keyword, ()):
            if _has(variant, place[0]):
                return with_place(variant, place, value)
    step, *rest = place
    if isinstance(step, int):
        return [with_place(schema["items"], tuple(rest), value)]
    body = least(schema)
    body = dict(body) if isinstance(body, dict) else {}
    below = schema.get("properties", {}).get(step)
    if below is None:
        below = next(iter(schema.get("patternProperties", {}).values()), {})
        body = {} if schema.get("maxProperties") == 1 else body
    return {**body, step: with_place(below, tuple(rest), value)}


def _has(schema: dict[str, Any], step: str | int) -> bool:
    if isinstance(step, int):
        return "items" in schema
    return step in schema.get("properties", {}) or step in schema.get("patternProperties", {})


@pytest.fixture(scope="module")
def ask():
    def reached(_request: Any) -> None:
        raise Fault(LET_IN, "let in")

    rows = tuple(replace(one, handler=reached, target=None, rule=ANYONE) for one in operations())
    client = caller(None, enforcer(), rows)

    def asking(operation: Operation, version: int, body: Any = None, query: str = "") -> tuple[int, str]:
        path = re.sub(r"\{\w+\}", "1", operation.path)
        answer = client(operation.method, f"/v2.1{path}{query}", body, version=text(version))
        return answer.status_code, answer.text

    return asking


def bodies() -> Iterator[tuple[Operation, int, dict[str, Any], Rows]]:
    """Operations with a body, in the versions worth asking: our schema of it, and the contract's rows."""
    for name, rows in sorted(rows_of("body").items()):
        operation = OPERATIONS[name]
        for version in sides(operation, rows):
            body = next(
                (one for one in (operation.body, *operation.bodies) if one and one.covers(version)), None
            )
            known = here(rows, version)
            if any(row["path"] != "$" for row in known):  # else nothing is asked of the body
                assert body is not None, (name, version)
                yield operation, version, body.at(version), known


def test_the_least_body_passes(ask):
    asked = 0
    for operation, version, schema, _ in bodies():
        status, said = ask(operation, version, sample(schema))
        assert status == LET_IN, (operation.name, text(version), said)
        asked += 1
    assert asked > 100


def test_what_nobody_knows_is_refused_where_the_contract_closes_an_object(ask):
    refused = passed = 0
    for operation, version, schema, rows in bodies():
        for place, about in places(rows).items():
            said_of_more = {row["additional_properties"] for row in about if "additional_properties" in row}
            if len(said_of_more) != 1 or any("<" in row["path"] for row in about):
                continue
            open_, at = said_of_more.pop(), (*place, UNKNOWN)
            body = with_place(schema, place, {**_object(schema, place), UNKNOWN: 1})
            status, said = ask(operation, version, body)
            where = (operation.name, text(version), at, said)
            if open_ is False:
                assert status == 400, where
                assert UNKNOWN in said or operation.action, where
                refused += 1
            else:
                assert status == (LET_IN if operation.action is None or place else 400), where
                passed += 1
    assert refused > 150
    assert passed > 10


def _object(schema: dict[str, Any], place: tuple[str | int, ...]) -> dict[str, Any]:
    """The least object at a place."""
    for step in place:
        for keyword in ("oneOf", "anyOf"):
            schema = next((one for one in schema.get(keyword, ()) if _has(one, step)), schema)
        if isinstance(step, int):
            schema = schema["items"]
        else:
            free = next(iter(schema.get("patternProperties", {}).values()), {})
            schema = schema.get("properties", {}).get(step, free)
    found = least(schema)
    return found if isinstance(found, dict) else {}


def test_a_value_of_another_type_is_refused_by_name(ask):
    asked = 0
    for operation, version, schema, rows in bodies():
        for place, about in places(rows).items():
            types = {kind for row in about for kind in row.get("type", ())}
            if not types or not place:
                continue
            if "number" in types:
                types.add("integer")
            wrong = next(value for kind, value in OF_TYPE.items() if kind not in types)
            status, said = ask(operation, version, with_place(schema, place, wrong))
            where = (operation.name, text(version), place, said)
            assert status == 400, where
            assert any(_names(said, place[:end]) for end in range(len(place), 0, -1)), where
            asked += 1
    assert asked > 500


def _names(said: str, place: tuple[str | int, ...]) -> bool:
    return f"Invalid input for {'.'.join(map(str, place))}: " in said


def test_a_property_is_refused_before_it_comes_and_after_it_went(ask):
    """As one that nobody knows: where the object that it would stand in is closed."""
    asked = 0
    for name, rows in sorted(rows_of("body").items()):
        operation = OPERATIONS[name]
        every = {place for place in places(rows) if place and isinstance(place[-1], str)}
        for version in sides(operation, rows):
            known = places(here(rows, version))
            body = next(
                (one for one in (operation.body, *operation.bodies) if one and one.covers(version)), None
            )
            for place in sorted(every - set(known), key=str):
                above = known.get(place[:-1], [])
                if not any(row.get("additional_properties") is False for row in above) or body is None:
                    continue
                schema = body.at(version)
                asked_with = with_place(schema, place[:-1], {**_object(schema, place[:-1]), place[-1]: "x"})
                status, said = ask(operation, version, asked_with)
                assert status == 400, (name, text(version), place, said)
                assert str(place[-1]) in said, (name, text(version), place, said)
                asked += 1
    assert asked > 20


def test_a_required_property_is_missed_by_name(ask):
    asked = 0
    for operation, version, schema, rows in bodies():
        for place, about in places(rows).items():
            if not place or operation.action or not any(row.get("required") for row in about):
                continue
            body = with_place(schema, place, None)
            inner = body
            for step in place[:-1]:
                inner = inner[step]
            if not isinstance(inner, dict):
                continue
            del inner[place[-1]]
            status, said = ask(operation, version, body)
            assert status == 400, (operation.name, text(version), place, said)
            asked += 1
    assert asked > 100


def test_queries_are_strict_from_the_version_on_that_the_contract_says(ask):
    refused = passed = 0
    for name, rows in sorted(rows_of("query").items()):
        operation = OPERATIONS[name]
        if operation.path == "/":  # answered before there are operations
            continue
        body = None
        for version in sides(operation, rows):
            roots = [row for row in here(rows, version) if row["path"] == "$"]
            if not roots or "type" not in roots[0]:  # images' metadata: Nova fails there
                continue
            if operation.body is not None and operation.body.covers(version):
                body = sample(operation.body.at(version))
            required = "".join(f"&{row['path']}=%7B%7D" for row in here(rows, version) if row.get("required"))
            status, said = ask(operation, version, body, f"?{UNKNOWN}=1{required}")
            where = (name, text(version), said)
            if roots[0].get("additional_properties") is False:
                assert status == 400, where
                assert UNKNOWN in said, where
                refused += 1
            else:
                assert status == LET_IN, where
                passed += 1
    assert refused > 50
    assert passed > 50
