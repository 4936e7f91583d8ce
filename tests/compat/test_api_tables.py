"""Every operation that is declared, against the contract: versions, codes, bodies, queries, answers."""

import json
import os
import re
from collections import defaultdict
from pathlib import Path

import pytest

from openkeel.cmd.manage import describe

SHARED = Path(os.environ.get("OPENKEEL_SHARED") or Path(__file__).resolve().parents[3] / "shared")
CONTRACTS = SHARED / "contracts"

pytestmark = pytest.mark.skipif(not CONTRACTS.is_dir(), reason="the contract facts are not here")


def facts(name, section):
    return json.loads((CONTRACTS / f"{name}.json").read_text())[section]


def minor(version):
    return max(int(version.split(".")[1]), 1)


def plain(path):
    """Without the schema's own structure: variants, pattern properties, positions."""
    path = re.sub(r"<[^>]*>", "", path)
    path = re.sub(r"/\^.*?\$?/(?=$|\.|\[|<)", "*", path)
    path = re.sub(r"\[\d+\]", "[]", path)
    return re.sub(r"(\[\])+$", "", path)


def versions_of(rows):
    """Per operation and path the set of versions that have it."""
    found = defaultdict(set)
    for row in rows:
        path = plain(row["path"])
        if path not in {"", "$"}:
            key = (row["op"], row.get("in", "response"), path)
            found[key] |= set(range(minor(row["min"]), minor(row["max"]) + 1))
    return found


def declared(rows):
    operations = {_name(route) for route in describe.routes() if not route["removed"]}
    return [row for row in rows if row["op"] in operations]


def _name(route):
    return f"{route['method']} {route['path']}" + (f" #{route['action']}" if route["action"] else "")


def test_routes():
    wanted = {
        one["op"]: (minor(one["min_version"]), minor(one["max_version"]), one["removed"])
        for one in facts("rest_routes", "operations")
    }
    have = {
        _name(one): (minor(one["min_version"]), minor(one["max_version"]), one["removed"])
        for one in describe.routes()
    }
    assert {name: wanted.get(name) for name in have} == have


def test_codes_of_success():
    wanted = {
        one["op"]: {(code["code"], code["min"] and minor(code["min"])) for code in one["success"]}
        for one in facts("rest_routes", "operations")
        if not one["removed"]
    }
    for route in describe.routes():
        if not route["removed"]:
            codes = {code["code"] for code in route["success"]}
            assert codes == {code for code, _ in wanted[_name(route)]}, _name(route)


def test_requests():
    wanted = versions_of(declared(facts("rest_request_fields", "fields")))
    assert versions_of(describe.requests()) == wanted


def test_responses():
    wanted = versions_of(declared(facts("rest_response_fields", "fields")))
    assert versions_of(describe.responses()) == wanted


def test_rules():
    used = {one["op"]: set(one["policies"]) for one in facts("rest_routes", "operations")}
    from openkeel.api.resources import operations

    for operation in operations():
        if operation.is_removed or not operation.rule:
            continue
        assert operation.rule in used[operation.name], operation.name
