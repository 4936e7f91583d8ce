"""Deletes at every moment of a server's life."""

import pytest

from openkeel.virt.driver import HostFailure
from tests.fixtures.compute_world import eventually
from tests.fixtures.gate import Gate, break_it
from tests.fixtures.hold import Hold


def test_a_server_that_is_being_scheduled_is_never_built(cloud):
    cloud.scheduler.kill()
    uuid = cloud.boot(networks=[{"uuid": cloud.network}])
    assert cloud.show(uuid)["status"] == "BUILD"
    cloud.delete(uuid)
    assert cloud.admin("GET", f"/v2.1/servers/{uuid}").status_code == 404
    assert cloud.member("DELETE", f"/v2.1/servers/{uuid}").status_code == 404
    cloud.scheduler.start()
    eventually(lambda: cloud.conductor.daemon._server is not None and not cloud.placement.consumers())
    cloud.is_clean()


def test_a_delete_wins_at_every_step_of_the_conductor(cloud):
    gate = cloud.conductor.gate
    gate.arm()
    cloud.booted(networks=[{"uuid": cloud.network}])
    steps = gate.calls.index("rpc build_and_run_instance") + 1
    cloud.empty()
    assert steps > 10
    for step in range(steps):
        uuid = delete_at(cloud, gate, step)
        cloud.gone(uuid)
        cloud.is_clean()


def delete_at(cloud, gate: Gate, step: int) -> str:
    """A boot whose owner deletes it when a daemon is about to make this call."""
    hold = Hold()
    gate.arm(step, hold)
    uuid = cloud.boot(networks=[{"uuid": cloud.network}])
    assert hold.reached.wait(30)
    gate.disarm()
    cloud.delete(uuid)
    hold.let_go()
    return uuid


def test_a_delete_wins_at_every_step_of_the_compute(cloud):
    compute = cloud.computes["node-1"]
    zone = "nova:node-1"
    uuid = boot_counted(cloud, compute.gate, zone)
    steps = len(compute.gate.calls)
    cloud.delete(uuid)
    cloud.is_clean()
    assert steps > 15
    for step in range(0, steps, 2):
        hold = Hold()
        compute.gate.arm(step, hold)
        uuid = cloud.boot(networks=[{"uuid": cloud.network}], availability_zone=zone, who=cloud.admin)
        assert hold.reached.wait(30), step
        compute.gate.disarm()
        cloud.delete(uuid, who=cloud.admin)
        hold.let_go()
        cloud.gone(uuid)
        cloud.is_clean()


def boot_counted(cloud, gate, zone):
    gate.arm()
    uuid = cloud.boot(networks=[{"uuid": cloud.network}], availability_zone=zone, who=cloud.admin)
    cloud.settled(uuid, "ACTIVE")
    return uuid


def test_a_guest_that_takes_long_to_start_does_not_hold_up_a_delete(cloud):
    hold = Hold()
    for hypervisor in cloud.hypervisors.values():
        hypervisor.script.during("spawn", hold)
    uuid = cloud.boot(networks=[{"uuid": cloud.network}])
    assert hold.reached.wait(30)
    assert cloud.show(uuid)["OS-EXT-STS:task_state"] == "spawning"
    cloud.delete(uuid)
    cloud.delete(uuid)  # patience has its limits
    hold.let_go()
    cloud.gone(uuid)


def test_a_server_that_waits_for_its_wires_goes_at_once(cloud):
    for hypervisor in cloud.hypervisors.values():
        hypervisor.plugs = False
    uuid = cloud.boot(networks=[{"uuid": cloud.network}])
    eventually(lambda: uuid in cloud.guests())
    cloud.delete(uuid)
    cloud.gone(uuid)


def test_a_server_between_two_hosts_goes(cloud):
    hold = Hold()
    for hypervisor in cloud.hypervisors.values():
        hypervisor.script.fail("spawn", HostFailure(reason="broken"))
    cloud.conductor.gate.arm(0, hold, only=lambda call: call == "placement claim")
    uuid = cloud.boot(networks=[{"uuid": cloud.network}])
    assert hold.reached.wait(30)
    cloud.delete(uuid)
    assert cloud.admin("GET", f"/v2.1/servers/{uuid}").status_code == 404
    hold.let_go()
    cloud.is_clean()


def test_the_actions_of_a_deleted_server_can_be_read(cloud):
    uuid = cloud.booted()
    cloud.delete(uuid)
    cloud.gone(uuid)
    path = f"/v2.1/servers/{uuid}/os-instance-actions"
    rows = cloud.admin("GET", path).json["instanceActions"]
    assert [row["action"] for row in rows] == ["delete", "create"]
    delete = cloud.admin("GET", f"{path}/{rows[0]['request_id']}").json["instanceAction"]
    assert [(event["event"], event["result"]) for event in delete["events"]] == [
        ("compute_terminate_instance", "Success")
    ]


# A host that is down


@pytest.mark.parametrize("is_user_s_port", [False, True])
def test_a_server_on_a_host_that_is_down_is_deleted_from_here(cloud, is_user_s_port):
    port_id = cloud.neutron.add_port(cloud.network, cloud.member.project)
    nic = {"port": port_id} if is_user_s_port else {"uuid": cloud.network}
    uuid = cloud.booted(networks=[nic])
    node = cloud.guests()[uuid]
    cloud.goes_down(node)
    cloud.delete(uuid)
    assert cloud.admin("GET", f"/v2.1/servers/{uuid}").status_code == 404
    assert cloud.ports(uuid) == []
    assert port_id in [port.id for port in cloud.neutron.ports()]
    assert not cloud.placement.consumers()
    assert cloud.guests() == {uuid: node}  # nobody can reach it now
    cloud.computes[node].start()
    assert cloud.guests() == {}


def test_a_delete_that_a_host_did_not_hear_is_done_when_it_is_back(cloud):
    uuid = cloud.booted(networks=[{"uuid": cloud.network}])
    compute = cloud.computes[cloud.guests()[uuid]]
    compute.kill()
    for _ in range(3):
        cloud.delete(uuid)
    assert cloud.show(uuid)["OS-EXT-STS:task_state"] == "deleting"
    compute.start()
    cloud.gone(uuid)


def test_a_failed_server_is_deleted_although_its_host_is_down(cloud):
    for hypervisor in cloud.hypervisors.values():
        hypervisor.script.fail("spawn", HostFailure(reason="broken"))
    uuid = cloud.boot(networks=[{"uuid": cloud.network}])
    cloud.settled(uuid, "ERROR")
    for node in cloud.computes:
        cloud.goes_down(node)
    cloud.delete(uuid)
    assert cloud.admin("GET", f"/v2.1/servers/{uuid}").status_code == 404


def test_a_delete_that_cannot_give_back_says_so_and_can_be_repeated(cloud):
    uuid = cloud.booted(networks=[{"uuid": cloud.network}])
    cloud.goes_down(cloud.guests()[uuid])
    for call in ("neutron GET ports", "placement delete_allocations"):
        cloud.api.gate.arm(0, break_it, only=lambda made, call=call: made == call)
        answer = cloud.member("DELETE", f"/v2.1/servers/{uuid}")
        assert answer.status_code in {409, 503}, answer.text
        cloud.api.gate.disarm()
    cloud.delete(uuid)
    assert cloud.admin("GET", f"/v2.1/servers/{uuid}").status_code == 404


def test_a_delete_that_fails_on_the_host_leaves_a_fault_and_can_be_repeated(cloud):
    uuid = cloud.booted(networks=[{"uuid": cloud.network}])
    hypervisor = cloud.hypervisors[cloud.guests()[uuid]]
    hypervisor.script.fail("destroy", HostFailure(reason="stuck"))
    cloud.delete(uuid)
    server = cloud.settled(uuid, "ERROR")
    assert "stuck" in server["fault"]["message"]
    cloud.delete(uuid)
    cloud.gone(uuid)
