"""Whatever outside call fails: no server is stuck, no fault is missing, nothing leaks."""

import pytest

from openkeel.clients.errors import Unavailable
from openkeel.domain.states import TaskState, VMState
from openkeel.virt.driver import GuestRejected, HostFailure
from tests.fixtures.compute_world import World
from tests.fixtures.fails_everywhere import fails_everywhere

ERRORS = [Unavailable(service="it", detail="down"), HostFailure(reason="broken"), RuntimeError("a bug")]


def settle(world):
    """What the daemon does about servers left alone."""
    world.clock.pass_(3600)
    world.service.recovery.recover_stalled()
    world.service.recovery.remove_strangers()


def is_at_rest(world, instance, call):
    row = world.row(instance)
    where = f"failing {call}: {row.vm_state}, {row.task_state}"
    if row.deleted:
        assert world.leftovers() == {}, where
    elif row.vm_state == VMState.ACTIVE:
        assert row.task_state is None, where
        assert list(world.hypervisor.guests) == [instance.uuid], where
        assert instance.uuid in world.placement.consumers(), where
        assert all(port.device_id == instance.uuid for port in world.neutron_server.ports()), where
    elif row.vm_state == VMState.ERROR:
        assert row.task_state is None, where
        assert world.fault(instance) is not None, where
        assert world.leftovers() == {}, where
    else:
        assert (row.vm_state, row.task_state) == (VMState.BUILDING, TaskState.SCHEDULING), where
        assert len(world.conductor.handed_back) == 1, where
        assert world.leftovers() == {}, where


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_a_build_that_fails_anywhere_ends_well(error):
    def check(world, instance, call):
        settle(world)
        row = world.row(instance)
        is_waiting = (row.vm_state, row.task_state) == (VMState.BUILDING, TaskState.SCHEDULING)
        if is_waiting and row.host is None and not world.conductor.handed_back:
            # Not taken at all: the conductor's own look at stalled builds finds it.
            assert call.startswith("store instances"), call
            return
        is_at_rest(world, instance, call)

    calls = fails_everywhere(World, World.server, World.build, check, error)
    assert {call.split()[0] for call in calls} == {"store", "neutron", "placement", "driver"}


@pytest.mark.parametrize("failure", [HostFailure(reason="broken"), GuestRejected(reason="no")])
def test_a_failing_build_whose_undo_fails_is_mended_later(failure):
    def prepare(world):
        instance = world.server()
        world.hypervisor.script.fail("spawn", failure, after=True)
        return instance

    def check(world, instance, call):
        settle(world)
        row = world.row(instance)
        if row.vm_state == VMState.ERROR:
            # What an undo could not remove goes with the server.
            assert world.fault(instance) is not None, call
            world.delete(instance)
            settle(world)
            assert world.leftovers() == {}, call
        elif (row.vm_state, row.task_state) == (VMState.BUILDING, TaskState.SCHEDULING):
            assert row.host is None, call
            assert list(world.hypervisor.guests) == [], call
        else:
            is_at_rest(world, instance, call)

    fails_everywhere(World, prepare, World.build, check)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_a_delete_that_fails_anywhere_can_be_repeated(error):
    def work(world, instance):
        world.ask_delete(instance)
        world.terminate(instance)

    def check(world, instance, call):
        row = world.row(instance)
        if not row.deleted and row.task_state is None and row.vm_state != VMState.DELETED:
            assert row.vm_state == VMState.ERROR, call
            assert world.fault(instance) is not None, call
            world.delete(instance)
        settle(world)
        assert world.row(instance).deleted, call
        assert world.leftovers() == {}, call
        assert world.stores.bdms.rows == []

    fails_everywhere(World, World.booted, work, check, error)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("kind", ["stop", "start", "soft", "hard"])
def test_a_power_action_that_fails_anywhere_leaves_a_server_at_rest(kind, error):
    begin = {
        "stop": TaskState.POWERING_OFF,
        "start": TaskState.POWERING_ON,
        "soft": TaskState.REBOOTING,
        "hard": TaskState.REBOOTING_HARD,
    }[kind]

    def prepare(world):
        instance = world.booted()
        if kind == "start":
            world.stores.instances.change(instance.uuid, task_state=TaskState.POWERING_OFF)
            world.compute.stop_instance(world.context(), instance=instance)
        return instance

    def work(world, instance):
        world.stores.instances.change(instance.uuid, task_state=begin)
        ctx = world.context()
        if kind == "stop":
            world.compute.stop_instance(ctx, instance=instance, clean_shutdown=True)
        elif kind == "start":
            world.compute.start_instance(ctx, instance=instance)
        else:
            world.compute.reboot_instance(
                ctx, instance=instance, block_device_info=None, reboot_type=kind.upper()
            )

    def check(world, instance, call):
        settle(world)
        world.service.power_sync.sync_all()
        row = world.row(instance)
        assert row.task_state is None, call
        power = world.hypervisor.guests[instance.uuid].power
        assert row.power_state == power, call
        assert row.vm_state == (VMState.ACTIVE if power == 1 else VMState.STOPPED), call

    fails_everywhere(World, prepare, work, check, error)


def test_a_failed_power_action_has_a_fault_and_an_error_in_its_log(world):
    instance = world.booted()
    world.stores.instances.change(instance.uuid, task_state=TaskState.POWERING_OFF)
    world.hypervisor.script.fail("power_off", HostFailure(reason="stuck"))
    world.compute.stop_instance(world.context(), instance=instance)
    assert world.states(instance) == (VMState.ACTIVE, None)
    assert "stuck" in world.fault(instance).message
    assert world.stores.actions.results(instance.uuid)[-1] == ("compute_stop_instance", "Error")
