"""Events of other services: early, late, twice, in the wrong order, lost."""

import threading

import pytest

from openkeel import objects
from openkeel.clients.errors import Unavailable
from openkeel.compute.settings import Settings
from openkeel.compute.tasks import ThreadTasks
from openkeel.compute.waiters import Waiters
from openkeel.domain.errors import InstanceDeleting, Timeout, VirtualInterfaceCreateFailed
from openkeel.domain.states import VMState
from tests.fixtures.compute_world import World

SERVER, PORT, OTHER = "server", "port-1", "port-2"


def none_active():
    return ()


@pytest.fixture
def waiters():
    return Waiters()


def test_an_event_that_came_before_anybody_waited_counts(waiters):
    with waiters.listen(SERVER) as plugging:
        waiters.mark(SERVER, PORT, plugged=True)
        plugging.wait([PORT], 0, none_active)


def test_an_event_that_comes_twice_counts_once_and_harms_nothing(waiters):
    with waiters.listen(SERVER) as plugging:
        waiters.mark(SERVER, PORT, plugged=True)
        waiters.mark(SERVER, PORT, plugged=True)
        with pytest.raises(Timeout) as caught:
            plugging.wait([PORT, OTHER], 0, none_active)
    assert caught.value.facts["ports"] == [OTHER]


def test_a_wire_that_was_unplugged_again_is_missing(waiters):
    with waiters.listen(SERVER) as plugging:
        waiters.mark(SERVER, PORT, plugged=True)
        waiters.mark(SERVER, PORT, plugged=False)
        with pytest.raises(Timeout):
            plugging.wait([PORT], 0, none_active)


def test_a_late_event_wakes_who_waits(waiters):
    with waiters.listen(SERVER) as plugging:
        thread = threading.Timer(0.05, waiters.mark, (SERVER, PORT), {"plugged": True})
        thread.start()
        plugging.wait([PORT], 10, none_active)
        thread.join()


def test_an_event_nobody_waits_for_is_dropped(waiters):
    assert waiters.mark(SERVER, PORT, plugged=True) is False
    with waiters.listen(SERVER) as plugging, pytest.raises(Timeout):
        plugging.wait([PORT], 0, none_active)


def test_a_lost_event_is_made_good_by_the_ports_own_state(waiters):
    with waiters.listen(SERVER) as plugging:
        plugging.wait([PORT], 10, lambda: [PORT], poll_s=0.01)


def test_a_failure_that_neutron_reports_ends_the_wait(waiters):
    with waiters.listen(SERVER) as plugging:
        waiters.mark(SERVER, PORT, plugged=False, failed=True)
        with pytest.raises(VirtualInterfaceCreateFailed):
            plugging.wait([PORT], 10, none_active)


def test_the_failure_of_a_port_nobody_asked_about_does_not(waiters):
    with waiters.listen(SERVER) as plugging:
        waiters.mark(SERVER, OTHER, plugged=False, failed=True)
        waiters.mark(SERVER, PORT, plugged=True)
        plugging.wait([PORT], 0, none_active)


def test_a_delete_ends_the_wait(waiters):
    with waiters.listen(SERVER) as plugging:
        assert waiters.cancel(SERVER)
        with pytest.raises(InstanceDeleting):
            plugging.wait([PORT], 10, none_active)
    assert waiters.cancel(SERVER) is False


# In a build


def event(instance, name, tag, status="completed"):
    return objects.InstanceExternalEvent(
        instance_uuid=instance.uuid, name=name, tag=tag, status=status, data={}
    )


def send(world, instance, *events):
    row = world.row(instance)
    world.compute.external_instance_event(world.context(), instances=[row], events=list(events))


def test_a_build_fails_when_its_wires_are_never_plugged(world):
    world.start(vif_plugging_timeout_s=0.01)
    world.hypervisor.plugs = False
    instance = world.server()
    world.build(instance)
    assert world.states(instance) == (VMState.ERROR, None)
    assert "Virtual Interface creation failed" in world.fault(instance).message
    assert world.leftovers() == {}


@pytest.mark.parametrize("change", [{"vif_plugging_is_fatal": False}, {"vif_plugging_timeout_s": 0}])
def test_an_operator_may_choose_not_to_care(world, change):
    world.start(**{"vif_plugging_timeout_s": 0.01, **change})
    world.hypervisor.plugs = False
    instance = world.server()
    world.build(instance)
    assert world.states(instance) == (VMState.ACTIVE, None)


def test_a_build_whose_event_got_lost_ends_active(world):
    world.start(vif_plugging_timeout_s=0.01)
    world.neutron_server.on_event = None
    instance = world.server()
    world.build(instance)
    assert world.states(instance) == (VMState.ACTIVE, None)


def test_a_port_that_is_active_already_is_not_waited_for(world):
    instance = world.server()
    port_id = world.neutron_server.add_port(world.network_id, instance.project_id)
    world.neutron_server.plug(port_id)
    world.hypervisor.plugs = False
    request = objects.NetworkRequest(
        network_id=None, address=None, port_id=port_id, tag="nic1", pci_request_id=None
    )
    world.build(instance, requested_networks=objects.NetworkRequestList(objects=[request]))
    assert world.states(instance) == (VMState.ACTIVE, None)
    assert [(vif.uuid, vif.tag) for vif in world.stores.vifs.rows] == [(port_id, "nic1")]


def test_a_failing_plug_fails_the_build_at_once():
    world = World(Settings(vif_plugging_timeout_s=300, periodic_enabled=False), tasks=ThreadTasks())
    world.hypervisor.plugs = False
    instance = world.server()
    refused = threading.Event()

    def refuse():
        [port] = [port for port in world.neutron_server.ports() if port.device_id == instance.uuid]
        send(world, instance, event(instance, "network-vif-plugged", port.id, "failed"))
        refused.set()

    world.hypervisor.script.during("spawn", refuse)
    world.build(instance)
    assert refused.wait(10)
    world.tasks.drain(10)
    assert world.states(instance) == (VMState.ERROR, None)
    assert world.leftovers() == {}


# Outside of builds


def test_a_changed_network_refreshes_what_we_remember(world):
    instance = world.booted()
    [port] = world.neutron_server.ports()
    world.neutron_server.add_floating_ip(port.id, "203.0.113.5")
    send(world, instance, event(instance, "network-changed", port.id))
    [nic] = world.stores.info_caches.rows[instance.uuid].network_info
    [address] = nic["network"]["subnets"][0]["ips"]
    assert [floating["address"] for floating in address["floating_ips"]] == ["203.0.113.5"]


def test_a_deleted_port_leaves_what_we_remember(world):
    instance = world.booted()
    [port] = world.neutron_server.ports()
    send(world, instance, event(instance, "network-vif-deleted", port.id))
    assert world.stores.info_caches.rows[instance.uuid].network_info == []
    assert world.stores.vifs.rows == []


def test_one_event_that_cannot_be_handled_does_not_stop_the_next(world):
    instance = world.booted()
    [port] = world.neutron_server.ports()
    world.neutron_server.faults.fail("GET ports", Unavailable(service="Neutron", detail="down"))
    send(
        world,
        instance,
        event(instance, "network-changed", port.id),
        event(instance, "network-vif-deleted", port.id),
    )
    assert world.stores.info_caches.rows[instance.uuid].network_info == []


def test_events_of_a_deleted_server_and_unknown_events_are_quiet(world):
    instance = world.booted()
    row = world.row(instance)
    world.delete(instance)
    world.compute.external_instance_event(
        world.context(),
        instances=[row],
        events=[event(instance, "network-changed", None), event(instance, "power-update", "POWER_ON")],
    )
    assert world.row(instance).deleted
