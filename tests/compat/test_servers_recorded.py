"""Servers as Nova 34 answered them, version by version: same keys, same kinds of values.

The recordings are not part of this repository; without them there is nothing to compare with.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.db import api_database, cell_database, cells, database_templates
from tests.fixtures.server_world import ServerWorld

__all__ = ["api_database", "cell_database", "cells", "database_templates"]

SHARED = Path(os.environ.get("OPENKEEL_SHARED") or Path(__file__).resolve().parents[3] / "shared")
RECORDINGS = SHARED / "tools" / "apidiff" / "recordings"
pytestmark = pytest.mark.skipif(
    not RECORDINGS.is_dir(), reason="needs the recordings of apidiff (OPENKEEL_SHARED)"
)

Paths = set[tuple[str, str]]


@pytest.fixture
def world(cells: Any) -> ServerWorld:
    world = ServerWorld(cells)
    # As in the recorded deployment: a server is not given a network nobody asked for.
    world.neutron.server.remove_network(world.network)
    return world


def answers(scenario: str, step: str) -> list[dict[str, Any]]:
    recording = json.loads((RECORDINGS / f"{scenario}.json").read_text())
    (found,) = [one for one in recording["steps"] if one["id"] == step]
    return [answer | {"version": version} for answer in found["answers"] for version in answer["mv"]]


def paths(value: Any, at: str = "") -> Paths:
    """Every path in an answer with the kind of what stands there."""
    if isinstance(value, dict):
        return {(at, "object")} | {pair for key, one in value.items() for pair in paths(one, f"{at}.{key}")}
    if isinstance(value, list):
        return {(at, "list")} | {pair for one in value for pair in paths(one, f"{at}[]")}
    if isinstance(value, bool):
        return {(at, "bool")}
    if isinstance(value, int):
        return {(at, "int")}
    # Placeholders of the recording are texts, and so is what they stand for.
    return {(at, "null" if value is None else "text")}


@pytest.mark.parametrize("step", ["1", "2"])
def test_a_server_is_created_and_shown_as_recorded(world, step):
    for recorded in answers("servers-create-edges", step):
        version = recorded["version"]
        body = world.body(networks=... if step == "1" else "none")
        created = world.member("POST", "/v2.1/servers", body, version=version)
        assert created.status_code == recorded["st"], version
        assert paths(created.json) == paths(recorded["b"]), version
        shown = world.show(created.json["server"]["id"], version=version)
        assert paths({"server": shown}) == paths(recorded["then"]["b"]), version


def test_a_server_with_metadata_and_config_drive_is_shown_as_recorded(world):
    for recorded in answers("servers-create-hostname-shown", "2"):
        version = recorded["version"]
        uuid = world.boot("u", version=version, user_data="aGVsbG8=", config_drive=True, metadata={"a": "b"})
        shown = world.show(uuid, version=version)
        expected = recorded["then"]["b"]["server"]
        assert paths(shown) == paths(expected), version
        assert (shown["config_drive"], shown["metadata"]) == (expected["config_drive"], expected["metadata"])


def test_an_update_is_answered_as_recorded(world):
    uuid = world.boot("n", metadata={"k": "v"})
    for recorded in answers("servers-update", "2"):
        version = recorded["version"]
        answer = world.member("PUT", f"/v2.1/servers/{uuid}", {"server": {"name": "new"}}, version=version)
        assert answer.status_code == recorded["st"], version
        assert paths(answer.json) == paths(recorded["b"]), version


def test_a_buried_server_is_shown_as_recorded(world):
    world.no_valid_host = True
    uuid = world.boot("nofit")
    for recorded in answers("state-unscheduled", "6"):
        shown = {"server": world.show(uuid, version=recorded["version"])}
        assert paths(shown) == paths(recorded["b"]), recorded["version"]
        for name in ("status", "OS-EXT-AZ:availability_zone", "hostId", "OS-EXT-STS:power_state"):
            assert shown["server"][name] == recorded["b"]["server"][name]


@pytest.mark.parametrize("path", ["", "/detail"])
def test_odd_queries_are_answered_as_recorded(world, path):
    world.boot("s1", metadata={"k1": "v1"}, tags=["t1"])
    wrong = []
    for recorded in answers("servers-odd-queries", "2" if path == "" else "3"):
        query = recorded["case"].replace("${nouuid}", "99999999-9999-4999-8999-999999999999")
        answer = world.admin("GET", f"/v2.1/servers{path}?{query}", version=recorded["version"])
        same = answer.status_code == recorded["st"]
        if same and answer.status_code == 200:
            keys = [set(server) for server in answer.json["servers"]]
            same = keys == [set(server) for server in recorded["b"]["servers"]]
        if not same:
            wrong.append((query, recorded["version"], answer.status_code, recorded["st"]))
    assert wrong == []
