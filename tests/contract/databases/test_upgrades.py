"""Every revision goes up on real data: rows stay, and the end is the schema of an empty start."""

import pytest
import sqlalchemy as sa
from alembic.script import ScriptDirectory

from openkeel.db import migrate
from tests.fixtures.filled import ROWS, contents, fill

KINDS = ["api", "main"]
DROPPED = {
    "build_requests": {
        *("request_spec_id", "user_id", "display_name", "instance_metadata", "progress", "vm_state"),
        *("task_state", "image_ref", "access_ip_v4", "access_ip_v6", "info_cache", "security_groups"),
        *("config_drive", "key_name", "locked_by"),
    }
}
# By the revision that leaves nothing in them, as Nova's does.
EMPTIED = {"d60bddf7a903": "share_mapping"}


def revisions(kind):
    """First to last."""
    script = ScriptDirectory.from_config(migrate._config(kind))
    return [one.revision for one in script.walk_revisions()][::-1]


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_every_table_live_through_every_revision(kind, empty):
    database = empty(kind)
    before = {}
    for revision in revisions(kind):
        migrate.upgrade(database, kind, revision)
        assert_kept(emptied(before, revision), contents(database))
        fill(database)
        before = contents(database)
        assert all(len(rows) == ROWS for rows in before.values())
    assert migrate.version(database) == migrate.head(kind)
    migrate.upgrade(database, kind)
    assert contents(database) == before


@pytest.mark.parametrize(
    ("kind", "revision"), [(kind, one) for kind in KINDS for one in revisions(kind)[:-1]]
)
def test_an_upgrade_in_one_go_keeps_rows(kind, revision, on_sqlite):
    database = on_sqlite(kind)
    migrate.upgrade(database, kind, revision)
    fill(database)
    before = contents(database)
    for later in revisions(kind)[revisions(kind).index(revision) + 1 :]:
        before = emptied(before, later)
    migrate.upgrade(database, kind)
    assert_kept(before, contents(database))


def test_a_share_that_is_twice_with_a_server_does_not_stop_the_upgrade(on_sqlite):
    database = on_sqlite("main")
    migrate.upgrade(database, "main", "13863f4e1612")
    fill(database)
    row = contents(database)["share_mapping"][0]
    same = {name: row[name] for name in ("instance_uuid", "share_id", "tag")}
    with database.write() as connection:
        connection.execute(sa.update(sa.table("share_mapping", *map(sa.column, same))).values(same))
    migrate.upgrade(database, "main")
    assert migrate.version(database) == migrate.head("main")


def emptied(rows, revision):
    """What is left of the rows when a revision has passed."""
    return {table: [] if EMPTIED.get(revision) == table else found for table, found in rows.items()}


def assert_kept(before, after):
    """Nothing of a row is lost but the columns that a revision is there to drop."""
    for table, rows in before.items():
        kept = [{name: row[name] for name in row if name not in DROPPED.get(table, ())} for row in rows]
        found = [{name: new[name] for name in row} for row, new in zip(kept, after[table], strict=True)]
        assert kept == found, table
