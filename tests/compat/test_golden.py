"""The golden files of writing operations against what is known of Nova: its contract, and what it answered.

The contract says which codes and which keys an operation has in a version, and when it changes; the
recordings of nova 34.0.0 hold real answers, of which one must have no keys that ours has not.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from openkeel.api.versions import LATEST
from tests.compat.test_request_validation import here, minor, steps
from tests.fixtures.contract import SHARED, facts
from tests.functional.golden import files
from tests.functional.golden.writes import WRITES

RECORDINGS = SHARED / "tools" / "apidiff" / "recordings"
GOLDEN = files.read()
# Codes of success that Nova's handlers set themselves without the contract seeing it.
MORE_CODES = {"POST /os-server-external-events": {207}}
# Refused in every version, and still no removed operations.
REFUSED = re.compile("/os-baremetal-nodes")

# In the recordings other actions go under these names too.
MIXED_UP = {"POST /servers/{id}/action #os-start", "POST /servers/{id}/action #os-stop"}

Leaves = dict[str, Any]


@cache
def routes() -> dict[str, Any]:
    return {row["op"]: row for row in facts("rest_routes", "operations")}


@cache
def rows_of(file: str) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in facts(file, "fields"):
        found[row["op"]].append(row)
    return found


def entries() -> Iterator[tuple[str, int, Leaves]]:
    """What the files say, by operation and version."""
    for name, told in GOLDEN.items():
        for version, entry in files.flat(told).items():
            yield name, 0 if version == "/v2" else minor(version), entry


def below(entry: Leaves, part: str) -> Leaves:
    """The leaves of what was sent or said."""
    return {
        path[len(part) :].lstrip("."): value
        for path, value in entry.items()
        if path == part or path.startswith((f"{part}.", f"{part}["))
    }


def keys(value: Any, at: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """Every key by its place; items of lists are all in one place."""
    if isinstance(value, dict):
        return {place for key, one in value.items() for place in ((*at, key), *keys(one, (*at, key)))}
    if isinstance(value, list):
        return {place for one in value for place in keys(one, (*at, "[]"))}
    return set()


def whole(leaves: Leaves) -> Any:
    """Leaves put together again; keys with dots in them stay as they are, wrongly cut."""
    found: dict[str, Any] = {}
    for path, value in leaves.items():
        inner = found
        *above, last = path.split(".")
        for step in above:
            inner = inner.setdefault(step, {})
        key, item, _ = last.partition("[")
        if item:
            inner.setdefault(key, []).append(value)
        else:
            inner[key] = value
    return found


def is_in(row: dict[str, Any], version: int) -> bool:
    low, high = row["min"], row["max"]
    return (low is None or minor(low) <= version) and (high is None or version <= minor(high))


def test_codes_are_those_of_the_contract():
    for name, version, entry in entries():
        route = routes()[name]
        covers = minor(route["min_version"]) <= max(version, 1) <= minor(route["max_version"])
        status = entry["status"]
        if route["removed"] or REFUSED.search(name):
            assert status in {400, 410} if covers else status == 404, (name, version)
        elif covers:
            codes = {row["code"] for row in route["success"] if is_in(row, version)}
            codes |= {*route["success_set_in_body"], *MORE_CODES.get(name, ())}
            assert status in codes, (name, version)
        else:
            assert status == 404, (name, version)


def test_no_version_that_changes_an_operation_is_missing():
    for name, told in GOLDEN.items():
        asked = {version for entry in told for version in entry["in"]}
        route = routes()[name]
        low, high = minor(route["min_version"]), minor(route["max_version"])
        changes = [
            one for one in range(max(low, 1) + 1, high + 1) if _seen(name, one) != _seen(name, one - 1)
        ]
        wanted = {f"2.{one}" for start in changes for one in (start - 1, start)}
        wanted |= {f"2.{one}" for one in (low - 1, low, high, high + 1) if 1 <= one <= LATEST}
        assert wanted - asked == set(), name


def _seen(name: str, version: int) -> tuple[Any, ...]:
    """What a client sees of an operation in a version; not what bounds a value has."""
    rows = [*rows_of("rest_request_fields")[name], *rows_of("rest_response_fields")[name]]
    known = {(row["in"], _place(row), row.get("additional_properties")) for row in here(rows, version)}
    codes = {row["code"] for row in routes()[name]["success"] if is_in(row, version)}
    return known, codes


@pytest.mark.parametrize(
    ("part", "file"), [("sends", "rest_request_fields"), ("says", "rest_response_fields")]
)
def test_keys_are_those_of_the_contract(part, file):
    looked_at = 0
    for name, version, entry in entries():
        content = whole(below(entry, part))
        # Of /v2 the contract has not everything; else a refusal, or no object.
        if version == 0 or entry["status"] >= 400 or "" in content:
            continue
        rows = [row for row in here(rows_of(file)[name], version) if row.get("in") != "query"]
        known = {tuple("[]" if one == 0 else one for one in steps(row["path"])) for row in rows}
        required = {
            place for row in rows if row.get("required") and "<" not in row["path"] and (place := _place(row))
        }
        if not known:  # nothing is asked of the body in this version
            continue
        have = keys(content)
        open_ = {place[:-1] for place in known if place and place[-1] in {"*", "key"}}
        open_ |= {_place(row) for row in rows if _is_open(row)} - {()}
        strange = {place for place in have - known if not any(place[: len(one)] == one for one in open_)}
        assert not strange, (name, version, strange)
        if part == "says":
            at_hand = {one for one in required if one[:-1] in have or len(one) == 1}
            assert at_hand - have == set(), (name, version)
        looked_at += 1
    assert looked_at > 150


def _is_open(row: dict[str, Any]) -> bool:
    """Whether anything may stand below."""
    kinds = row.get("type")
    if kinds is None:
        return "additional_properties" not in row and "<" not in row["path"]
    return "object" in kinds and row.get("additional_properties") is True


def _place(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple("[]" if one == 0 else str(one) for one in steps(row["path"]))


def test_every_property_of_a_request_is_sent_in_some_version():
    """Else its breakpoint would be one in which nothing happens."""
    for name, write in WRITES.items():
        rows = [row for row in rows_of("rest_request_fields")[name] if row["in"] == "body"]
        sent = {
            place
            for version, entry in files.flat(GOLDEN[name]).items()
            if version != "/v2"
            for place in keys(whole(below(entry, "sends")))
        }
        for row in rows:
            place = _place(row)
            if not place or "<" in row["path"] or "/" in row["path"] or place[-1] in {"[]", "*"}:
                continue
            if any(step in write.never for step in place):
                continue
            assert place in sent, (name, row["path"])


@cache
def recorded() -> dict[str, list[tuple[int, dict[str, Any], dict[str, str]]]]:
    """What nova answered well, by operation: version, answer, headers."""
    if not RECORDINGS.is_dir():
        pytest.skip(f"no recordings beside the repository (set OPENKEEL_SHARED): {RECORDINGS.name}")
    found: dict[str, list[tuple[int, dict[str, Any], dict[str, str]]]] = defaultdict(list)
    for path in sorted(RECORDINGS.glob("*.json")):
        recording = json.loads(path.read_text())
        for step in recording["steps"]:
            for answer in step["answers"]:
                for version in answer["mv"]:
                    if answer.get("st", 999) < 300 and version.startswith("2."):
                        headers = recording["headers"][answer["h"]] if "h" in answer else {}
                        found[step["op"]].append((minor(version), answer, headers))
    return found


def test_nova_answered_so():
    compared, wrong = 0, []
    for name, version, entry in entries():
        answers = [(one, headers) for at, one, headers in recorded()[name] if at == version]
        if entry["status"] >= 300 or not answers or name in MIXED_UP:
            continue
        compared += 1
        said = whole(below(entry, "says"))
        ours, theirs = _comparable(said), [(one["st"], _comparable(one.get("b") or {})) for one, _ in answers]
        # Ours has as much in it as may be; that nothing strange is there is asked above.
        if not any(status == entry["status"] and content <= ours for status, content in theirs):
            wrong.append((name, version, entry["status"], sorted(ours), theirs))
        if "location" in answers[0][1] and entry["status"] == answers[0][0]["st"]:
            assert "headers.location" in entry, (name, version)
        kinds = {headers.get("content-type") for _, headers in answers}
        assert entry.get("headers.content-type", "application/json") in kinds, (name, version, kinds)
    assert wrong == []
    assert compared > 100


def _comparable(content: Any) -> frozenset[tuple[str, ...]]:
    """Keys without those that are data, such as of metadata and networks."""
    free = {"metadata", "meta", "extra_specs", "addresses", "properties", "scheduler_hints"}
    return frozenset(
        place for place in keys(content) if not any(step in free for step in place[:-1]) and place[-1] != "[]"
    )
