"""A daemon that was killed in the middle of something brings its servers to rest when it starts."""

import pytest

from openkeel.domain.states import PowerState, TaskState, VMState
from openkeel.virt.driver import HostFailure
from tests.fixtures.compute_world import World
from tests.fixtures.fails_everywhere import fails_everywhere


class Killed(BaseException):
    """No code runs after it, as after SIGKILL."""


def test_a_kill_at_any_moment_of_a_build_ends_active_or_in_error():
    calls = fails_everywhere(World, World.server, World.build, lambda *_: None)
    ends = set()
    for number, call in enumerate(calls):
        world = World()
        instance = world.server()
        world.tripwire.arm_freeze(number, Killed())
        with pytest.raises(Killed):
            world.build(instance)
        world.tripwire.disarm()
        world.start()
        row = world.row(instance)
        if row.host is None and row.task_state == TaskState.SCHEDULING:
            assert number < 2, call  # not taken yet: the conductor's look at stalled builds finds it
            continue
        ends.add(row.vm_state)
        assert row.task_state is None, call
        if row.vm_state == VMState.ACTIVE:
            assert world.hypervisor.guests[instance.uuid].power == PowerState.RUNNING, call
            assert instance.uuid in world.placement.consumers(), call
        else:
            assert row.vm_state == VMState.ERROR, call
            assert world.fault(instance) is not None, call
            assert row.host is None, call
            assert world.leftovers() == {}, call
    assert ends == {VMState.ACTIVE, VMState.ERROR}


def test_a_kill_at_any_moment_of_a_delete_ends_deleted():
    def work(world, instance):
        world.ask_delete(instance)
        world.terminate(instance)

    calls = fails_everywhere(World, World.booted, work, lambda *_: None)
    for number, call in enumerate(calls):
        world = World()
        instance = world.booted()
        world.tripwire.arm_freeze(number, Killed())
        with pytest.raises(Killed):
            work(world, instance)
        world.tripwire.disarm()
        world.start()
        assert world.row(instance).deleted, call
        assert world.leftovers() == {}, call


@pytest.mark.parametrize(
    ("vm_state", "task_state", "ends"),
    [
        (VMState.STOPPED, TaskState.POWERING_ON, VMState.ACTIVE),
        (VMState.ACTIVE, TaskState.POWERING_OFF, VMState.STOPPED),
        (VMState.ACTIVE, TaskState.REBOOTING, VMState.ACTIVE),
        (VMState.ACTIVE, TaskState.REBOOT_PENDING, VMState.ACTIVE),
        (VMState.ACTIVE, TaskState.REBOOT_STARTED, VMState.ACTIVE),
        (VMState.ACTIVE, TaskState.REBOOTING_HARD, VMState.ACTIVE),
        (VMState.ERROR, TaskState.REBOOT_PENDING_HARD, VMState.ACTIVE),
        (VMState.ACTIVE, TaskState.REBOOT_STARTED_HARD, VMState.ACTIVE),
    ],
)
def test_power_actions_are_done_again(world, vm_state, task_state, ends):
    instance = world.booted()
    starts = world.hypervisor.guests[instance.uuid].starts
    if vm_state == VMState.STOPPED:
        world.hypervisor.power_off(instance.uuid, instance.project_id, grace_s=0)
    world.stores.instances.change(instance.uuid, vm_state=vm_state, task_state=task_state)
    world.start()
    assert world.states(instance) == (ends, None)
    is_running = world.hypervisor.guests[instance.uuid].power == PowerState.RUNNING
    assert is_running == (ends == VMState.ACTIVE)
    if "reboot" in task_state:
        assert world.hypervisor.guests[instance.uuid].starts == starts + 1


@pytest.mark.parametrize("task", [TaskState.NETWORKING, TaskState.BLOCK_DEVICE_MAPPING, TaskState.SPAWNING])
def test_a_build_without_a_running_guest_is_undone(world, task):
    instance = world.server()
    world.stores.instances.change(instance.uuid, host="node-1", node="node-1", task_state=task)
    world.start()
    assert world.states(instance) == (VMState.ERROR, None)
    assert "restarted" in world.fault(instance).message
    assert world.leftovers() == {}


def test_a_server_of_another_host_is_left_alone(world):
    instance = world.server()
    world.stores.instances.change(instance.uuid, host="node-2", task_state=TaskState.SPAWNING)
    world.start()
    assert world.states(instance) == (VMState.BUILDING, TaskState.SPAWNING)


def test_one_server_that_cannot_be_recovered_does_not_stop_the_others(world):
    stuck, fine = world.booted(), world.booted()
    for instance in (stuck, fine):
        world.stores.instances.change(instance.uuid, task_state=TaskState.POWERING_OFF)
    world.hypervisor.script.fail("power_off", HostFailure(reason="stuck"))
    world.start()
    ends = sorted(world.row(instance).vm_state for instance in (stuck, fine))
    assert ends == [VMState.ACTIVE, VMState.STOPPED]
    assert all(world.row(instance).task_state is None for instance in (stuck, fine))


def test_a_server_that_is_worked_on_is_not_recovered(world):
    instance = world.server()
    world.tasks.queued = []
    world.build(instance)
    world.clock.pass_(3600)
    world.service.recovery.recover_stalled()
    assert world.states(instance) == (VMState.BUILDING, TaskState.NETWORKING)
    world.tasks.run_queued()
    assert world.states(instance) == (VMState.ACTIVE, None)


def test_a_server_left_alone_for_a_short_while_is_not_recovered(world):
    instance = world.booted()
    world.stores.instances.change(
        instance.uuid, task_state=TaskState.POWERING_OFF, updated_at=world.clock.now()
    )
    world.clock.pass_(30)
    world.service.recovery.recover_stalled()
    assert world.states(instance) == (VMState.ACTIVE, TaskState.POWERING_OFF)


def test_guests_run_again_after_the_node_was_restarted_if_the_operator_wants_it(world):
    instance = world.booted()
    world.hypervisor.guests[instance.uuid].power = PowerState.SHUTDOWN
    world.start(resume_guests_on_start=True)
    assert world.hypervisor.guests[instance.uuid].power == PowerState.RUNNING
    assert world.states(instance) == (VMState.ACTIVE, None)


@pytest.mark.parametrize(
    ("action", "power"), [("reap", None), ("shutdown", PowerState.SHUTDOWN), ("log", PowerState.RUNNING),
                          ("noop", PowerState.RUNNING)]
)  # fmt: skip
def test_guests_of_deleted_servers_are_treated_as_the_operator_chose(world, action, power):
    instance = world.booted()
    world.stores.instances.destroy(world.row(instance))
    world.start(running_deleted_action=action)
    world.service.recovery.remove_strangers()
    guest = world.hypervisor.guests.get(instance.uuid)
    assert (guest and guest.power) == power


def test_guests_of_servers_deleted_just_now_have_their_time(world):
    instance = world.booted()
    world.stores.instances.destroy(world.row(instance))
    world.start(running_deleted_timeout_s=60)
    world.service.recovery.remove_strangers()
    assert instance.uuid in world.hypervisor.guests
    world.clock.pass_(61)
    world.service.recovery.remove_strangers()
    assert world.hypervisor.guests == {}


def test_guests_of_servers_we_do_not_know_are_left_alone(world):
    instance = world.booted()
    del world.stores.instances.rows[instance.uuid]
    world.service.recovery.remove_strangers()
    assert instance.uuid in world.hypervisor.guests
