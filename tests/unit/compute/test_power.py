"""Start, stop, reboot, and keeping the record and the guest together."""

import pytest

from openkeel.domain.states import PowerState, TaskState, VMState
from openkeel.virt.driver import GuestEvent, GuestEventKind, HostFailure


def guest(world, instance):
    return world.hypervisor.guests[instance.uuid]


def ask(world, instance, task):
    world.stores.instances.change(instance.uuid, task_state=task)


@pytest.fixture
def stopped(world):
    instance = world.booted()
    ask(world, instance, TaskState.POWERING_OFF)
    world.compute.stop_instance(world.context(), instance=instance, clean_shutdown=True)
    return instance


def test_a_stopped_server_has_its_guest_off(world, stopped):
    assert world.states(stopped) == (VMState.STOPPED, None)
    assert world.row(stopped).power_state == PowerState.SHUTDOWN
    assert guest(world, stopped).power == PowerState.SHUTDOWN
    assert world.stores.actions.results(stopped.uuid)[-1] == ("compute_stop_instance", "Success")


def test_a_stopped_server_starts_from_its_present_record(world, stopped):
    world.stores.instances.change(stopped.uuid, display_name="renamed")
    ask(world, stopped, TaskState.POWERING_ON)
    world.compute.start_instance(world.context(), instance=stopped)
    assert world.states(stopped) == (VMState.ACTIVE, None)
    assert world.row(stopped).power_state == PowerState.RUNNING
    spec = guest(world, stopped).spec
    assert (spec.display_name, spec.disks[0].image.disk_format) == ("renamed", "qcow2")
    assert [nic.bridge for nic in spec.nics] == ["br-int"]


def test_a_stopped_server_whose_guest_is_lost_gets_a_new_one(world, stopped):
    del world.hypervisor.guests[stopped.uuid]
    ask(world, stopped, TaskState.POWERING_ON)
    world.compute.start_instance(world.context(), instance=stopped)
    assert guest(world, stopped).power == PowerState.RUNNING


def test_a_late_second_delivery_of_a_stop_leaves_the_guest_alone(world):
    instance = world.booted()
    world.compute.stop_instance(world.context(), instance=instance, clean_shutdown=True)
    assert guest(world, instance).power == PowerState.RUNNING
    assert world.states(instance) == (VMState.ACTIVE, None)


def test_a_stop_of_a_server_that_is_being_deleted_leaves_the_rest_to_the_delete(world):
    instance = world.booted()
    ask(world, instance, TaskState.DELETING)
    world.compute.stop_instance(world.context(), instance=instance, clean_shutdown=True)
    assert guest(world, instance).power == PowerState.RUNNING
    assert world.states(instance) == (VMState.ACTIVE, TaskState.DELETING)
    assert world.fault(instance) is None


def test_a_server_without_guest_counts_as_stopped(world):
    instance = world.booted()
    del world.hypervisor.guests[instance.uuid]
    ask(world, instance, TaskState.POWERING_OFF)
    world.compute.stop_instance(world.context(), instance=instance, clean_shutdown=True)
    assert world.states(instance) == (VMState.STOPPED, None)


def reboot(world, instance, kind):
    task = TaskState.REBOOTING if kind == "SOFT" else TaskState.REBOOTING_HARD
    ask(world, instance, task)
    world.compute.reboot_instance(
        world.context(), instance=instance, block_device_info=None, reboot_type=kind
    )


@pytest.mark.parametrize("kind", ["SOFT", "HARD"])
def test_a_rebooted_server_is_active_again(world, kind):
    instance = world.booted()
    reboot(world, instance, kind)
    assert world.states(instance) == (VMState.ACTIVE, None)
    assert guest(world, instance).starts == 2


def test_a_guest_that_does_not_listen_is_rebooted_by_force(world):
    world.hypervisor.asks_guests = False
    instance = world.booted()
    reboot(world, instance, "SOFT")
    assert guest(world, instance).starts == 2


def test_a_guest_that_cannot_be_asked_is_rebooted_by_force(world):
    instance = world.booted()
    world.hypervisor.script.fail("reboot_soft", HostFailure(reason="no agent"))
    reboot(world, instance, "SOFT")
    assert guest(world, instance).starts == 2


def test_a_hard_reboot_overtakes_a_soft_one(world):
    instance = world.booted()
    world.hypervisor.script.during("reboot_soft", lambda: ask(world, instance, TaskState.REBOOTING_HARD))
    reboot(world, instance, "SOFT")
    assert world.states(instance) == (VMState.ACTIVE, TaskState.REBOOTING_HARD)
    assert world.fault(instance) is None


# Keeping together


def test_a_guest_that_went_off_by_itself_makes_its_server_stopped(world):
    instance = world.booted()
    world.hypervisor.shut_down_by_itself(instance.uuid)
    assert world.states(instance) == (VMState.ACTIVE, None), "not at once: it may be a reboot"
    world.tasks.run_later()
    assert world.states(instance) == (VMState.STOPPED, None)
    assert (instance.uuid, "stop") in world.stores.actions.started


def test_a_guest_that_is_back_in_time_is_left_alone(world):
    instance = world.booted()
    world.hypervisor.shut_down_by_itself(instance.uuid)
    guest(world, instance).power = PowerState.RUNNING
    world.tasks.run_later()
    assert world.states(instance) == (VMState.ACTIVE, None)


def test_events_can_be_switched_off_and_the_periodic_look_still_finds_it(world):
    world.start(handle_lifecycle_events=False)
    instance = world.booted()
    world.hypervisor.shut_down_by_itself(instance.uuid, PowerState.CRASHED)
    assert world.tasks.delayed == []
    world.service.power_sync.sync_all()
    assert world.states(instance) == (VMState.STOPPED, None)


def test_a_guest_that_runs_although_its_server_is_stopped_is_turned_off(world, stopped):
    guest(world, stopped).power = PowerState.RUNNING
    world.service.power_sync.sync_all()
    assert guest(world, stopped).power == PowerState.SHUTDOWN
    assert world.states(stopped) == (VMState.STOPPED, None)
    assert world.row(stopped).power_state == PowerState.SHUTDOWN


def test_a_server_that_something_is_done_to_is_not_synced(world):
    instance = world.booted()
    ask(world, instance, TaskState.REBOOTING)
    world.hypervisor.guests[instance.uuid].power = PowerState.SHUTDOWN
    world.service.power_sync.sync(instance.uuid)
    assert world.states(instance) == (VMState.ACTIVE, TaskState.REBOOTING)


def test_a_server_whose_guest_is_lost_is_not_stopped(world):
    instance = world.booted()
    del world.hypervisor.guests[instance.uuid]
    world.service.power_sync.sync_all()
    assert world.states(instance) == (VMState.ACTIVE, None)
    assert world.row(instance).power_state == PowerState.NOSTATE


def test_an_event_of_a_deleted_server_is_quiet(world):
    instance = world.booted()
    world.delete(instance)
    world.service.power_sync.on_event(GuestEvent(instance.uuid, GuestEventKind.STOPPED, world.clock.now()))
    world.tasks.run_later()
    assert world.row(instance).deleted
