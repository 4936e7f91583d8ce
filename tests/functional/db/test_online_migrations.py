"""`db online_data_migrations`: what it prints and how it exits."""

import pytest
import sqlalchemy as sa

from openkeel import objects
from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of
from tests.fixtures.db import new_instance

DISKS = 3


@pytest.fixture
def old_disks(deployment, cell):
    """Disks without uuids."""
    instance = new_instance(availability_zone="nova")
    cell.instances.create(instance)
    for _ in range(DISKS):
        cell.bdms.create(
            objects.BlockDeviceMapping(
                instance_uuid=instance.uuid, source_type="image", destination_type="local"
            )
        )
    with cell.database.write() as connection:
        connection.execute(sa.update(table_of(rows.BlockDeviceMapping)).values(uuid=None))


def migrate(manage, *words):
    return manage("db", "online_data_migrations", *words)


def test_a_few_rows_at_a_time_until_nothing_is_left(manage, old_disks):
    code, out = migrate(manage, "--max-count", "2")
    assert code == 1
    assert "2 rows matched query populate_uuids, 2 migrated\n" in out
    assert "populate_queued_for_delete" not in out, "its turn has not come"
    assert migrate(manage, "--max-count", "2")[0] == 1
    code, out = migrate(manage, "--max-count", "2")
    assert (code, "rows matched" in out) == (0, False)


def test_everything_at_once(manage, old_disks):
    code, out = migrate(manage)
    assert code == 0
    assert out.startswith(
        "Running batches of 50 until complete\n3 rows matched query populate_uuids, 3 migrated\n"
    )
    assert "|              Migration              | Total Needed | Completed |" in out
    assert "|            populate_uuids           |      3       |     3     |" in out


@pytest.mark.parametrize("count", ["0", "-1", "x"])
def test_a_count_that_is_none_is_refused(manage, deployment, count):
    assert migrate(manage, "--max-count", count)[0] == 127


def test_what_fails_does_not_hold_up_the_rest(manage, old_disks, tmp_path):
    conf = tmp_path / "openkeel.conf"
    conf.write_text(conf.read_text().replace(f"sqlite:///{tmp_path}/api.sqlite", ""))
    code, out = migrate(manage, "--max-count", "50")
    assert (code, "3 rows matched query populate_uuids, 3 migrated" in out) == (1, True)
    assert migrate(manage, "--max-count", "50")[0] == 2
    assert migrate(manage)[0] == 2


def test_a_row_that_cannot_be_read_does_not_hold_up_the_rest(manage, old_disks, cell):
    with cell.database.write() as connection:
        connection.execute(sa.update(table_of(rows.InstanceInfoCache)).values(network_info="no JSON"))
    code, out = migrate(manage)
    assert (code, "3 rows matched query populate_uuids, 3 migrated" in out) == (2, True)
