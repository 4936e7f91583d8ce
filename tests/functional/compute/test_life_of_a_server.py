"""A server's life on one host, with its rows in a real database behind a conductor."""

import pytest

from openkeel import objects
from openkeel.domain.states import PowerState, TaskState, VMState
from openkeel.virt.driver import GuestRejected, HostFailure


def test_a_server_boots_stops_starts_reboots_and_goes(world, cell):
    instance = world.server()
    ctx = world.context()
    cell.actions.start(ctx, instance.uuid, "create")
    world.context = lambda: ctx
    bdm = objects.BlockDeviceMapping(
        instance_uuid=instance.uuid, source_type="image", destination_type="local", boot_index=0
    )
    cell.bdms.create(bdm)

    world.build(instance)
    row = world.row(instance)
    assert (row.vm_state, row.task_state, row.power_state) == (VMState.ACTIVE, None, PowerState.RUNNING)
    assert (row.host, row.launched_on, row.launched_at) == ("node-1", "node-1", world.clock.now())
    assert [nic["network"]["label"] for nic in row.info_cache.network_info] == ["private"]
    [node] = cell.compute_nodes.list_by_host("node-1")
    assert (node.vcpus_used, node.stats["num_vm_active"], row.compute_id) == (1, "1", node.id)

    for task, act, states in (
        (TaskState.POWERING_OFF, world.compute.stop_instance, (VMState.STOPPED, PowerState.SHUTDOWN)),
        (TaskState.POWERING_ON, world.compute.start_instance, (VMState.ACTIVE, PowerState.RUNNING)),
    ):
        world.records.change(instance.uuid, task_state=task)
        act(ctx, instance=world.row(instance))
        row = world.row(instance)
        assert (row.vm_state, row.power_state, row.task_state) == (*states, None)
    for kind, task in (("SOFT", TaskState.REBOOTING), ("HARD", TaskState.REBOOTING_HARD)):
        world.records.change(instance.uuid, task_state=task)
        world.compute.reboot_instance(
            ctx, instance=world.row(instance), block_device_info=None, reboot_type=kind
        )
        assert world.states(instance) == (VMState.ACTIVE, None)

    world.delete(instance)
    row = world.row(instance)
    assert (bool(row.deleted), row.vm_state, row.task_state) == (True, VMState.DELETED, None)
    assert world.leftovers() == {}
    assert list(cell.vifs.list(instance.uuid)) == []
    assert list(cell.bdms.list(instance.uuid)) == []
    [action] = cell.actions.list(instance.uuid)
    events = [(event.event, event.result, event.host) for event in cell.actions.list_events(action.id)]
    assert ("compute__do_build_and_run_instance", "Success", "node-1") in events
    assert ("compute_terminate_instance", "Success", "node-1") in events
    world.host.tracker.update()
    [node] = cell.compute_nodes.list_by_host("node-1")
    assert node.vcpus_used == 0


@pytest.mark.parametrize(
    ("failure", "states"),
    [
        (GuestRejected(reason="no such machine"), (VMState.ERROR, None)),
        (HostFailure(reason="full"), (VMState.BUILDING, TaskState.SCHEDULING)),
    ],
)
def test_a_failed_build_leaves_its_row_without_a_host(world, cell, failure, states):
    instance = world.server()
    world.hypervisor.script.fail("spawn", failure)
    world.build(instance)
    row = world.row(instance)
    assert (row.vm_state, row.task_state) == states
    assert (row.host, row.node, row.compute_id) == (None, None, None)
    fault = cell.faults.find_latest(instance.uuid)
    assert (fault is not None) == (row.vm_state == VMState.ERROR)
    assert world.leftovers() == {}


def test_a_delete_during_the_build_wins(world):
    instance = world.server()
    world.hypervisor.script.during("spawn", world.deleting_meanwhile(instance))
    world.build(instance)
    for thread in world.threads:
        thread.join(20)
    assert world.row(instance).deleted
    assert world.leftovers() == {}


def test_a_restarted_daemon_brings_its_servers_to_rest(world, cell):
    building, deleting, stopping = world.server(), world.booted(), world.booted()
    world.records.change(building.uuid, host="node-1", task_state=TaskState.SPAWNING)
    world.records.change(deleting.uuid, task_state=TaskState.DELETING)
    world.records.change(stopping.uuid, task_state=TaskState.POWERING_OFF)
    world.start()
    assert world.states(building) == (VMState.ERROR, None)
    assert cell.faults.find_latest(building.uuid) is not None
    assert world.row(deleting).deleted
    assert world.states(stopping) == (VMState.STOPPED, None)


def test_guests_and_allocations_of_deleted_servers_are_removed(world, cell):
    instance = world.booted()
    cell.instances.destroy(cell.instances.get(instance.uuid))
    world.host.tracker.update()
    world.service.recovery.remove_strangers()
    assert world.hypervisor.guests == {}
    assert world.placement.consumers() == {}


def test_a_guest_that_went_off_by_itself_is_stopped_with_an_action(world, cell):
    instance = world.booted()
    world.hypervisor.shut_down_by_itself(instance.uuid)
    world.tasks.run_later()
    assert world.states(instance) == (VMState.STOPPED, None)
    [action] = [action for action in cell.actions.list(instance.uuid) if action.action == "stop"]
    [event] = cell.actions.list_events(action.id)
    assert (event.event, event.result) == ("compute_stop_instance", "Success")
