"""`db ironic_compute_node_move`."""

import uuid

import pytest

from openkeel import objects
from openkeel.db.stores.instances.store import InstanceStore
from tests.unit.db.test_cell_stores import new_node, new_service


@pytest.fixture
def node(deployment, cell):
    """A node with a server, of a compute that is forced down, beside another one."""
    for host in ("old", "new"):
        cell.services.create(new_service(host, forced_down=host == "old"))
    made = new_node("old", str(uuid.uuid4()), hypervisor_hostname="metal")
    cell.compute_nodes.create(made)
    return made


@pytest.fixture
def server(cell, node):
    def server(nodename):
        instance = objects.Instance(
            host="old", node=nodename, project_id="p", user_id="u", system_metadata={}
        )
        cell.instances.create(instance)
        return instance.uuid

    return server


def move(manage, node_uuid, host="new"):
    words = ("--ironic-node-uuid", node_uuid, "--destination-host", host)
    return manage("db", "ironic_compute_node_move", *words)


def test_a_node_and_its_servers_move(manage, cell, node, server):
    moved, stays = server("metal"), server("another")
    code, out = move(manage, node.uuid)
    assert code == 0
    assert moved in out
    row = cell.compute_nodes.get_by_uuid(node.uuid)
    assert (row.host, row.service_id) == ("new", cell.services.find("new", "nova-compute").id)
    assert [cell.instances.get(one).host for one in (moved, stays)] == ["new", "old"]


def test_a_move_that_was_cut_off_goes_on_when_it_is_asked_for_again(manage, cell, node, server, monkeypatch):
    servers = [server("metal") for _ in range(3)]
    save, left = InstanceStore.save, iter([True, False])

    def dies_at_the_second(self, instance, **more):
        if not next(left):
            raise OSError("killed")
        save(self, instance, **more)

    with monkeypatch.context() as patch:
        patch.setattr(InstanceStore, "save", dies_at_the_second)
        assert move(manage, node.uuid)[0] != 0
    assert sorted(cell.instances.get(one).host for one in servers) == ["new", "old", "old"]
    assert move(manage, node.uuid)[0] == 0
    assert {cell.instances.get(one).host for one in servers} == {"new"}
    assert cell.compute_nodes.get_by_uuid(node.uuid).host == "new"


def test_what_does_not_move(manage, cell, node):
    assert manage("db", "ironic_compute_node_move", "--destination-host", "new")[0] == 255
    assert move(manage, str(uuid.uuid4()))[0] == 255
    assert move(manage, node.uuid, "nowhere")[0] == 255
    service = cell.services.find("old", "nova-compute")
    service.forced_down = False
    cell.services.save(service)
    assert move(manage, node.uuid)[0] == 255
    assert cell.compute_nodes.get_by_uuid(node.uuid).host == "old"
