"""Passwords, NUMA nodes and console tokens. Golden: recording actions-console-and-password."""

import pytest

from openkeel import objects
from tests.fixtures.server_world import NO_UUID


def ask(world, uuid, what, method="GET", who=None, version="2.104"):
    return (who or world.member)(method, f"/v2.1/servers/{uuid}/{what}", version=version)


# Passwords


def test_a_password_is_shown_in_one_piece_until_it_is_cleared(world):
    uuid = world.boot()
    assert ask(world, uuid, "os-server-password").json == {"password": ""}
    instance = world.instance(uuid)
    instance.system_metadata = {
        **instance.system_metadata,
        "password_0": "abc",
        "password_1": "def",
        "password_2": "",
        "password_3": "",
    }
    world.cells.for_instance(uuid).instances.save(instance)
    assert ask(world, uuid, "os-server-password", who=world.reader).json == {"password": "abcdef"}
    assert ask(world, uuid, "os-server-password", "DELETE", who=world.reader).status_code == 403
    assert ask(world, uuid, "os-server-password", "DELETE").status_code == 204
    assert ask(world, uuid, "os-server-password").json == {"password": ""}


def test_who_may_see_a_password(world):
    uuid = world.boot()
    assert ask(world, uuid, "os-server-password", who=world.other).status_code == 404
    assert ask(world, uuid, "os-server-password", "DELETE", who=world.other).status_code == 404
    assert ask(world, NO_UUID, "os-server-password").status_code == 404


@pytest.mark.parametrize(("version", "status"), [("2.101", 200), ("2.102", 400)])
def test_unknown_parameters(world, version, status):
    uuid = world.boot()
    assert ask(world, uuid, "os-server-password?nosuch=1", version=version).status_code == status
    assert ask(world, uuid, "topology?nosuch=1", version=version).status_code == status


# NUMA nodes


def test_a_server_without_nodes(world):
    uuid = world.boot()
    assert ask(world, uuid, "topology", version="2.77").status_code == 404
    assert ask(world, uuid, "topology", version="2.78").json == {"nodes": [], "pagesize_kb": None}
    assert ask(world, uuid, "topology", who=world.other).status_code == 404


def test_where_nodes_lie_is_shown_to_administrators(world):
    uuid = world.boot()
    node = objects.InstanceNUMACell(
        id=1,
        cpuset={0, 1},
        pcpuset={2, 3},
        memory=512,
        pagesize=4,
        cpu_pinning_raw={"2": 6, "3": 7},
        cpu_topology=objects.VirtCPUTopology(sockets=1, cores=2, threads=2),
    )
    topology = objects.InstanceNUMATopology(instance_uuid=uuid, cells=[node], emulator_threads_policy=None)
    world.cells.for_instance(uuid).instances.save_part(uuid, "numa_topology", topology)
    shown = ask(world, uuid, "topology").json
    mine = {"memory_mb": 512, "vcpu_set": [0, 1, 2, 3], "siblings": [[0, 1], [2, 3]]}
    assert shown == {"nodes": [mine], "pagesize_kb": 4}
    shown = ask(world, uuid, "topology", who=world.admin).json
    assert shown["nodes"] == [{**mine, "host_node": 1, "cpu_pinning": {"2": 6, "3": 7}}]


# Console tokens


@pytest.fixture
def token(world):
    token = objects.ConsoleAuthToken(
        console_type="novnc",
        host="node-1",
        port=5900,
        tls_port=5901,
        internal_access_path=NO_UUID,
        instance_uuid=world.boot(),
        access_url_base="http://proxy",
        token="11111111-1111-4111-8111-111111111111",
    )
    world.cell1.console_tokens.create(token, 600)
    return token


def tokens(world, token, version="2.104", who=None):
    return (who or world.admin)("GET", f"/v2.1/os-console-auth-tokens/{token}", version=version)


def test_a_token_says_where_the_console_is(world, token):
    old = tokens(world, token.token, version="2.98").json["console"]
    assert old == {
        "instance_uuid": token.instance_uuid,
        "host": "node-1",
        "port": 5900,
        "internal_access_path": NO_UUID,
    }
    assert tokens(world, token.token, version="2.99").json["console"] == {**old, "tls_port": 5901}


def test_unknown_and_early_tokens(world, token):
    assert tokens(world, NO_UUID).status_code == 404
    assert tokens(world, token.token, version="2.31").status_code == 200
    for who in (world.admin, world.member):
        assert tokens(world, token.token, version="2.30", who=who).status_code == 400
    assert tokens(world, token.token, who=world.member).status_code == 403


@pytest.mark.parametrize(("version", "status"), [("2.98", 200), ("2.99", 400)])
def test_unknown_parameters_of_tokens(world, token, version, status):
    assert tokens(world, f"{token.token}?nosuch=1", version=version).status_code == status


# Diagnostics


def test_what_a_host_measures_is_shown_to_administrators(world):
    uuid = world.boot()
    world.compute.measures = True
    assert ask(world, uuid, "diagnostics", who=world.admin, version="2.47").json == {"cpu0_time": 17}
    facts = ask(world, uuid, "diagnostics", who=world.admin, version="2.48").json
    assert facts["cpu_details"] == [{"id": 0, "time": 17, "utilisation": None}]
    assert facts["memory_details"] == {"maximum": 128, "used": 64}
    assert (facts["state"], facts["num_cpus"], facts["num_disks"]) == ("running", 1, 0)
    assert ask(world, uuid, "diagnostics").status_code == 403
    assert ask(world, uuid, "diagnostics", who=world.other).status_code == 404


def test_a_host_that_measures_nothing_lacks_the_feature(world):
    uuid = world.boot()
    for version in ("2.47", "2.48"):
        assert ask(world, uuid, "diagnostics", who=world.admin, version=version).status_code == 501
    world.set(uuid, host=None)
    assert ask(world, uuid, "diagnostics", who=world.admin).status_code == 409
    assert ask(world, uuid, "diagnostics?nosuch=1", who=world.admin, version="2.102").status_code == 400
