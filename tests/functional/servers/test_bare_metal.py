"""The proxy to nodes of bare metal. Golden: recordings hosts-who-may, hosts-not-found."""

import pytest

from openkeel.clients import errors
from tests.fixtures.server_world import NO_UUID

NODES = "/os-baremetal-nodes"
MACS = ("52:54:00:00:00:01", "52:54:00:00:00:02")


@pytest.fixture
def ironic(world):
    return world.ironic.server


@pytest.fixture
def ask(world):
    def ask(path, who=None, version="2.35"):
        return (who or world.admin)("GET", f"/v2.1{path}", version=version)

    return ask


def test_a_node_is_listed_and_shown(ask, ironic):
    node = ironic.add_node(
        "metal", addresses=MACS, instance_uuid=NO_UUID, state="active", cpus=8, memory_mb="4096", local_gb=10
    )
    brief = {
        "id": node,
        "interfaces": [],
        "host": "IRONIC MANAGED",
        "task_state": "active",
        "cpus": "8",
        "memory_mb": "4096",
        "disk_gb": "10",
    }
    assert ask(NODES).json == {"nodes": [brief]}
    interfaces = [{"address": one} for one in MACS]
    shown = {**brief, "interfaces": interfaces, "instance_uuid": NO_UUID}
    assert ask(f"{NODES}/{node}").json == {"node": shown}
    assert ask(f"{NODES}/metal").json == {"node": shown}


def test_a_node_that_nobody_measured_has_no_size(ask, ironic):
    node = ironic.add_node("bare")
    shown = ask(f"{NODES}/{node}").json["node"]
    assert (shown["cpus"], shown["memory_mb"], shown["disk_gb"]) == ("0", "0", "0")
    assert shown["instance_uuid"] is None


def test_pages_of_ironic_are_put_together(ask, ironic):
    ironic._page = 2
    made = [ironic.add_node(f"node-{number}", addresses=MACS * 3) for number in range(5)]
    assert [one["id"] for one in ask(NODES).json["nodes"]] == made
    assert len(ask(f"{NODES}/{made[0]}").json["node"]["interfaces"]) == 6


@pytest.mark.parametrize("wrong", [NO_UUID, "abc", "a%20b", "..", "%2E%2E", "a%2Fb", "a?b"])
def test_an_unknown_node_is_not_found(ask, ironic, wrong):
    ironic.add_node("metal")
    assert ask(f"{NODES}/{wrong}").status_code == 404


def test_without_ironic_there_are_no_nodes(ask, ironic):
    ironic.is_there = False
    for path in (NODES, f"{NODES}/{NO_UUID}"):
        answer = ask(path)
        assert answer.status_code == 404
        assert "no bare metal service" in answer.json["itemNotFound"]["message"]


def test_an_ironic_that_does_not_answer_is_unavailable(ask, ironic):
    ironic.faults.fail(
        "GET /nodes",
        errors.Unavailable(service="Ironic", status=None, code="", detail="it cannot be reached"),
    )
    assert ask(NODES).status_code == 503


def test_only_administrators_see_nodes(world, ask, ironic):
    node = ironic.add_node("metal")
    for who in (world.member, world.reader, world.other, world.service):
        assert ask(NODES, who).status_code == 403
        assert ask(f"{NODES}/{node}", who).status_code == 403


def test_the_proxy_ends(ask, ironic):
    node = ironic.add_node("metal")
    assert ask(NODES, version="2.36").status_code == 404
    assert ask(f"{NODES}/{node}", version="2.36").status_code == 404
