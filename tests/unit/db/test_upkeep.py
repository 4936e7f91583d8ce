"""Dead rows: archived with all that refers to them, purged when they are old. Also on MariaDB."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from openkeel import objects
from openkeel.common.context import Context
from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of, utcnow
from openkeel.db.upkeep.archive import Archiver, ServerForgetter
from openkeel.db.upkeep.purge import purge
from openkeel.db.upkeep.schema import Schema
from tests.fixtures.db import new_instance

ALL = 1000


@pytest.fixture
def count(cell_database):
    def rows_in(table):
        with cell_database.read() as connection:
            return connection.scalar(sa.text(f"SELECT COUNT(*) FROM {table}"))

    return rows_in


@pytest.fixture(autouse=True)
def empty_shadows(cell_database):
    """On MariaDB tests share one database, and nobody else looks at its shadows."""
    with cell_database.write() as connection:
        for table in Schema(cell_database).shadows():
            connection.execute(sa.delete(table))


@pytest.fixture
def forgotten():
    return []


@pytest.fixture
def archiver(cell_database, forgotten):
    return Archiver(cell_database, forgotten.extend)


@pytest.fixture
def server(cell):
    """A server with something in every table that refers to servers."""

    def make(**values):
        instance = new_instance(host="node-1", **values)
        cell.instances.create(instance)
        ctx = Context("user", "project")
        cell.actions.start(ctx, instance.uuid, "create")
        cell.actions.event_start(ctx, instance.uuid, "compute_build", "node-1")
        fault = {"code": 500, "message": "no", "host": "node-1"}
        cell.faults.create(objects.InstanceFault(instance_uuid=instance.uuid, **fault))
        cell.bdms.create(
            objects.BlockDeviceMapping(
                instance_uuid=instance.uuid, source_type="image", destination_type="local"
            )
        )
        cell.vifs.create(
            objects.VirtualInterface(
                instance_uuid=instance.uuid,
                address=f"fa:16:3e:00:00:01/{uuid.uuid4()}",
                uuid=str(uuid.uuid4()),
            )
        )
        cell.migrations.create(
            objects.Migration(instance_uuid=instance.uuid, status="done", migration_type="resize")
        )
        cell.shares.create(
            objects.ShareMapping(
                instance_uuid=instance.uuid,
                share_id=str(uuid.uuid4()),
                status="active",
                tag="t",
                export_location="e",
                share_proto="NFS",
            )
        )
        return instance

    return make


def test_a_dead_server_takes_along_all_that_refers_to_it(cell, server, archiver, count, forgotten):
    dead, living = server(), server()
    cell.instances.destroy(dead)
    done = archiver.run(ALL)
    assert forgotten == [dead.uuid]
    # NICs, actions and their steps never die by themselves; shares have no shadow.
    expected = {
        "block_device_mapping", "instance_actions", "instance_actions_events", "instance_extra",
        "instance_faults", "instance_id_mappings", "instance_info_caches", "instance_metadata", "instances",
        "migrations", "virtual_interfaces",
    }  # fmt: skip
    assert {*done, "instance_system_metadata"} == expected | {"instance_system_metadata"}
    assert done["instance_system_metadata"] == 2
    for table in expected:
        assert (done[table], count(table), count(f"shadow_{table}")) == (1, 1, 1), table
    assert count("share_mapping") == 1
    assert cell.instances.get(living.uuid, ["metadata"]).metadata == {"role": "web"}
    assert [one.action for one in cell.actions.list(living.uuid)] == ["create"]


def test_an_archived_row_is_the_row_it_was(cell, server, archiver, cell_database):
    dead = server(display_name="once")
    cell.instances.destroy(dead)
    table = table_of(rows.Instance)
    with cell_database.read() as connection:
        before = connection.execute(sa.select(table)).mappings().one()
    archiver.run(ALL)
    with cell_database.read() as connection:
        after = connection.execute(sa.text("SELECT * FROM shadow_instances")).mappings().one()
    same = {name for name, value in before.items() if str(after[name]) == str(value)}
    assert {"id", "uuid", "display_name", "deleted", "vm_state", "memory_mb", "deleted_at"} <= same


def test_nothing_dead_is_nothing_done(server, archiver, count):
    server()
    assert not archiver.run(ALL)
    assert count("shadow_instances") == 0


def test_a_batch_ends_about_where_it_should(cell, server, archiver, forgotten):
    for _ in range(3):
        cell.instances.destroy(server())
    batches = []
    while done := archiver.run(4):
        batches.append(done.total())
    assert all(total >= 4 for total in batches[:-1])
    assert len(batches) > 3
    assert len(set(forgotten)) == 3


def test_only_what_died_before_goes(cell, server, archiver, cell_database):
    old, fresh = server(), server()
    for instance in (old, fresh):
        cell.instances.destroy(instance)
    lately = utcnow() - timedelta(days=1)
    with cell_database.write() as connection:
        for table, owner in ((rows.Instance, "uuid"), (rows.InstanceExtra, "instance_uuid")):
            mine = sa.update(table_of(table)).where(table_of(table).c[owner] == old.uuid)
            connection.execute(mine.values(deleted_at=lately - timedelta(days=1)))
    done = archiver.run(ALL, lately)
    assert (done["instances"], done["instance_extra"], done["instance_faults"]) == (1, 1, 1)
    assert archiver.run(ALL)["instances"] == 1


def test_audits_are_archived_when_asked_for(cell, archiver, count):
    end = datetime(2026, 1, 1, tzinfo=UTC)  # whole seconds: all that MariaDB keeps
    task = objects.TaskLog(
        task_name="audit", host="node-1", task_items=1, message="m", errors=0,
        period_beginning=end - timedelta(hours=1), period_ending=end,
    )  # fmt: skip
    cell.task_logs.begin(task)
    cell.task_logs.end(task)
    assert not archiver.run(ALL)
    assert not archiver.run(ALL, utcnow() - timedelta(days=1), with_task_log=True)
    assert archiver.run(ALL, with_task_log=True) == {"task_log": 1}
    assert (count("task_log"), count("shadow_task_log")) == (0, 1)


def test_a_dead_row_of_the_log_of_audits_goes_unasked_and_whenever_it_died(cell, archiver, cell_database):
    end = datetime(2026, 1, 1, tzinfo=UTC)
    task = objects.TaskLog(
        task_name="audit", host="node-1", task_items=1, message="m", errors=0,
        period_beginning=end - timedelta(hours=1), period_ending=end,
    )  # fmt: skip
    cell.task_logs.begin(task)
    with cell_database.write() as connection:
        connection.execute(sa.text("UPDATE task_log SET deleted = id, deleted_at = CURRENT_TIMESTAMP"))
    assert archiver.run(ALL, utcnow() - timedelta(days=1)) == {"task_log": 1}


def test_a_batch_that_cannot_be_finished_changes_nothing(cell, server, cell_database, count):
    cell.instances.destroy(server())

    def refuse(_uuids):
        raise RuntimeError("the API database is down")

    with pytest.raises(RuntimeError):
        Archiver(cell_database, refuse).run(ALL)
    assert (count("instances"), count("shadow_instances")) == (1, 0)
    assert count("instance_actions") == 1


def test_a_row_whose_place_is_taken_does_not_stop_the_others(cell, server, archiver, cell_database, count):
    cell.instances.destroy(server())
    with cell_database.write() as connection:
        connection.execute(
            sa.text(
                "INSERT INTO shadow_instance_faults (id, instance_uuid, code) "
                "SELECT id, instance_uuid, code FROM instance_faults"
            )
        )
    done = archiver.run(ALL)
    assert done["block_device_mapping"] == 1
    assert done["instances"] == 0
    assert count("instances") == count("instance_faults") == 1
    assert not archiver.run(ALL)


def test_the_api_forgets_archived_servers(cells, api_database):
    gone, here = (str(uuid.uuid4()) for _ in range(2))
    for name in (gone, here):
        cells.api.instance_mappings.create(
            objects.InstanceMapping(instance_uuid=name, project_id="p", user_id="u")
        )
        cells.api.request_specs.create(objects.RequestSpec(instance_uuid=name, num_instances=1))
    cells.api.instance_groups.create(
        objects.InstanceGroup(name="g", project_id="p", user_id="u", policy="affinity", members=[gone, here])
    )
    forget = ServerForgetter(api_database)
    forget([gone])
    forget([gone])
    assert forget.removed == {"instance_group_member": 1, "instance_mappings": 1, "request_specs": 1}
    assert cells.api.instance_mappings.find(gone) is None
    assert cells.api.request_specs.find(here) is not None
    assert cells.api.instance_groups.list("p")[0].members == [here]


def test_shadows_are_purged_by_age(cell, server, archiver, cell_database, count):
    cell.instances.destroy(server())
    archiver.run(ALL)
    yesterday, tomorrow = utcnow() - timedelta(days=1), utcnow() + timedelta(days=1)
    assert sum(one.rows for one in purge(cell_database, yesterday)) == 0
    assert count("shadow_instances") == 1
    done = {one.table: one for one in purge(cell_database, tomorrow)}
    assert (done["shadow_instances"].rows, done["shadow_instances"].column) == (1, "deleted_at")
    assert (done["shadow_instance_actions"].rows, done["shadow_instance_actions"].column) == (1, "created_at")
    assert (done["shadow_alembic_version"].rows, done["shadow_alembic_version"].column) == (0, None)
    assert count("shadow_instances") == 0


def test_all_shadows_are_purged_at_once(cell, server, archiver, cell_database):
    for _ in range(2):
        cell.instances.destroy(server())
    archiver.run(ALL)
    done = {one.table: one.rows for one in purge(cell_database, None) if one.rows}
    assert done["shadow_instances"] == done["shadow_virtual_interfaces"] == 2
    assert not any(one.rows for one in purge(cell_database, None))
