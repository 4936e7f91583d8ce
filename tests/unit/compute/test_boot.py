"""A build ends active, goes to another host, or ends in error; whatever fails leaves nothing behind."""

import pytest

from openkeel import objects
from openkeel.clients.errors import Unavailable
from openkeel.domain.states import PowerState, TaskState, VMState
from openkeel.virt.driver import GuestRejected, GuestTimeout, HostFailure

FRESH = (VMState.BUILDING, TaskState.SCHEDULING)


def test_a_build_ends_active_with_everything_recorded(world):
    instance = world.server()
    world.build(instance)
    row = world.row(instance)
    assert (row.vm_state, row.task_state) == (VMState.ACTIVE, None)
    assert row.power_state == PowerState.RUNNING
    assert (row.host, row.node, row.launched_on) == ("node-1", "node-1", "node-1")
    assert row.compute_id == world.host.tracker.node_id is not None
    assert row.launched_at == world.clock.now()
    assert world.stores.actions.results(instance.uuid) == [("compute__do_build_and_run_instance", "Success")]
    assert world.scheduler.servers == {instance.uuid: "node-1"}
    nics = world.stores.info_caches.rows[instance.uuid].network_info
    assert [nic["network"]["label"] for nic in nics] == ["private"]
    assert [vif.uuid for vif in world.stores.vifs.rows] == [nic["id"] for nic in nics]


def test_the_guest_is_made_from_the_servers_records(world):
    instance = world.server(key_data="ssh-ed25519 AAAA", user_data="aGk=", config_drive="True")
    world.build(instance)
    spec = world.hypervisor.guests[instance.uuid].spec
    assert spec.name == f"instance-{world.row(instance).id:08x}"
    assert (spec.vcpus, spec.memory_mib, spec.ssh_public_key) == (1, 512, "ssh-ed25519 AAAA")
    assert (spec.user_data, spec.config_drive, spec.admin_password) == ("aGk=", True, "secret")
    assert [(disk.kind, disk.size_mib, disk.image.id) for disk in spec.disks] == [
        ("root", 1024, instance.image_ref)
    ]
    port = next(port for port in world.neutron_server.ports() if port.device_id == instance.uuid)
    assert [(nic.port_id, nic.bridge) for nic in spec.nics] == [(port.id, "br-int")]
    assert port.host == "node-1"


def test_a_server_without_networks_needs_no_wire(world):
    instance = world.server()
    none = objects.NetworkRequestList(objects=[_network_request(network_id="none")])
    world.build(instance, requested_networks=none)
    assert world.states(instance) == (VMState.ACTIVE, None)
    assert world.hypervisor.guests[instance.uuid].spec.nics == ()


def test_the_users_own_port_survives_a_failed_build(world):
    instance = world.server()
    port_id = world.neutron_server.add_port(world.network_id, instance.project_id)
    requested = objects.NetworkRequestList(objects=[_network_request(port_id=port_id)])
    world.hypervisor.script.fail("spawn", GuestRejected(reason="no"))
    world.build(instance, requested_networks=requested)
    assert world.states(instance) == (VMState.ERROR, None)
    [port] = [port for port in world.neutron_server.ports() if port.id == port_id]
    assert (port.device_id, port.host) == ("", None)


@pytest.mark.parametrize("error", [HostFailure(reason="full"), GuestTimeout(seconds=1, what="it"), OSError()])
def test_a_failing_host_hands_the_server_to_the_next(world, error):
    instance = world.server()
    world.hypervisor.script.fail("spawn", error, after=True)
    world.build(instance, host_list=["next"])
    assert world.states(instance) == FRESH
    row = world.row(instance)
    assert (row.host, row.node, row.compute_id) == (None, None, None)
    [handed] = world.conductor.handed_back
    assert handed["host_lists"] == [["next"]]
    assert handed["admin_password"] == "secret"
    assert handed["filter_properties"]["retry"]["exc_reason"]
    assert world.fault(instance) is None
    assert world.leftovers() == {}


def test_a_server_comes_back_to_a_host_that_failed_it_before(world):
    instance = world.server()
    world.hypervisor.script.fail("spawn", HostFailure(reason="full"))
    world.build(instance)
    world.allocate(instance.uuid)
    world.build(world.row(instance))
    assert world.states(instance) == (VMState.ACTIVE, None)


def test_a_refused_guest_is_an_error_for_good(world):
    instance = world.server()
    world.hypervisor.script.fail("spawn", GuestRejected(reason="no such machine type"))
    world.build(instance)
    assert world.states(instance) == (VMState.ERROR, None)
    assert "no such machine type" in world.fault(instance).message
    assert "Traceback" in world.fault(instance).details
    assert world.row(instance).host is None
    assert world.stores.actions.results(instance.uuid)[-1][1] == "Error"
    assert world.conductor.handed_back == []
    assert world.leftovers() == {}


def test_when_no_host_is_left_the_fault_says_why_the_last_one_failed(world):
    instance = world.server()
    world.hypervisor.script.fail("spawn", HostFailure(reason="disk is full"))
    world.build(instance, host_list=[])
    assert world.states(instance) == (VMState.ERROR, None)
    assert "disk is full" in world.fault(instance).message
    assert world.leftovers() == {}


def test_a_server_that_must_be_here_is_not_sent_elsewhere(world):
    instance = world.server()
    world.hypervisor.script.fail("spawn", HostFailure(reason="full"))
    world.build(instance, filter_properties={})
    assert world.states(instance) == (VMState.ERROR, None)
    assert world.conductor.handed_back == []


def test_a_host_list_that_was_not_given_is_not_made_up(world):
    instance = world.server()
    world.hypervisor.script.fail("spawn", HostFailure(reason="full"))
    world.build(instance, host_list=None)
    assert world.conductor.handed_back[0]["host_lists"] is None


def test_a_server_whose_conductor_cannot_be_reached_is_not_stuck(world):
    instance = world.server()
    world.hypervisor.script.fail("spawn", HostFailure(reason="full"))
    world.conductor.error = Unavailable(service="RabbitMQ", detail="down")
    world.build(instance)
    assert world.states(instance) == (VMState.ERROR, None)
    assert world.fault(instance) is not None


def test_a_host_without_room_hands_the_server_on(world):
    instance = world.server()
    world.placement.delete_allocations(instance.uuid)
    world.build(instance)
    assert world.states(instance) == FRESH
    assert "allocated" in world.conductor.handed_back[0]["filter_properties"]["retry"]["exc_reason"]


def test_the_same_message_twice_makes_one_guest(world):
    instance = world.server()
    world.build(instance)
    before = world.hypervisor.guests[instance.uuid]
    world.build(instance)
    assert world.hypervisor.guests[instance.uuid] is before
    assert world.states(instance) == (VMState.ACTIVE, None)
    assert len(world.neutron_server.ports()) == 1


def test_the_same_message_twice_in_the_queue_is_built_once(world):
    instance = world.server()
    world.tasks.queued = []
    world.build(instance)
    world.build(instance)
    assert len(world.tasks.queued) == 1
    world.tasks.run_queued()
    assert world.states(instance) == (VMState.ACTIVE, None)


def test_a_late_second_message_does_not_touch_a_build_of_another_daemon(world):
    instance = world.server()
    world.stores.instances.change(instance.uuid, host="node-2", task_state=TaskState.SPAWNING)
    world.build(instance)
    assert world.states(instance) == (VMState.BUILDING, TaskState.SPAWNING)
    assert instance.uuid in world.placement.consumers()


@pytest.mark.parametrize("task", [TaskState.NETWORKING, TaskState.SPAWNING])
def test_a_late_second_message_does_not_take_a_server_that_is_being_built(world, task):
    instance = world.server()
    world.stores.instances.change(instance.uuid, host="node-1", task_state=task)
    world.build(instance)
    assert world.states(instance) == (VMState.BUILDING, task)
    assert world.hypervisor.guests == {}
    assert instance.uuid in world.placement.consumers()


def test_a_queued_build_belongs_to_this_host_already(world):
    """So that recovery finds it when the daemon is killed before its turn."""
    instance = world.server()
    world.tasks.queued = []
    world.build(instance)
    assert world.row(instance).host == "node-1"


def test_a_build_whose_turn_comes_while_the_daemon_stops_goes_elsewhere(world):
    instance = world.server()
    world.tasks.queued = []
    world.build(instance)
    world.service.stop()
    world.tasks.run_queued()
    assert world.states(instance) == FRESH
    assert len(world.conductor.handed_back) == 1
    assert world.leftovers() == {}


def test_a_lost_answer_to_the_last_step_does_not_undo_the_server(world):
    instance = world.server()
    lost = Unavailable(service="conductor", detail="no answer")

    def lose_next():
        world.stores.calls.faults.fail("instances.save", lost, after=True)

    world.hypervisor.script.during("observe", lose_next)
    world.build(instance)
    assert world.states(instance) == (VMState.ACTIVE, None)
    assert instance.uuid in world.hypervisor.guests


def test_accelerators_are_refused(world):
    instance = world.server()
    world.build(instance, accel_uuids=["x"])
    assert instance.uuid not in world.hypervisor.guests


def test_builds_that_take_too_long_are_failed(world):
    world.start(build_timeout_s=60)
    instance = world.server()
    world.tasks.queued = []
    world.build(instance)
    world.clock.pass_(61)
    world.service.boot.fail_slow_builds()
    assert world.states(instance) == (VMState.ERROR, None)
    world.tasks.run_queued()
    assert world.leftovers() == {}


def test_an_unknown_error_tells_the_owner_only_its_kind(world):
    instance = world.server()
    world.hypervisor.script.fail("spawn", RuntimeError("password=hunter2 at 10.1.1.1"))
    world.build(instance, filter_properties={})
    fault = world.fault(instance)
    assert "RuntimeError" in fault.message
    assert "10.1.1.1" not in fault.message
    assert "10.1.1.1" in fault.details
    assert "hunter2" not in fault.details


def test_an_answer_that_never_comes_to_the_last_step_leaves_the_guest_for_recovery(world):
    instance = world.server()
    lost = Unavailable(service="conductor", detail="no answer")
    world.hypervisor.script.during(
        "observe", lambda: world.stores.calls.faults.fail("instances.save", lost, times=1)
    )
    world.build(instance)
    assert instance.uuid in world.hypervisor.guests
    world.clock.pass_(61)
    world.service.recovery.recover_stalled()
    assert world.states(instance) == (VMState.ACTIVE, None)


DOWN = Unavailable(service="Neutron", detail="busy")


def test_ports_are_asked_for_again_after_growing_pauses(world):
    world.start(port_retries=6)
    world.neutron_server.faults.fail("POST ports", DOWN, times=12)  # a try is two
    instance, began = world.server(), world.clock.now()
    world.build(instance)
    assert world.states(instance) == (VMState.ACTIVE, None)
    assert (world.clock.now() - began).total_seconds() == 1 + 2 + 4 + 8 + 16 + 30
    assert len([port for port in world.neutron_server.ports() if port.device_id]) == 1


def test_a_host_that_gets_no_ports_after_all_tries_hands_the_server_on(world):
    world.start(port_retries=1)
    world.neutron_server.faults.fail("POST ports", DOWN, times=4)
    instance = world.server()
    world.build(instance)
    assert world.states(instance) == FRESH
    assert len(world.conductor.handed_back) == 1
    assert world.leftovers() == {}


def test_nobody_asks_for_ports_of_a_server_that_is_being_deleted(world):
    world.start(port_retries=3)
    instance, began = world.server(), world.clock.now()

    def fail(call):
        if call == "POST ports":
            world.ask_delete(instance)
            raise DOWN

    world.neutron_server.faults.before = fail
    world.build(instance)
    assert world.clock.now() == began
    assert world.states(instance) == (VMState.BUILDING, TaskState.DELETING)


@pytest.mark.parametrize(
    ("network", "given", "reached_by"),
    [
        ("private", {}, ("10.0.0", None)),
        ("private", {"access_ip_v6": "fd00::1"}, (None, "fd00::1")),
        ("elsewhere", {}, (None, None)),
        (None, {}, (None, None)),
    ],
)
def test_addresses_of_a_network_become_access_addresses(world, network, given, reached_by):
    world.start(access_network=network)
    instance = world.server(**given)
    world.build(instance)
    row = world.row(instance)
    found = (row.access_ip_v4 and str(row.access_ip_v4).rpartition(".")[0], row.access_ip_v6)
    assert (found[0], found[1] and str(found[1])) == reached_by


def _network_request(**values):
    return objects.NetworkRequest(
        **{
            "network_id": None,
            "address": None,
            "port_id": None,
            "pci_request_id": None,
            "tag": None,
            "arq_uuid": None,
            "device_profile": None,
            **values,
        }
    )
