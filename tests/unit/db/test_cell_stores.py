"""What else lives in a cell: daemons, nodes, disks, actions, faults, moves, tags, tokens."""

from datetime import UTC, datetime, timedelta

import pytest

from openkeel import objects
from openkeel.common.context import Context
from openkeel.db.stores.console_tokens import ConsoleTokenStore
from openkeel.domain.errors import (
    AlreadyExists,
    ComputeHostNotFound,
    Conflict,
    MigrationNotFound,
    NotFound,
    ServiceBinaryExists,
    ServiceNotFound,
)
from tests.fixtures.db import new_instance

NODE = "11111111-1111-4111-8111-111111111111"


def new_service(host="node-1", binary="nova-compute", **values):
    defaults = {"topic": "compute", "report_count": 0, "disabled": False, "forced_down": False, "version": 70}
    return objects.Service(host=host, binary=binary, **(defaults | values))


def new_node(host="node-1", uuid=NODE, **values):
    defaults = {
        "hypervisor_hostname": host,
        "hypervisor_type": "kubevirt",
        "hypervisor_version": 1,
        "vcpus": 8,
        "memory_mb": 1024,
        "local_gb": 10,
        "vcpus_used": 0,
        "memory_mb_used": 0,
        "local_gb_used": 0,
        "cpu_info": "{}",
        "stats": {"num_instances": "0"},
        "supported_hv_specs": [objects.HVSpec(arch="x86_64", hv_type="kvm", vm_mode="hvm")],
        "cpu_allocation_ratio": 4.0,
        "ram_allocation_ratio": 1.0,
        "disk_allocation_ratio": 1.0,
        "mapped": 0,
    }
    return objects.ComputeNode(host=host, uuid=uuid, **(defaults | values))


def test_a_node_that_was_deleted_comes_back_under_its_uuid_to_be_discovered_again(cell):
    cell.compute_nodes.create(new_node(mapped=1))
    first = cell.compute_nodes.find("node-1", "node-1")
    cell.compute_nodes.destroy(first)
    again = new_node(host="node-2", vcpus=16)
    cell.compute_nodes.create(again)
    found = cell.compute_nodes.get_by_uuid(NODE)
    assert (found.id, found.host, found.vcpus, found.mapped) == (first.id, "node-2", 16, 0)
    assert not found.deleted
    assert again.id == first.id
    with pytest.raises(AlreadyExists):
        cell.compute_nodes.create(new_node(host="node-3"))


@pytest.fixture
def instance(cell):
    created = new_instance()
    cell.instances.create(created)
    return created


@pytest.fixture
def ctx():
    return Context(user_id="user", project_id="project", request_id="req-aaaa")


def test_a_service_reports_and_is_found_again(cell):
    service = new_service()
    cell.services.create(service)
    service.report_count += 1
    service.last_seen_up = datetime.now(UTC)
    cell.services.save(service)
    found = cell.services.find("node-1", "nova-compute")
    assert (found.id, found.report_count, found.uuid) == (service.id, 1, service.uuid)
    assert found.last_seen_up.tzinfo is not None


def test_a_daemon_has_one_record_per_host(cell):
    cell.services.create(new_service())
    with pytest.raises(ServiceBinaryExists):
        cell.services.create(new_service())


def test_the_minimum_version_leaves_out_hosts_forced_down(cell):
    cell.services.create(new_service("a", version=70))
    cell.services.create(new_service("b", version=66))
    cell.services.create(new_service("c", version=60, forced_down=True))
    assert cell.services.minimum_versions(["nova-compute", "nova-api"]) == {"nova-compute": 66, "nova-api": 0}


def test_a_compute_service_ends_with_its_nodes(cell):
    service = new_service()
    cell.services.create(service)
    cell.compute_nodes.create(new_node())
    cell.services.destroy(service)
    assert cell.services.find_compute("node-1") is None
    assert len(cell.compute_nodes.list_by_host("node-1")) == 0
    with pytest.raises(ServiceNotFound):
        cell.services.destroy(service)


def test_services_come_with_their_nodes_in_pairs(cell):
    cell.services.create(new_service())
    cell.compute_nodes.create(new_node())
    ((service, node),) = cell.services.with_nodes()
    assert (service.host, node.host, node.uuid) == ("node-1", "node-1", NODE)


def test_a_node_keeps_its_stats_and_specs(cell):
    cell.compute_nodes.create(new_node())
    node = cell.compute_nodes.find("node-1", "node-1")
    node.vcpus_used = 3
    node.stats = {"num_instances": "3"}
    cell.compute_nodes.save(node)
    found = cell.compute_nodes.get_by_uuid(NODE)
    assert (found.vcpus_used, found.stats) == (3, {"num_instances": "3"})
    assert found.supported_hv_specs[0].vm_mode == "hvm"


def test_nodes_are_paged_by_id_and_marked_as_mapped(cell):
    uuids = [f"{n}1111111-1111-4111-8111-111111111111" for n in range(3)]
    for number, uuid in enumerate(uuids):
        cell.compute_nodes.create(new_node(f"node-{number}", uuid))
    first, second = cell.compute_nodes.list(limit=2)
    assert [node.uuid for node in cell.compute_nodes.list(marker=second.id)] == uuids[2:]
    cell.compute_nodes.mark_mapped([first.id])
    assert [node.uuid for node in cell.compute_nodes.list_by_not_mapped(1)] == uuids[1:]
    with pytest.raises(ComputeHostNotFound):
        cell.compute_nodes.list(marker=999)


def test_disks_of_many_servers_are_listed_at_once(cell, instance):
    other = new_instance()
    cell.instances.create(other)
    bdms = [
        objects.BlockDeviceMapping(instance_uuid=instance.uuid, source_type="volume", volume_id="v1"),
        objects.BlockDeviceMapping(instance_uuid=instance.uuid, source_type="blank", device_name="/dev/vdb"),
    ]
    cell.bdms.create_many(bdms)
    assert all(bdm.id and bdm.uuid for bdm in bdms)
    found = cell.bdms.list_by_instances([instance.uuid, other.uuid])
    assert [len(found[uuid]) for uuid in (instance.uuid, other.uuid)] == [2, 0]
    assert cell.bdms.get_by_volume("v1", with_instance=True).instance.uuid == instance.uuid
    with pytest.raises(NotFound):
        cell.bdms.get_by_volume("v2")


def test_a_disk_under_a_known_name_is_the_same_disk(cell, instance):
    cell.bdms.create(
        objects.BlockDeviceMapping(instance_uuid=instance.uuid, source_type="blank", device_name="/dev/vdb")
    )
    again = objects.BlockDeviceMapping(
        instance_uuid=instance.uuid, source_type="blank", device_name="/dev/vdb", volume_size=3
    )
    cell.bdms.update_or_create(again)
    assert [bdm.volume_size for bdm in cell.bdms.list(instance.uuid)] == [3]


def test_an_action_tells_what_went_wrong(cell, instance, ctx):
    cell.actions.start(ctx, instance.uuid, "create")
    cell.actions.event_start(ctx, instance.uuid, "compute__do_build", "node-1")
    cell.actions.event_finish(ctx, instance.uuid, "compute__do_build", error=ValueError("no disk"))
    cell.actions.finish(ctx, instance.uuid)
    (action,) = cell.actions.list(instance.uuid)
    assert (action.action, action.message, action.request_id) == ("create", "Error", "req-aaaa")
    assert action.finish_time is not None
    (event,) = cell.actions.list_events(action.id)
    assert (event.result, event.details, event.host) == ("Error", "no disk", "node-1")
    assert "ValueError" in event.traceback


def test_steps_without_an_action_are_quiet(cell, instance, ctx):
    assert cell.actions.event_start(ctx, instance.uuid, "compute_start", "node-1") is None
    assert cell.actions.event_finish(ctx, instance.uuid, "compute_start") is None
    assert cell.actions.finish(ctx, instance.uuid) is None


def test_actions_survive_their_server_and_are_paged(cell, instance):
    for number in range(3):
        cell.actions.start(Context(request_id=f"req-{number}"), instance.uuid, "stop")
    cell.instances.destroy(instance)
    assert len(cell.actions.list(instance.uuid)) == 3
    page = cell.actions.list(instance.uuid, limit=2, marker="req-2")
    assert [action.request_id for action in page] == ["req-1", "req-0"]
    with pytest.raises(NotFound):
        cell.actions.list(instance.uuid, marker="req-9")


def test_the_latest_fault_is_shown(cell, instance):
    for message in ("first", "second"):
        cell.faults.create(objects.InstanceFault(instance_uuid=instance.uuid, code=500, message=message))
    assert cell.faults.find_latest(instance.uuid).message == "second"
    assert cell.instances.get(instance.uuid, ["fault"]).fault.message == "second"


def test_migrations_under_way_are_found_from_both_ends(cell, instance):
    for status in ("running", "error", "done"):
        cell.migrations.create(
            objects.Migration(
                instance_uuid=instance.uuid,
                source_compute="a",
                source_node="a",
                dest_compute="b",
                dest_node="b",
                status=status,
                migration_type="live-migration",
            )
        )
    assert {one.status for one in cell.migrations.list_in_progress("b", "b")} == {"running", "error"}
    assert {one.status for one in cell.migrations.list_under_way("a", "a")} == {"running"}
    assert len(cell.migrations.list_by_filters({"host": "a", "status": ["done", "error"]})) == 2
    first, *rest = cell.migrations.list_by_filters({})
    assert [one.id for one in cell.migrations.list_by_filters({}, marker=first.uuid)] == [
        one.id for one in rest
    ]
    with pytest.raises(MigrationNotFound):
        cell.migrations.get(999)


def test_tags_are_replaced_as_a_set(cell, instance):
    cell.tags.create(instance.uuid, ["b", "a"])
    cell.tags.replace(instance.uuid, ["c", "b"])
    cell.tags.add(instance.uuid, "b")
    assert [tag.tag for tag in cell.tags.list(instance.uuid)] == ["b", "c"]
    assert cell.tags.exists(instance.uuid, "c")
    cell.tags.remove(instance.uuid, "c")
    with pytest.raises(NotFound):
        cell.tags.remove(instance.uuid, "c")


def test_interfaces_are_found_by_what_they_are_known_by(cell, instance):
    vif = objects.VirtualInterface(
        instance_uuid=instance.uuid, address="fa:16:3e:00:00:01/port", tag="nic", uuid=NODE, network_id=0
    )
    cell.vifs.create(vif)
    assert cell.vifs.find_by_uuid(NODE).tag == "nic"
    assert cell.vifs.find_by_address(vif.address).id == vif.id
    cell.vifs.destroy_all(instance.uuid)
    assert len(cell.vifs.list(instance.uuid)) == 0


def test_the_network_of_a_server_is_written_and_read(cell, instance):
    cache = cell.info_caches.get(instance.uuid)
    cache.network_info = [{"id": "port"}]
    cell.info_caches.save(cache)
    assert cell.info_caches.get(instance.uuid).network_info == [{"id": "port"}]
    with pytest.raises(NotFound):
        cell.info_caches.get(NODE)


def test_a_console_token_opens_until_it_expires(cell_database, cell, instance):
    clock = [1000.0]
    tokens = ConsoleTokenStore(cell_database, lambda: clock[0])

    def token():
        return objects.ConsoleAuthToken(
            token="secret", console_type="novnc", host="node-1", port=5900, instance_uuid=instance.uuid
        )

    tokens.create(token(), 60)
    with pytest.raises(AlreadyExists):
        tokens.create(token(), 60)
    assert tokens.find("secret").port == 5900
    assert tokens.find("guess") is None
    clock[0] = 1061
    assert tokens.find("secret") is None
    tokens.delete_expired("node-1")
    tokens.create(token(), 60)


def test_a_period_is_audited_once_per_host(cell):
    begin = datetime(2026, 11, 1, tzinfo=UTC)
    end = begin + timedelta(days=30)

    def task():
        return objects.TaskLog(
            task_name="audit",
            period_beginning=begin,
            period_ending=end,
            host="a",
            message="",
            task_items=0,
            errors=1,
        )

    cell.task_logs.begin(task())
    with pytest.raises(Conflict):
        cell.task_logs.begin(task())
    cell.task_logs.end(task())
    assert cell.task_logs.find("audit", begin, end, "a").state == "DONE"


def test_volume_counters_that_fall_are_added_to_the_totals(cell, instance):
    def usage(reads):
        return objects.VolumeUsage(
            volume_id=NODE, instance_uuid=instance.uuid, curr_reads=reads, curr_read_bytes=0,
            curr_writes=0, curr_write_bytes=0,
        )  # fmt: skip

    cell.volume_usage.record(usage(10))
    cell.volume_usage.record(usage(4))
    last = usage(6)
    cell.volume_usage.record(last, close=True)
    assert (last.tot_reads, last.curr_reads) == (16, 0)


def test_host_devices_are_known_by_their_address(cell):
    cell.compute_nodes.create(new_node())
    node_id = cell.compute_nodes.find("node-1", "node-1").id

    def device(**values):
        return objects.PciDevice(
            compute_node_id=node_id, address="0000:00:01.0", vendor_id="8086", product_id="1",
            dev_type="type-PCI",
            dev_id="pci", label="label", extra_info={"a": "1"}, **values,
        )  # fmt: skip

    cell.pci_devices.update_or_create(device(status="available"))
    again = device(status="claimed")
    cell.pci_devices.update_or_create(again)
    (found,) = cell.pci_devices.list_by_node(node_id)
    assert (found.id, found.status, found.extra_info) == (again.id, "claimed", {"a": "1"})
    found.status = "removed"
    cell.pci_devices.update_or_create(found)
    assert len(cell.pci_devices.list_by_node(node_id)) == 0


def test_images_get_an_ec2_number_when_asked_for(cell):
    instance = new_instance(image_ref=NODE)
    cell.instances.create(instance)
    found = cell.instances.get(instance.uuid)
    ids = cell.ec2.ids_of(found)
    assert ids.ami_id == f"ami-{cell.ec2.images.get_by_uuid(NODE).id:08x}"
    assert ids.instance_id == f"i-{cell.ec2.servers.get_by_uuid(instance.uuid).id:08x}"


def test_shares_are_attached_once(cell, instance):
    def share(status):
        return objects.ShareMapping(
            instance_uuid=instance.uuid,
            share_id=NODE,
            status=status,
            tag="t",
            export_location="x",
            share_proto="NFS",
        )

    cell.shares.update_or_create(share("attaching"))
    cell.shares.update_or_create(share("active"))
    assert [one.status for one in cell.shares.list(instance.uuid)] == ["active"]
    assert cell.shares.get(instance.uuid, NODE).tag == "t"
