"""What computes do with themselves: their service, their node, moves to and from it."""

from datetime import UTC, datetime

from openkeel import objects
from openkeel.rpc.heartbeat import ServiceRecord
from openkeel.rpc.versions import SERVICE_VERSION
from tests.contract.stores.conftest import UUID


class Frozen:
    def now(self):
        return datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_a_daemon_registers_once_and_beats(stores):
    assert stores.services.find("node-1", "nova-compute") is None
    record = ServiceRecord(stores.services, "node-1", "nova-compute", "compute", 10, Frozen())
    made = record.register()
    assert record.beat()
    assert record.beat()
    row = stores.services.find("node-1", "nova-compute")
    assert (row.id, row.topic, row.version, row.report_count) == (made.id, "compute", SERVICE_VERSION, 2)
    assert row.last_seen_up == Frozen().now()
    assert ServiceRecord(stores.services, "node-1", "nova-compute", "compute", 10).register().id == made.id
    assert stores.services.minimum_version("nova-compute") == SERVICE_VERSION


def test_a_daemon_that_begins_disabled_stays_so_until_somebody_enables_it(stores):
    def register():
        record = ServiceRecord(
            stores.services, "node-1", "nova-compute", "compute", 10, Frozen(), begins_disabled=True
        )
        return record.register()

    row = register()
    assert row.disabled
    assert row.disabled_reason
    row.disabled = False
    stores.services.save(row)
    assert not register().disabled


def test_a_daemon_that_was_upgraded_says_so(stores):
    old = objects.Service(host="node-1", binary="nova-compute", topic="compute", report_count=7, version=72)
    stores.services.create(old)
    ServiceRecord(stores.services, "node-1", "nova-compute", "compute", 10).register()
    assert stores.services.find("node-1", "nova-compute").version == SERVICE_VERSION


def test_a_node_is_created_once_and_then_kept_up(stores):
    assert stores.compute_nodes.find("node-1", "node-1") is None
    assert list(stores.compute_nodes.list_by_host("node-1")) == []
    node = objects.ComputeNode(
        uuid=UUID,
        host="node-1",
        hypervisor_hostname="node-1",
        hypervisor_type="KubeVirt",
        hypervisor_version=1,
        vcpus=4,
        vcpus_used=0,
        memory_mb=1024,
        memory_mb_used=0,
        local_gb=10,
        local_gb_used=0,
        cpu_info="",
        cpu_allocation_ratio=4.0,
        ram_allocation_ratio=1.0,
        disk_allocation_ratio=1.0,
        stats={"failed_builds": "0"},
        supported_hv_specs=[objects.HVSpec(arch="x86_64", hv_type="kvm", vm_mode="hvm")],
    )
    stores.compute_nodes.create(node)
    node.vcpus_used = 2
    stores.compute_nodes.save(node)
    got = stores.compute_nodes.find("node-1", "node-1")
    assert (got.uuid, got.vcpus_used, got.stats) == (UUID, 2, {"failed_builds": "0"})
    assert got.supported_hv_specs[0].arch == "x86_64"
    assert [row.uuid for row in stores.compute_nodes.list_by_host("node-1")] == [UUID]
    stores.compute_nodes.destroy(got)
    assert stores.compute_nodes.find("node-1", "node-1") is None


def test_moves_of_a_node_are_listed(stores, instance):
    move = objects.Migration(
        instance_uuid=UUID,
        source_compute="node-1",
        source_node="node-1",
        dest_compute="node-2",
        dest_node="node-2",
        status="migrating",
        migration_type="migration",
        uuid="33333333-2222-3333-4444-555555555555",
    )
    stores.migrations.create(move)
    assert [row.id for row in stores.migrations.list_in_progress("node-2", "node-2")] == [move.id]
    assert [row.id for row in stores.migrations.list_by_filters({"instance_uuid": UUID})] == [move.id]
    move.status = "confirmed"
    stores.migrations.save(move)
    assert list(stores.migrations.list_in_progress("node-1", "node-1")) == []
