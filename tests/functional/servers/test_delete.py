"""DELETE /servers/{id} in every state, and nothing stays behind."""

import pytest

from openkeel.clients import errors as client_errors
from openkeel.domain.errors import Unavailable
from tests.fixtures.api_client import PROJECT
from tests.fixtures.server_world import DOWN, NO_UUID

FORCE = {"forceDelete": None}


def delete(world, uuid, who=None, version="2.104"):
    return (who or world.member)("DELETE", f"/v2.1/servers/{uuid}", version=version)


def is_gone(world, uuid):
    gone = world.member("GET", f"/v2.1/servers/{uuid}", version="2.104").status_code == 404
    return gone and world.member("GET", "/v2.1/servers", version="2.104").json["servers"] == []


def test_a_running_server_is_deleted_by_its_host(world):
    uuid = world.boot(networks=[{"uuid": world.network}])
    assert delete(world, uuid).status_code == 204
    assert world.compute.told == ["terminate"]
    assert is_gone(world, uuid)
    assert world.leftovers() == {}
    assert [one.action for one in world.cell1.actions.list(uuid)] == ["delete", "create"]


def test_a_deleted_server_is_404_again(world):
    uuid = world.boot()
    delete(world, uuid)
    for version in ("2.1", "2.104"):
        assert delete(world, uuid, version=version).status_code == 404
        assert world.act(uuid, FORCE, version=version).status_code == 404


def test_a_build_is_cancelled_while_it_is_scheduled(world):
    world.conductor.waits = True
    uuid = world.boot(networks=[{"uuid": world.network}])
    assert delete(world, uuid).status_code == 204
    assert is_gone(world, uuid)
    world.conductor.work()  # the conductor finds the request gone
    assert is_gone(world, uuid)
    assert world.leftovers() == {}
    assert delete(world, uuid).status_code == 404


def test_a_build_that_reaches_its_cell_meanwhile_is_deleted_there(world):
    world.conductor.waits = True
    uuid = world.boot()
    located = world.services.server_lookup.get(_ctx(), uuid)
    world.conductor.work()
    world.services.delete.delete(_ctx(), located)
    assert is_gone(world, uuid)
    assert world.leftovers() == {}


def _ctx():
    from openkeel.common.context import Context

    return Context("user", PROJECT, roles=["member"])


def test_a_server_in_cell0_is_deleted_without_a_host(world):
    world.no_valid_host = True
    uuid = world.boot()
    assert delete(world, uuid).status_code == 204
    assert world.compute.told == []
    assert is_gone(world, uuid)


def test_a_server_of_a_host_that_is_down_is_deleted_from_here(world):
    uuid = world.boot(networks=[{"uuid": world.network}])
    world.host_goes_down()
    assert delete(world, uuid).status_code == 204
    assert world.compute.told == []
    assert is_gone(world, uuid)
    assert world.leftovers() == {}
    assert [one.action for one in world.cell1.actions.list(uuid)] == ["delete", "create"]
    assert world.cell1.instances.get(uuid, deleted=True).vm_state == "deleted"


def test_a_port_of_the_user_outlives_a_local_delete(world):
    port = world.neutron.server.add_port(world.network, PROJECT)
    uuid = world.boot(networks=[{"port": port}])
    world.host_goes_down()
    assert delete(world, uuid).status_code == 204
    kept = world.neutron.find_port(None, port)
    assert kept is not None
    assert kept.device_id == ""


@pytest.mark.parametrize(
    "values",
    [
        {"vm_state": "active"},
        {"vm_state": "stopped"},
        {"vm_state": "error"},
        {"vm_state": "building", "task_state": "spawning"},
        {"vm_state": "active", "task_state": "powering-off"},
        {"vm_state": "active", "task_state": "deleting"},
        {"vm_state": "rescued"},
        {"vm_state": "resized"},
        {"vm_state": "shelved"},
    ],
)
def test_delete_works_in_every_state(world, values):
    uuid = world.boot()
    world.set(uuid, **values)
    assert delete(world, uuid).status_code == 204
    assert is_gone(world, uuid)
    assert world.leftovers() == {}


def test_a_delete_may_be_repeated_while_the_host_is_busy(world):
    uuid = world.boot()
    world.compute.is_deaf = True
    assert delete(world, uuid).status_code == 204
    assert world.show(uuid)["OS-EXT-STS:task_state"] == "deleting"
    assert delete(world, uuid).status_code == 204
    world.compute.is_deaf = False
    assert delete(world, uuid).status_code == 204
    assert is_gone(world, uuid)


def test_delete_wins_over_a_server_that_is_being_stopped(world):
    uuid = world.boot()
    world.compute.is_deaf = True
    delete(world, uuid)
    assert world.act(uuid, {"os-stop": None}).status_code == 409


def test_force_delete_needs_no_state(world):
    uuid = world.boot()
    assert world.act(uuid, FORCE).status_code == 202
    assert is_gone(world, uuid)


def test_a_message_that_cannot_be_sent_can_be_sent_again(world):
    uuid = world.boot()
    world.compute.broker = DOWN
    assert delete(world, uuid).status_code == 503
    world.compute.broker = None
    assert delete(world, uuid).status_code == 204
    assert is_gone(world, uuid)


def test_allocations_that_cannot_be_removed_are_a_conflict_and_can_be_tried_again(world):
    uuid = world.boot()
    world.host_goes_down()
    world.placement.faults.fail(
        "delete_allocations", client_errors.Unavailable(service="Placement", detail="no")
    )
    assert delete(world, uuid).status_code == 409
    assert delete(world, uuid).status_code == 204
    assert world.leftovers() == {}


def test_a_neutron_that_is_down_keeps_a_local_delete_from_leaking_ports(world):
    uuid = world.boot(networks=[{"uuid": world.network}])
    world.host_goes_down()
    world.neutron.server.faults.fail("GET ports", Unavailable(service="Neutron"))
    assert delete(world, uuid).status_code == 503
    assert delete(world, uuid).status_code == 204
    assert world.leftovers() == {}


def test_a_lock_keeps_its_owner_from_deleting(world):
    uuid = world.boot()
    world.set(uuid, locked=True, locked_by="owner")
    assert delete(world, uuid).status_code == 409
    assert delete(world, uuid, who=world.admin).status_code == 204


def test_who_may_delete(world):
    uuid = world.boot()
    assert delete(world, uuid, who=world.reader).status_code == 403
    assert delete(world, uuid, who=world.other).status_code == 404
    assert delete(world, NO_UUID).status_code == 404
    assert delete(world, "%20a%20b").status_code == 404
    assert delete(world, f"{uuid}?force=1").status_code == 204
