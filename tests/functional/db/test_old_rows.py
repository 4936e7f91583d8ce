"""`db archive_deleted_rows` and `db purge`: what they print and how they exit."""

import pytest

from openkeel import objects
from openkeel.cmd.manage.dates import moment
from tests.fixtures.db import new_instance


@pytest.fixture
def dead(deployment, cell, manage):
    """A dead server that the API still knows."""
    instance = new_instance(host="node-1")
    cell.instances.create(instance)
    assert manage("cell_v2", "map_instances", "--cell_uuid", deployment)[0] == 0
    cell.bdms.create(
        objects.BlockDeviceMapping(instance_uuid=instance.uuid, source_type="image", destination_type="local")
    )
    cell.instances.destroy(instance)
    return instance


def archive(manage, *words):
    return manage("db", "archive_deleted_rows", *words)


def test_dead_rows_are_archived_and_counted(manage, dead):
    assert archive(manage, "--before", "2001-02-03") == (0, "")
    assert archive(manage, "--max_rows", "0", "--verbose") == (0, "Nothing was archived.\n")
    code, out = archive(manage, "--verbose")
    assert code == 1
    assert "| Table                        | Number of Rows Archived |" in out
    assert "| API_DB.instance_mappings     | 1                       |" in out
    assert "| instances                    | 1                       |" in out
    assert archive(manage, "--verbose") == (0, "Nothing was archived.\n")
    assert manage("cell_v2", "verify_instance", "--uuid", dead.uuid)[0] == 1


def test_archiving_goes_on_until_it_is_complete(manage, dead):
    code, out = archive(manage, "--until-complete", "--max_rows", "1", "--verbose", "--purge")
    assert code == 1
    assert out.startswith("Archiving.")
    assert "complete\n+--" in out
    assert "DB: Deleted 1 rows from shadow_instances based on timestamp column (n/a)\n" in out
    assert archive(manage, "--until-complete") == (0, "")
    assert manage("db", "purge", "--all") == (3, "")


def test_a_purge_after_archiving_empties_the_shadows_whatever_the_date(manage, dead):
    code, out = archive(manage, "--before", "2199-02-03", "--purge", "--verbose")
    assert code == 1
    assert "DB: Deleted 1 rows from shadow_instances based on timestamp column (n/a)\n" in out


def test_all_cells_are_archived_by_name(manage, dead, deployment):
    code, out = archive(manage, "--all-cells", "--verbose")
    assert code == 1
    assert "| cell1.instances " in out
    code, out = manage("db", "purge", "--all", "--all-cells", "--verbose")
    assert code == 0
    assert f"Cell {deployment}(cell1): Deleted 1 rows from shadow_instances " in out


def test_shadows_are_purged_by_date(manage, dead):
    archive(manage)
    assert manage("db", "purge")[0] == 1
    assert manage("db", "purge", "--before", "never")[0] == 2
    code, out = manage("db", "purge", "--before", "2001-02-03", "--verbose")
    assert (code, out.count("\n")) == (3, 1), "only the one table that cannot tell is named"
    code, out = manage("db", "purge", "--before", "Oct 21 2199", "--verbose")
    assert code == 0
    assert "DB: Deleted 1 rows from shadow_instances based on timestamp column deleted_at\n" in out


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--max_rows", "-1"), 2),
        (("--max_rows", str(2**31)), 2),
        (("--before", "never"), 4),
    ],
)
def test_what_makes_no_sense_is_refused(manage, deployment, words, code):
    assert archive(manage, *words)[0] == code


def test_without_an_api_database_nothing_is_archived(manage, tmp_path):
    conf = tmp_path / "openkeel.conf"
    conf.write_text(conf.read_text().replace(f"sqlite:///{tmp_path}/api.sqlite", ""))
    assert archive(manage)[0] == 3
    assert manage("db", "purge", "--all", "--all-cells")[0] == 4


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2026-01-02", "2026-01-02T00:00:00+00:00"),
        ("2026-01-02 13:14:15", "2026-01-02T13:14:15+00:00"),
        ("2026-01-02T13:14:15+02:00", "2026-01-02T11:14:15+00:00"),
        ("Oct 21 2015", "2015-10-21T00:00:00+00:00"),
        ("Fri Jan  2 13:14:15 UTC 2026", "2026-01-02T13:14:15+00:00"),
        ("Fri Jan  2 01:14:15 PM UTC 2026", "2026-01-02T13:14:15+00:00"),
    ],
)
def test_dates_are_read_as_people_and_programs_write_them(text, found):
    assert moment(text).isoformat() == found
