"""From requests to builds on hosts: each way, each failure, each moment of a kill."""

import threading

import pytest

from openkeel.db.cells import CELL0_UUID
from openkeel.domain.errors import NoValidHost, OverQuota
from openkeel.domain.states import TaskState, VMState
from tests.fixtures.gate import Killed, break_it, is_change


def is_error_with_fault(world, uuid, where=""):
    row = world.row(uuid)
    assert (row.vm_state, row.task_state, row.host) == (VMState.ERROR, None, None), where
    assert world.fault(uuid).message, where
    assert world.cells.api.build_requests.find(uuid) is None, where
    assert uuid not in world.placement.consumers(), where
    return row


def test_servers_are_made_in_the_cell_of_their_host_and_sent_there(world):
    builds = world.asked(3)
    world.deliver(builds)
    uuids = [request.instance_uuid for _, request, _ in builds]
    assert world.computes.builds == [("node-1", uuid) for uuid in uuids]
    for uuid in uuids:
        row = world.row(uuid)
        assert (row.vm_state, row.task_state, row.host) == (VMState.BUILDING, TaskState.SCHEDULING, None)
        assert row.availability_zone == "nova"
        assert [tag.tag for tag in world.cell1.tags.list(uuid)] == ["red"]
        assert len(world.cell1.bdms.list(uuid)) == 1
        assert world.cells.api.build_requests.find(uuid) is None
    order = world.computes.orders[0]
    assert [one.service_host for one in order["host_list"]] == ["node-2"]
    assert order["filter_properties"]["retry"] == {"num_attempts": 1, "hosts": [["node-1", "node-1"]]}
    assert order["admin_password"] == "secret"


def test_without_a_host_all_are_buried_with_the_reason(world):
    world.scheduler.error = NoValidHost(reason="all full")
    builds = world.asked(2)
    world.deliver(builds)
    for _, request, _ in builds:
        is_error_with_fault(world, request.instance_uuid)
        assert "all full" in world.fault(request.instance_uuid).message
        mapping = world.cells.api.instance_mappings.get(request.instance_uuid)
        assert mapping.cell_mapping.uuid == CELL0_UUID
    assert world.computes.builds == []


def test_a_host_in_no_cell_is_the_reason(world):
    world.cells.api.host_mappings.delete("node-1")
    builds = world.asked()
    world.deliver(builds)
    is_error_with_fault(world, builds[0][1].instance_uuid)
    assert "node-1" in world.fault(builds[0][1].instance_uuid).message


def test_too_much_counted_again_fails_all_of_the_request(world):
    world.quota_error = OverQuota("The quota is exceeded.")
    builds = world.asked(2)
    world.deliver(builds)
    for _, request, _ in builds:
        is_error_with_fault(world, request.instance_uuid)
    assert world.computes.builds == []


def test_a_second_delivery_changes_nothing(world):
    builds = world.asked()
    world.deliver(builds)
    world.deliver(builds)
    assert len(world.computes.builds) == 1
    assert len(world.cell1.bdms.list(builds[0][1].instance_uuid)) == 1
    assert world.stray_rows() == []


def test_a_second_delivery_waits_for_the_first(world):
    builds = world.asked()
    threads = []

    def again():
        world.scheduler.during = None
        threads.append(threading.Thread(target=world.deliver, args=(builds,)))
        threads[0].start()

    world.scheduler.during = again
    world.deliver(builds)
    threads[0].join()
    assert len(world.computes.builds) == 1
    assert world.row(builds[0][1].instance_uuid).vm_state == VMState.BUILDING
    assert len(world.placement.consumers()) == 1


def steps_of(world):
    world.gate.arm()
    world.booted()
    return list(world.gate.calls)


def test_whatever_call_fails_the_server_ends_and_says_why(world):
    for step, call in enumerate(steps_of(world)):
        builds = world.asked()
        uuid = builds[0][1].instance_uuid
        world.gate.arm(step, break_it)
        try:
            world.deliver(builds)
        except Exception:  # noqa: BLE001 - nothing is known of the server yet, or can be written
            assert call.startswith("db api read"), call
        world.gate.disarm()
        row = world.row(uuid)
        is_sent = uuid in [sent for _, sent in world.computes.builds]
        if not is_sent and (row is None or row.vm_state == VMState.BUILDING):
            world.reconcile()
        if not is_sent:
            is_error_with_fault(world, uuid, call)
        assert world.stray_rows() == [], call


@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
def test_a_kill_at_any_change_leaves_what_the_reconciler_ends(world, late):
    world.gate.arm(only=is_change)
    world.booted()
    for step, call in enumerate(list(world.gate.calls)):
        builds = world.asked()
        uuid = builds[0][1].instance_uuid
        world.gate.arm(step, _killed, only=is_change, late=late)
        with pytest.raises(Killed):
            world.deliver(builds)
        world.gate.disarm()
        if uuid in [sent for _, sent in world.computes.builds]:
            continue
        world.reconcile()
        is_error_with_fault(world, uuid, call)
        assert world.stray_rows() == [], call


def test_a_killed_boot_is_taken_up_when_its_message_comes_again(world):
    world.gate.arm(only=is_change)
    world.booted()
    calls = list(world.gate.calls)
    mapped = calls.index("db api write")
    for step in range(mapped):
        builds = world.asked()
        world.gate.arm(step, _killed, only=is_change)
        with pytest.raises(Killed):
            world.deliver(builds)
        world.gate.disarm()
        world.placement.delete_allocations(builds[0][1].instance_uuid)
        world.deliver(builds)
        assert world.computes.builds[-1] == ("node-1", builds[0][1].instance_uuid)


def test_a_delete_at_any_change_leaves_nothing(world):
    world.gate.arm(only=is_change)
    world.booted()
    calls = list(world.gate.calls)
    for step in range(calls.index("rpc build_and_run_instance") - 1):
        builds = world.asked()
        uuid = builds[0][1].instance_uuid
        world.gate.arm(step, lambda _call, uuid=uuid: world.cancel(uuid), only=is_change)
        world.deliver(builds)
        world.gate.disarm()
        assert uuid not in [sent for _, sent in world.computes.builds]
        assert world.row(uuid) is None
        assert uuid not in world.placement.consumers()
        assert world.stray_rows() == []


def _killed(_call):
    raise Killed
