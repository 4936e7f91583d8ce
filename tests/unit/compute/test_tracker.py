"""What the host says about itself in the database and in Placement."""

import json

import pytest

from openkeel import objects
from openkeel.clients.errors import Unavailable
from openkeel.clients.placement.types import AllocationRequest, Inventory
from openkeel.compute.settings import Ratios, Reserved
from openkeel.domain.errors import ComputeResourcesUnavailable, Internal, Unsupported
from openkeel.domain.states import TaskState, VMState
from openkeel.virt.driver import HostInventory
from tests.fixtures.compute_world import World


def record(world):
    [row] = world.stores.compute_nodes.rows.values()
    return row


def provider(world):
    return world.placement.find_provider(world.host.tracker.node_uuid)


def test_a_new_host_is_registered_everywhere_under_one_uuid(world):
    row = record(world)
    assert (row.host, row.hypervisor_hostname, row.mapped) == ("node-1", "node-1", 0)
    assert provider(world).name == "node-1"
    assert row.uuid == provider(world).uuid == world.hypervisor.node_uuid("other")
    assert (row.vcpus, row.memory_mb, row.local_gb) == (64, 262144, 4096)
    assert (row.vcpus_used, row.memory_mb_used, row.free_ram_mb) == (0, 512, 262144 - 512)
    assert (row.hypervisor_type, row.hypervisor_version) == ("fake", 1000)
    assert json.loads(row.cpu_info)["arch"] == "x86_64"
    [spec] = row.supported_hv_specs
    assert (spec.arch, spec.hv_type, spec.vm_mode) == ("x86_64", "kvm", "hvm")
    assert row.stats == {"failed_builds": "0", "io_workload": "0"}


def test_a_host_that_is_started_again_keeps_its_uuid(world):
    before = record(world).uuid
    world.start()
    assert record(world).uuid == before


def test_a_host_whose_node_belongs_to_another_record_refuses_to_start(world):
    world.hypervisor._node_uuid = "00000000-0000-0000-0000-000000000000"
    with pytest.raises(Internal, match="says it is compute node"):
        world.start()


def test_the_identity_is_kept_where_nova_compute_looks_for_it(world, tmp_path):
    world.start(state_path=str(tmp_path / "state"))
    assert (tmp_path / "state" / "compute_id").read_text() == record(world).uuid
    world.start(state_path=str(tmp_path / "state"))
    assert provider(world).uuid == record(world).uuid


def test_a_host_that_was_told_its_identity_before_its_first_start_takes_it(world, tmp_path):
    told = "11111111-2222-3333-4444-555555555555"
    (tmp_path / "compute_id").write_text(told + "\n")
    world.placement.delete_provider(record(world).uuid)
    world.stores.compute_nodes.rows.clear()
    world.hypervisor._node_uuid = None
    world.start(state_path=str(tmp_path))
    assert record(world).uuid == told == provider(world).uuid


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("11111111-2222-3333-4444-555555555555", "state folder that it is"), ("what?", "holds no UUID")],
)
def test_a_host_whose_state_folder_says_otherwise_refuses_to_start(world, tmp_path, text, complaint):
    (tmp_path / "compute_id").write_text(text)
    with pytest.raises(Internal, match=complaint):
        world.start(state_path=str(tmp_path))


def test_a_state_folder_that_takes_no_file_does_not_keep_a_host_from_starting(world, tmp_path, caplog):
    (tmp_path / "file").write_text("")
    world.start(state_path=str(tmp_path / "file"))
    assert "compute_id cannot be written" in caplog.text


def test_inventories_have_the_reserves_and_ratios_of_the_configuration(world):
    world.start(ratios=Ratios(cpu=8.0, memory=1.5), reserved=Reserved(cpus=2, memory_mib=1024, disk_mib=1500))
    found = {
        name: (entry.total, entry.reserved, entry.allocation_ratio)
        for name, entry in provider(world).inventories.items()
    }
    assert found == {"VCPU": (64, 2, 8.0), "MEMORY_MB": (262144, 1024, 1.5), "DISK_GB": (4096, 2, 1.0)}
    assert record(world).cpu_allocation_ratio == 8.0
    assert record(world).vcpus_used == 2


def test_a_ratio_that_an_operator_set_in_placement_stays(world):
    changed = dict(provider(world).inventories)
    changed["VCPU"] = Inventory(64, 0, 2.0)
    world.placement.update_provider(world.host.tracker.node_uuid, inventories=changed)
    world.host.tracker.update()
    assert provider(world).inventories["VCPU"].allocation_ratio == 2.0
    assert record(world).cpu_allocation_ratio == 2.0


def test_formats_that_the_operator_hides_are_no_traits(world):
    world.start(hidden_image_formats=frozenset({"qcow2", "vmdk"}))
    world.host.tracker.update()
    formats = {one for one in provider(world).traits if one.startswith("COMPUTE_IMAGE_TYPE_")}
    assert formats == {"COMPUTE_IMAGE_TYPE_RAW"}


def test_traits_say_what_driver_and_node_are_able_to_do_and_leave_others_alone(world):
    uuid = world.host.tracker.node_uuid
    world.placement.update_provider(
        uuid, traits=lambda present: present | {"CUSTOM_GOLD", "HW_CPU_X86_AVX512F"}
    )
    world.host.tracker.update()
    traits = provider(world).traits
    assert {"COMPUTE_NODE", "COMPUTE_IMAGE_TYPE_QCOW2", "HW_CPU_X86_SSE42", "CUSTOM_GOLD"} <= traits
    assert "OWNER_NOVA" in traits  # what Nova's scheduler asks for
    assert "HW_CPU_X86_AVX512F" not in traits
    assert "COMPUTE_NET_ATTACH_INTERFACE" not in traits


def test_a_disabled_host_says_so_in_placement_until_it_is_enabled(world):
    assert world.compute.set_host_enabled(world.context(), enabled=False) == "disabled"
    assert "COMPUTE_STATUS_DISABLED" in provider(world).traits
    assert world.compute.set_host_enabled(world.context(), enabled=True) == "enabled"
    assert "COMPUTE_STATUS_DISABLED" not in provider(world).traits


def test_a_host_that_was_disabled_while_it_was_down_says_so_when_it_starts(world):
    service = objects.Service(host="node-1", binary="nova-compute", disabled=True)
    world.stores.services.rows.append(service)
    world.start()
    assert "COMPUTE_STATUS_DISABLED" in provider(world).traits


def test_a_server_counts_from_its_claim_to_its_end(world):
    instance = world.booted()
    row = record(world)
    assert (row.vcpus_used, row.memory_mb_used, row.local_gb_used) == (1, 1024, 1)
    assert row.running_vms == 1
    assert row.stats == {
        "num_instances": "1",
        "num_vm_active": "1",
        "num_task_None": "1",
        "num_os_type_None": "1",
        f"num_proj_{instance.project_id}": "1",
        "io_workload": "0",
        "failed_builds": "0",
    }
    world.delete(instance)
    assert (record(world).vcpus_used, record(world).running_vms) == (0, 0)


def test_a_build_under_way_counts_as_work(world):
    instance = world.server()
    seen = {}
    world.hypervisor.script.during("spawn", lambda: seen.update(record(world).stats))
    world.build(instance)
    assert (seen["num_vm_building"], seen["io_workload"]) == ("1", "1")


def test_failed_builds_are_counted_until_one_works(world):
    world.hypervisor.script.fail("spawn", RuntimeError(), times=2)
    for _ in range(2):
        world.build(world.server())
    assert record(world).stats["failed_builds"] == "2"
    world.booted()
    assert record(world).stats["failed_builds"] == "0"


def small_world():
    world = World()
    world.hypervisor._inventory = HostInventory(
        vcpus=1, memory_mib=2048, disk_gib=10, hypervisor_type="fake", hypervisor_version=1,
        architecture="x86_64",
    )  # fmt: skip
    world.start(ratios=Ratios(cpu=1.0))
    return world


def claim(world, instance, **resources):
    amounts = {"VCPU": 1, "MEMORY_MB": 512, "DISK_GB": 1, **resources}
    world.host.tracker.claim(instance, amounts)


def test_what_does_not_fit_is_not_claimed():
    world = small_world()
    claim(world, world.server(allocated=False, host="node-1"))
    with pytest.raises(ComputeResourcesUnavailable, match="vCPUs: 1 wanted, 0 of 1 free"):
        claim(world, world.server(allocated=False))
    assert world.host.tracker.used().vcpus == 1


def test_a_claim_that_is_repeated_counts_once():
    world = small_world()
    instance = world.server(allocated=False, host="node-1")
    claim(world, instance)
    claim(world, instance)
    assert world.host.tracker.used().vcpus == 1


def test_room_made_behind_our_back_is_found():
    world = small_world()
    gone = world.server(allocated=False, host="node-1")
    claim(world, gone)
    world.stores.instances.destroy(world.row(gone))
    claim(world, world.server(allocated=False, host="node-1"))
    assert world.host.tracker.used().vcpus == 1


def test_an_update_does_not_forget_what_was_claimed_while_it_looked(world):
    instance = world.server()
    world.stores.calls.during("instances.list_by_host", lambda: claim(world, instance))
    world.host.tracker.update()
    assert world.host.tracker.used().vcpus == 1


def test_an_update_does_not_bring_back_what_was_released_while_it_looked(world):
    instance = world.booted()
    rows = world.stores.instances.list_by_host

    def list_then_release(host, attrs=()):
        found = rows(host, attrs)
        world.host.tracker.release(instance.uuid)
        return found

    world.stores.instances.list_by_host = list_then_release
    world.host.tracker.update()
    assert world.host.tracker.used().vcpus == 0


def test_placement_being_down_does_not_stop_the_record(world):
    world.placement.faults.fail("ensure_provider", Unavailable(service="Placement", detail="down"))
    world.hypervisor._inventory = HostInventory(
        vcpus=2, memory_mib=4096, disk_gib=1, hypervisor_type="fake", hypervisor_version=2,
        architecture="x86_64",
    )  # fmt: skip
    world.host.tracker.update()
    assert record(world).vcpus == 2


def test_the_conductor_being_down_does_not_stop_a_claim(world):
    world.stores.calls.faults.fail("compute_nodes.save", Unavailable(service="conductor", detail="down"))
    instance = world.server(host="node-1")
    claim(world, instance)
    world.host.tracker.update()
    assert record(world).vcpus_used == 1


def test_allocations_of_deleted_servers_are_given_back(world):
    deleted, coming = world.booted(), world.server()
    world.stores.instances.destroy(world.row(deleted))
    world.host.tracker.update()
    assert set(world.placement.consumers()) == {coming.uuid}


def test_allocations_of_servers_that_are_not_made_yet_stay(world):
    uuid = "99999999-9999-4999-8999-999999999999"
    world.placement.claim(
        uuid, AllocationRequest({world.host.tracker.node_uuid: {"VCPU": 1}}), "project", "user"
    )
    world.host.tracker.update()
    assert uuid in world.placement.consumers()


def test_uptime_and_schedulers(world):
    assert "load average" in world.compute.get_host_uptime(world.context())
    instance = world.booted()
    world.scheduler.servers = {"stale": "node-1"}
    world.service.host_control.sync_schedulers()
    assert world.scheduler.servers == {instance.uuid: "node-1"}


def test_the_counts_follow_the_states(world):
    instance = world.booted()
    world.stores.instances.change(instance.uuid, task_state=TaskState.POWERING_OFF)
    world.compute.stop_instance(world.context(), instance=instance)
    assert record(world).stats["num_vm_stopped"] == "1"
    assert world.states(instance) == (VMState.STOPPED, None)


def test_the_nodes_of_a_cluster_are_not_taken_down_from_here(world):
    with pytest.raises(Unsupported):
        world.compute.host_maintenance_mode(world.context(), host="node-1", mode=True)
    with pytest.raises(Unsupported):
        world.compute.host_power_action(world.context(), action="reboot")


def test_a_driver_without_uptime_is_unsupported(world):
    world.hypervisor.uptime = lambda: None
    with pytest.raises(Unsupported):
        world.compute.get_host_uptime(world.context())
