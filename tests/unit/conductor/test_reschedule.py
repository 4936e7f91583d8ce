"""A build that a host handed back: on to the next, or to its end."""

from openkeel.clients import errors
from openkeel.domain.states import TaskState, VMState
from tests.fixtures.gate import break_it


def test_the_next_alternate_is_claimed_and_gets_the_build(world):
    uuid = world.booted()
    world.hand_back(uuid)
    assert world.computes.builds[-1] == ("node-2", uuid)
    assert list(world.placement.allocations(uuid).allocations) == [world.provider("node-2")]
    retry = world.computes.orders[-1]["filter_properties"]["retry"]
    assert retry["num_attempts"] == 2
    assert retry["hosts"] == [["node-1", "node-1"], ["node-2", "node-2"]]


def ends_in_error(world, uuid, text):
    row = world.row(uuid)
    assert (row.vm_state, row.task_state) == (VMState.ERROR, None)
    assert text in world.fault(uuid).message
    assert uuid not in world.placement.consumers()


def test_an_alternate_without_room_is_passed_over(world):
    uuid = world.booted()
    world.placement.faults.fail("claim", errors.Conflict(service="Placement", detail="full"))
    world.hand_back(uuid, alternates=("node-1", "node-2"))
    assert world.computes.builds[-1] == ("node-2", uuid)


def test_without_an_alternate_it_ends(world):
    uuid = world.booted()
    world.hand_back(uuid, alternates=())
    ends_in_error(world, uuid, "Exceeded maximum number of retries")


def test_after_the_allowed_tries_it_ends(world):
    uuid = world.booted()
    world.hand_back(uuid, attempts=3)
    ends_in_error(world, uuid, "Exceeded maximum number of retries")


def test_a_compute_that_was_told_no_alternates_has_them_asked_for(world):
    uuid = world.booted()
    world.hand_back(uuid, alternates=None)
    assert world.computes.builds[-1] == ("node-2", uuid)


def test_a_server_deleted_meanwhile_holds_nothing(world):
    uuid = world.booted()
    world.cell1.instances.destroy(world.row(uuid))
    sent = len(world.computes.builds)
    world.hand_back(uuid)
    assert len(world.computes.builds) == sent
    assert uuid not in world.placement.consumers()


def test_a_message_that_comes_after_a_host_took_the_server_changes_nothing(world):
    uuid = world.booted()
    world.hand_back(uuid)
    row = world.row(uuid)
    row.host, row.task_state = "node-2", TaskState.SPAWNING
    world.cell1.instances.save(row)
    sent = len(world.computes.builds)
    held = world.placement.allocations(uuid).allocations
    world.reschedule.run(world.context(), uuid, None, {}, [], None)
    assert len(world.computes.builds) == sent
    assert world.row(uuid).task_state == TaskState.SPAWNING
    assert world.placement.allocations(uuid).allocations == held


def test_whatever_call_fails_the_server_goes_on_or_ends(world):
    uuid = world.booted()
    world.gate.arm()
    world.hand_back(uuid)
    for step, call in enumerate(list(world.gate.calls)):
        uuid = world.booted()
        world.gate.arm(step, break_it)
        try:
            world.hand_back(uuid)
        except Exception:  # noqa: BLE001 - the row could not be read
            assert call.endswith("read"), call
        world.gate.disarm()
        if world.computes.builds[-1] == ("node-2", uuid):
            continue
        if world.row(uuid).vm_state == VMState.BUILDING:
            world.reconcile()
        ends_in_error(world, uuid, "")


def test_a_delete_at_any_call_leaves_nothing_claimed(world):
    """The owner's delete takes the row out of waiting first, then gives back, then removes the row."""

    def begin(uuid):
        row = world.row(uuid)
        row.task_state = TaskState.DELETING
        world.cell1.instances.save(row)
        world.placement.delete_allocations(uuid)

    uuid = world.booted()
    world.gate.arm()
    world.hand_back(uuid)
    steps = len(world.gate.calls)
    assert steps > 5
    for step in range(steps):
        uuid = world.booted()
        world.gate.arm(step, lambda _call, uuid=uuid: begin(uuid))
        world.hand_back(uuid)
        world.gate.disarm()
        assert uuid not in world.placement.consumers(), step
        world.cell1.instances.destroy(world.row(uuid))
