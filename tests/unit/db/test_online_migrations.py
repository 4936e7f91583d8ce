"""Data of older releases is brought to its present form, a few rows at a time. Also on MariaDB."""

import uuid

import pytest
import sqlalchemy as sa

from openkeel import objects
from openkeel.db.cells import CELL0_UUID
from openkeel.db.models import api as api_rows
from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of
from openkeel.db.upkeep.online import MIGRATIONS, Place, Ratios
from tests.fixtures.contract import facts
from tests.fixtures.db import new_instance
from tests.unit.db.test_cell_stores import new_node

ALL = 100


@pytest.fixture
def place(cell_database, cells):
    return Place(cell_database, cells, default_zone="somewhere", ratios=Ratios(cpu=8.0))


@pytest.fixture
def run(place):
    return lambda name, limit=ALL: tuple(MIGRATIONS[name](place, limit))


@pytest.fixture
def write(cell_database):
    """Leave a row as an older release did."""

    def update(row_class, **values):
        with cell_database.write() as connection:
            connection.execute(sa.update(table_of(row_class)).values(values))

    return update


@pytest.fixture
def column(cell_database):
    def read(row_class, name):
        table = table_of(row_class)
        with cell_database.read() as connection:
            return list(connection.scalars(sa.select(table.c[name]).order_by(table.c.id)))

    return read


@pytest.fixture
def server(cell):
    def make(**values):
        instance = new_instance(**values)
        cell.instances.create(instance)
        return instance

    return make


@pytest.fixture
def mapping(cells, api_database):
    """A mapping as an older release left it."""

    def make(instance_uuid, cell_uuid):
        in_cell = cells.cell(cell_uuid).mapping if cell_uuid else None
        cells.api.instance_mappings.create(
            objects.InstanceMapping(instance_uuid=instance_uuid, project_id="project", cell_mapping=in_cell)
        )
        table = table_of(api_rows.InstanceMapping)
        with api_database.write() as connection:
            mine = sa.update(table).where(table.c.instance_uuid == instance_uuid)
            connection.execute(mine.values(user_id=None, queued_for_delete=None))

    return make


@pytest.fixture
def cell1_uuid(cells):
    return cells.cells(include_cell0=False)[0].mapping.uuid


def test_all_migrations_of_the_contract_are_there_in_their_order():
    contract = sorted(facts("manage_cli", "online_data_migrations"), key=lambda row: row["order"])
    assert list(MIGRATIONS) == [row["function"] for row in contract]


@pytest.mark.parametrize("name", MIGRATIONS)
def test_a_new_deployment_needs_none(run, name):
    assert run(name) == (0, 0)


def test_limits_move_to_the_api_database(run, cells, cell_database, column):
    cells.api.quotas.set_project("p", {"ram": 7})
    with cell_database.write() as connection:
        for project, resource, limit in (("p", "cores", 4), ("p", "ram", 5), ("q", "cores", 6)):
            row = {"project_id": project, "resource": resource, "hard_limit": limit, "deleted": 0}
            connection.execute(sa.insert(table_of(rows.Quota)).values(row))
        row = {"project_id": "p", "user_id": "u", "resource": "cores", "hard_limit": 1, "deleted": 0}
        connection.execute(sa.insert(table_of(rows.ProjectUserQuota)).values(row))
        row = {"class_name": "default", "resource": "cores", "hard_limit": 9, "deleted": 0}
        connection.execute(sa.insert(table_of(rows.QuotaClass)).values(row))
    assert run("migrate_quota_limits_to_api_db", 2) == (2, 2)
    assert run("migrate_quota_limits_to_api_db") == (2, 2)
    assert run("migrate_quota_limits_to_api_db") == (0, 0)
    assert run("migrate_quota_classes_to_api_db") == (1, 1)
    quotas = cells.api.quotas
    assert quotas.of_project("p") == {"cores": 4, "ram": 7}, "what was set meanwhile holds"
    assert quotas.of_user("p", "u") == {"cores": 1}
    assert quotas.of_class() == {"cores": 9}
    assert all(column(rows.Quota, "deleted"))


def test_a_limit_of_a_class_that_was_copied_before_is_not_copied_again(
    run, cells, api_database, cell_database
):
    row = {"class_name": "default", "resource": "cores", "hard_limit": 9}
    with cell_database.write() as connection:
        connection.execute(sa.insert(table_of(rows.QuotaClass)).values(deleted=0, **row))
    with api_database.write() as connection:
        connection.execute(sa.insert(table_of(api_rows.QuotaClass)).values(row | {"hard_limit": 8}))
    assert run("migrate_quota_classes_to_api_db") == (1, 1)
    assert cells.api.quotas.of_class() == {"cores": 8}
    with api_database.read() as connection:
        assert len(connection.execute(sa.select(table_of(api_rows.QuotaClass))).all()) == 1


def test_what_has_no_uuid_gets_one(run, cell, server, write, column):
    instance = server()
    for _ in range(3):
        cell.migrations.create(
            objects.Migration(instance_uuid=instance.uuid, status="done", migration_type="resize")
        )
        cell.bdms.create(
            objects.BlockDeviceMapping(
                instance_uuid=instance.uuid, source_type="image", destination_type="local"
            )
        )
    write(rows.Migration, uuid=None)
    write(rows.BlockDeviceMapping, uuid=None)
    touched = column(rows.Migration, "updated_at")
    assert run("migration_migrate_to_uuid", 2) == (2, 2)
    assert run("migration_migrate_to_uuid") == (1, 1)
    assert run("populate_uuids") == (3, 3)
    assert column(rows.Migration, "updated_at") == touched, "their owners did not touch them"
    for table in (rows.Migration, rows.BlockDeviceMapping):
        assert len({uuid.UUID(one) for one in column(table, "uuid")}) == 3


def test_living_devices_get_a_uuid(run, cell, write, column):
    node = new_node()
    cell.compute_nodes.create(node)
    cell.pci_devices.update_or_create(
        objects.PciDevice(
            compute_node_id=node.id, address="0", vendor_id="1", product_id="2", dev_type="type-PCI",
            status="available", dev_id="d", label="l", numa_node=None, parent_addr=None,
        )
    )  # fmt: skip
    write(rows.PciDevice, uuid=None)
    assert run("populate_dev_uuids") == (1, 1)
    assert uuid.UUID(column(rows.PciDevice, "uuid")[0])


def test_servers_on_a_host_get_its_zone(run, server, cells, column):
    for host in ("node-1", "node-2", None):
        server(host=host)
    zone = objects.Aggregate(name="a", metadata={"availability_zone": "az1"})
    cells.api.aggregates.create(zone)
    cells.api.aggregates.add_host(zone, "node-1")
    assert run("populate_missing_availability_zones") == (2, 2)
    assert column(rows.Instance, "availability_zone") == ["az1", "somewhere", None]


def test_nodes_without_ratios_get_the_configured_ones(run, cell, write, column):
    cell.compute_nodes.create(new_node())
    write(rows.ComputeNode, cpu_allocation_ratio=0.0, ram_allocation_ratio=None, disk_allocation_ratio=2.0)
    assert run("migrate_empty_ratio") == (1, 1)
    found = [column(rows.ComputeNode, f"{name}_allocation_ratio") for name in ("cpu", "ram", "disk")]
    assert found == [[8.0], [1.0], [2.0]]
    assert run("migrate_empty_ratio") == (0, 0)


def test_servers_know_their_node_by_its_id(run, cell, server, column):
    node = new_node()
    cell.compute_nodes.create(node)
    server(host="gone", node="gone")
    server(host=node.host, node=node.hypervisor_hostname)
    server()
    assert run("populate_instance_compute_id", 1) == (1, 1), "lost ones do not hold up the others"
    assert column(rows.Instance, "compute_id") == [None, node.id, None]
    assert run("populate_instance_compute_id") == (1, 0)


def test_mappings_know_whether_their_server_is_gone(run, cell, server, cells, mapping, cell1_uuid):
    living, dead = server(), server()
    cell.instances.destroy(dead)
    archived, building = (str(uuid.uuid4()) for _ in range(2))
    buried = new_instance()
    cells.cell0().instances.create(buried)
    for name, where in (
        (living.uuid, cell1_uuid), (dead.uuid, cell1_uuid), (archived, cell1_uuid), (building, None),
        (buried.uuid, CELL0_UUID),
    ):  # fmt: skip
        mapping(name, where)
    assert run("populate_queued_for_delete", 2) == (2, 2)
    assert run("populate_queued_for_delete") == (3, 3)
    found = [
        bool(cells.api.instance_mappings.get(name).queued_for_delete)
        for name in (living.uuid, dead.uuid, archived, building, buried.uuid)
    ]
    assert found == [False, True, True, False, False]


def test_mappings_know_whose_their_server_is(run, server, cells, mapping, cell1_uuid):
    lost, building = (str(uuid.uuid4()) for _ in range(2))
    instance = server(user_id="owner")
    cells.api.build_requests.create(
        objects.BuildRequest(
            instance=objects.Instance(uuid=building, user_id="builder", project_id="project"),
            instance_uuid=building, project_id="project", tags=objects.TagList(objects=[]),
            block_device_mappings=objects.BlockDeviceMappingList(objects=[]),
        )
    )  # fmt: skip
    for name, where in ((lost, cell1_uuid), (instance.uuid, cell1_uuid), (building, None)):
        mapping(name, where)
    assert run("populate_user_id", 1) == (2, 1), "lost ones do not hold up the others"
    assert run("populate_user_id") == (1, 1)
    assert cells.api.instance_mappings.get(instance.uuid).user_id == "owner"
    assert cells.api.instance_mappings.get(building).user_id == "builder"


def test_nics_known_to_the_cache_alone_are_written_down(run, cell, server):
    nics = [{"id": str(uuid.uuid4()), "address": f"fa:16:3e:00:00:0{n}"} for n in range(3)]
    first, second = (
        server(info_cache=objects.InstanceInfoCache(network_info=some)) for some in (nics[:2], nics[2:])
    )
    cell.vifs.create(
        objects.VirtualInterface(
            instance_uuid=first.uuid, uuid=nics[0]["id"], address=f"{nics[0]['address']}/{nics[0]['id']}"
        )
    )
    assert run("fill_virtual_interface_list", 1) == (1, 1)
    assert run("fill_virtual_interface_list") == (1, 1)
    assert [one.address for one in cell.vifs.list(first.uuid)] == [nic["address"] for nic in nics[:2]]
    assert [one.uuid for one in cell.vifs.list(second.uuid)] == [nics[2]["id"]]
    assert run("fill_virtual_interface_list") == (0, 0)
