"""Delete always wins: in every state, during a build at each step, and repeated."""

import threading

import pytest

from openkeel import objects
from openkeel.compute.settings import Settings
from openkeel.compute.tasks import ThreadTasks
from openkeel.domain.states import PowerState, TaskState, VMState
from openkeel.virt.driver import HostFailure
from tests.fixtures.compute_world import World, eventually
from tests.fixtures.fails_everywhere import fails_everywhere


def test_a_deleted_server_leaves_nothing(world):
    instance = world.booted()
    bdm = objects.BlockDeviceMapping(instance_uuid=instance.uuid, source_type="image")
    world.stores.bdms.create(bdm)
    world.delete(instance)
    row = world.row(instance)
    assert (row.vm_state, row.task_state, row.deleted) == (VMState.DELETED, None, True)
    assert row.power_state == PowerState.NOSTATE
    assert row.terminated_at == world.clock.now()
    assert world.leftovers() == {}
    assert world.stores.bdms.rows == []
    assert world.scheduler.servers == {}
    assert world.stores.actions.results(instance.uuid)[-1] == ("compute_terminate_instance", "Success")


def test_the_users_own_port_survives_its_server(world):
    instance = world.server()
    port_id = world.neutron_server.add_port(world.network_id, instance.project_id)
    request = objects.NetworkRequest(
        network_id=None, address=None, port_id=port_id, tag=None, pci_request_id=None
    )
    world.build(instance, requested_networks=objects.NetworkRequestList(objects=[request]))
    world.delete(instance)
    assert [(port.id, port.device_id) for port in world.neutron_server.ports()] == [(port_id, "")]


@pytest.mark.parametrize("vm_state", [VMState.ACTIVE, VMState.STOPPED, VMState.ERROR, VMState.BUILDING])
@pytest.mark.parametrize("task_state", [None, TaskState.POWERING_OFF, TaskState.SPAWNING])
def test_a_server_can_be_deleted_in_every_state(world, vm_state, task_state):
    instance = world.booted()
    world.stores.instances.change(instance.uuid, vm_state=vm_state, task_state=task_state)
    world.delete(instance)
    assert world.row(instance).deleted
    assert world.leftovers() == {}


def test_a_delete_that_comes_twice_is_fine(world):
    instance = world.booted()
    world.delete(instance)
    world.terminate(instance)
    assert world.row(instance).deleted


def test_the_guest_of_a_server_that_was_deleted_without_us_goes(world):
    instance = world.booted()
    world.stores.instances.destroy(world.row(instance))
    world.terminate(instance)
    assert world.hypervisor.guests == {}


def test_a_failed_delete_has_a_fault_and_can_be_repeated(world):
    instance = world.booted()
    world.hypervisor.script.fail("destroy", HostFailure(reason="stuck"))
    world.delete(instance)
    assert world.states(instance) == (VMState.ERROR, None)
    assert "stuck" in world.fault(instance).message
    world.delete(instance)
    assert world.leftovers() == {}


def test_a_server_deleted_while_it_waits_for_its_turn_is_not_built(world):
    instance = world.server()
    world.tasks.queued = []
    world.build(instance)
    world.delete(instance)
    world.tripwire.arm(None, None)
    world.tasks.run_queued()
    assert not [call for call in world.tripwire.calls if "POST ports" in call or "spawn" in call]
    assert world.row(instance).deleted
    assert world.leftovers() == {}


def test_a_delete_at_any_moment_of_a_build_leaves_nothing():
    """The owner deletes the server just before each call that the build makes."""
    calls = fails_everywhere(World, World.server, World.build, lambda *_: None)

    for number, call in enumerate(calls):
        if number < 2:  # before the server was taken the API deletes it by itself
            continue
        world = World()
        instance = world.server()
        act = world.deleting_meanwhile(instance)
        world.tripwire.arm_action(number, act)
        world.build(instance)
        for thread in world.threads:
            thread.join(10)
        assert world.threads, call
        assert world.row(instance).deleted, call
        assert world.leftovers() == {}, call
        assert world.conductor.handed_back == [], call


def test_a_delete_does_not_wait_for_the_wires_of_a_build():
    settings = Settings(vif_plugging_timeout_s=300, periodic_enabled=False)
    world = World(settings, tasks=ThreadTasks())
    world.hypervisor.plugs = False
    spawned = threading.Event()
    world.neutron_server.on_event = None
    instance = world.server()
    world.hypervisor.script.during("spawn", spawned.set)
    world.build(instance)
    assert spawned.wait(10)
    world.delete(instance)
    world.tasks.drain(10)
    assert world.row(instance).deleted
    assert world.leftovers() == {}


def test_ports_that_are_still_being_made_when_a_build_is_deleted_go_as_well():
    world = World(tasks=ThreadTasks())
    making, unwinding = threading.Event(), threading.Event()
    instance = world.server()
    create = world.neutron_server._create_port

    def slowly(*args):
        making.set()
        unwinding.wait(0.5)
        return create(*args)

    world.neutron_server._routes = tuple(
        (verb, path, slowly if (verb, path) == ("POST", "/ports") else handler)
        for verb, path, handler in world.neutron_server._routes
    )

    def deleted_before_the_disks():
        assert making.wait(10)
        world.ask_delete(instance)

    # The first save is admission's, the second the build's step to its disks.
    world.stores.calls.during("instances.save", lambda: None)
    world.stores.calls.during("instances.save", deleted_before_the_disks)
    world.build(instance)
    eventually(lambda: not world.service.boot.is_under_way(instance.uuid))
    world.terminate(instance)
    world.tasks.drain(10)
    assert making.is_set()
    assert world.row(instance).deleted
    assert world.leftovers() == {}


def test_a_delete_interrupts_a_guest_that_is_being_made():
    world = World(tasks=ThreadTasks())
    started, gone = threading.Event(), threading.Event()
    instance = world.server()

    def importing_for_an_hour():
        started.set()
        assert gone.wait(10), "nobody interrupted"
        raise HostFailure(reason="the guest vanished")

    world.hypervisor.script.during("spawn", importing_for_an_hour)
    world.hypervisor.script.during("destroy", gone.set)
    world.build(instance)
    assert started.wait(10)
    world.delete(instance)
    world.tasks.drain(10)
    assert world.row(instance).deleted
    assert world.conductor.handed_back == []
    assert world.leftovers() == {}


# What deleted servers left behind


def deleted_without_us(world, **values):
    """Its row is dead, and everything it had on this host is here."""
    instance = world.booted()
    world.stores.instances.change(
        instance.uuid, deleted=True, vm_state=VMState.DELETED, task_state=None, **values
    )
    return instance


def test_what_deleted_servers_left_is_removed_once(world):
    instance, alive = deleted_without_us(world), world.booted()
    world.service.delete.sweep_deleted()
    assert list(world.hypervisor.guests) == [alive.uuid]
    row = world.row(instance)
    assert (row.cleaned, row.system_metadata["clean_attempts"]) == (True, "1")
    assert row.system_metadata["image_disk_format"] == "qcow2"
    world.hypervisor.script.fail("destroy", HostFailure(reason="asked again"))
    world.service.delete.sweep_deleted()
    assert world.row(instance).system_metadata["clean_attempts"] == "1"


def test_a_deleted_server_is_swept_after_as_well(world):
    instance = world.booted()
    world.delete(instance)
    assert not world.row(instance).cleaned
    world.service.delete.sweep_deleted()
    assert world.row(instance).cleaned


@pytest.mark.parametrize("error", [HostFailure(reason="busy"), RuntimeError("a fault of ours")])
def test_what_cannot_be_removed_is_tried_so_often_and_keeps_nobody_waiting(world, error):
    world.start(delete_attempts=2)
    instance, other = deleted_without_us(world), deleted_without_us(world)
    world.hypervisor.script.fail("destroy", error)
    world.service.delete.sweep_deleted()
    cleaned = [world.row(one).cleaned for one in (instance, other)]
    assert sorted(cleaned) == [False, True]
    world.hypervisor.script.fail("destroy", error)
    world.service.delete.sweep_deleted()
    world.service.delete.sweep_deleted()
    left = instance if not world.row(instance).cleaned else other
    assert world.row(left).system_metadata["clean_attempts"] == "2"
    assert left.uuid in world.hypervisor.guests


def test_servers_deleted_on_another_host_are_not_ours(world):
    instance = deleted_without_us(world, host="node-2")
    world.service.delete.sweep_deleted()
    assert not world.row(instance).cleaned
