"""What the scheduler reads from real tables."""

import uuid
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from openkeel import objects
from openkeel.db.models import api, main
from openkeel.db.models.base import table_of
from openkeel.scheduler.discovery import HostDiscovery
from openkeel.scheduler.host_state import Liveness, make_host_state
from openkeel.scheduler.reads import CellReads

from .conftest import NOW, FrozenClock


@pytest.fixture
def cell(cells):
    return cells.cells(include_cell0=False)[0]


def insert(database, row_class, **values):
    with database.write() as connection:
        statement = sa.insert(table_of(row_class)).values(**values)
        return connection.execute(statement).inserted_primary_key[0]


def add_compute(cell, host, **service):
    cell.services.create(
        objects.Service(host=host, binary="nova-compute", topic="compute", report_count=0, **service)
    )
    node = objects.ComputeNode(
        uuid=str(uuid.uuid4()),
        host=host,
        hypervisor_hostname=f"{host}.node",
        hypervisor_type="KubeVirt",
        hypervisor_version=1009000,
        vcpus=8,
        memory_mb=4096,
        local_gb=100,
        vcpus_used=2,
        memory_mb_used=1024,
        local_gb_used=1,
        free_ram_mb=3072,
        free_disk_gb=99,
        disk_available_least=50,
        cpu_info='{"arch": "x86_64"}',
        cpu_allocation_ratio=4.0,
        ram_allocation_ratio=1.0,
        disk_allocation_ratio=1.0,
        stats={"num_instances": "2", "io_workload": "1", "failed_builds": "0"},
        supported_hv_specs=[objects.HVSpec(arch="x86_64", hv_type="kvm", vm_mode="hvm")],
        mapped=0,
    )
    cell.compute_nodes.create(node)
    return node.uuid


def test_nodes_come_with_their_service_and_make_host_states(cells, cell):
    wanted = add_compute(cell, "h1", disabled=True, disabled_reason="broken", last_seen_up=NOW)
    add_compute(cell, "h2")
    reads = CellReads(cells)
    [record] = reads.nodes([wanted])
    state = make_host_state(
        record.node, record.service, cell_uuid=record.cell_uuid, liveness=Liveness(NOW, 60)
    )
    assert (state.host, state.node, state.cell_uuid) == ("h1", "h1.node", cell.mapping.uuid)
    assert (state.is_disabled, state.disabled_reason, state.is_up) == (True, "broken", True)
    assert (state.vcpus, state.vcpus_used, state.cpu_allocation_ratio) == (8, 2, 4.0)
    assert (state.free_ram_mib, state.free_disk_mib) == (3072, 50 * 1024)
    assert (state.num_instances, state.num_io_ops, state.failed_builds) == (2, 1, 0)
    assert state.supported == (("x86_64", "kvm", "hvm"),)
    assert state.cpu_info == {"arch": "x86_64"}
    assert state.hypervisor_version == 1009000
    assert list(reads.nodes([])) == []


def test_nodes_are_found_by_host_and_name(cells, cell):
    first, second = add_compute(cell, "h1"), add_compute(cell, "h2")
    reads = CellReads(cells)
    assert list(reads.node_uuids(["h1"], [])) == [first]
    assert list(reads.node_uuids([], ["h2.node"])) == [second]
    assert list(reads.node_uuids(["h1"], ["h2.node"])) == []


def test_a_disabled_cell_takes_no_new_servers(cells, cell):
    key = add_compute(cell, "h1")
    reads = CellReads(cells)
    mapping = cells.api.cell_mappings.get(cell.mapping.uuid)
    mapping.disabled = True
    cells.api.cell_mappings.save(mapping)
    cells.refresh()
    assert list(reads.nodes([key])) == []


def test_aggregates_come_with_hosts_and_metadata(cells):
    database = cells.api.database
    key = str(uuid.uuid4())
    id_ = insert(database, api.Aggregate, uuid=key, name="zone")
    insert(database, api.AggregateHost, aggregate_id=id_, host="h1")
    insert(database, api.AggregateHost, aggregate_id=id_, host="h2")
    insert(database, api.AggregateMetadata, aggregate_id=id_, key="availability_zone", value="az1")
    insert(database, api.Aggregate, uuid=str(uuid.uuid4()), name="empty")
    zone, empty = sorted(CellReads(cells).aggregates(), key=lambda one: one.name, reverse=True)
    assert (zone.uuid, zone.hosts, zone.metadata) == (key, {"h1", "h2"}, {"availability_zone": "az1"})
    assert (empty.hosts, empty.metadata) == (frozenset(), {})


def test_members_of_groups_and_their_hosts(cells, cell):
    database = cells.api.database
    group, here, nowhere, gone = (str(uuid.uuid4()) for _ in range(4))
    id_ = insert(database, api.InstanceGroup, uuid=group, name="g", project_id="p", user_id="u")
    for member in (here, nowhere, gone):
        insert(database, api.InstanceGroupMember, group_id=id_, instance_uuid=member)
    insert(cell.database, main.Instance, uuid=here, host="h1", deleted=0)
    insert(cell.database, main.Instance, uuid=nowhere, host=None, deleted=0)
    insert(cell.database, main.Instance, uuid=gone, host="h1", deleted=9)
    reads = CellReads(cells)
    members = reads.group_members(group)
    assert members == {here, nowhere, gone}
    assert reads.hosts_of(members) == {here: "h1"}
    assert reads.group_members(str(uuid.uuid4())) == frozenset()


def test_image_properties_of_the_servers_on_hosts(cells, cell):
    server = str(uuid.uuid4())
    insert(cell.database, main.Instance, uuid=server, host="h1", deleted=0)
    for key, value in (("image_os_distro", "debian"), ("image_os_type", "linux"), ("boot_roles", "x")):
        insert(
            cell.database, main.InstanceSystemMetadata, instance_uuid=server, key=key, value=value, deleted=0
        )
    found = CellReads(cells).image_properties_on(["h1", "h2"])
    assert found == {"h1": [{"os_distro": "debian", "os_type": "linux"}]}


# Discovery of hosts


def add_scheduler(cell, host, last_seen_up=NOW):
    cell.services.create(
        objects.Service(
            host=host,
            binary="nova-scheduler",
            topic="scheduler",
            report_count=1,
            disabled=False,
            last_seen_up=last_seen_up,
        )
    )


def discovery(cells, host, found):
    return HostDiscovery(host, cells, lambda _cells: found.append(host) or [], clock=FrozenClock())


def test_only_the_first_scheduler_that_is_up_discovers_hosts(cells):
    cell0 = cells.cell0()
    add_scheduler(cell0, "a", last_seen_up=datetime(2020, 1, 1, tzinfo=UTC))
    add_scheduler(cell0, "b")
    add_scheduler(cell0, "c")
    found = []
    for host in ("b", "c"):
        discovery(cells, host, found).run()
    assert found == ["b"]


def test_a_scheduler_without_a_record_discovers_by_its_name(cells):
    found = []
    discovery(cells, "z", found).run()
    assert found == ["z"]
