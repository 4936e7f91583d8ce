"""nova-manage and openkeel-manage make the same databases, and go on where the other stopped."""

import re
import subprocess
from collections.abc import Callable, Mapping

import pytest
import sqlalchemy as sa
from alembic.script import ScriptDirectory

from devstack.lib.ini import render
from devstack.lib.site import Site
from openkeel.db import migrate
from openkeel.db.session import Database
from tests.fixtures.filled import contents, fill
from tests.fixtures.mariadb import MakeDatabase, mariadb
from tests.interop.nova_environment import NovaEnvironment

__all__ = ["mariadb"]

KINDS = ("api", "main")
WORDS = {"api": ("api_db", "sync"), "main": ("db", "sync", "--local_cell")}
REVISIONS = {
    kind: [one.revision for one in ScriptDirectory.from_config(migrate._config(kind)).walk_revisions()][::-1]
    for kind in KINDS
}

# Revisions that leave nothing in a table, whichever tool takes the step.
EMPTIED = {"d60bddf7a903": ("share_mapping",)}

# Tool, words -> exit code, what it printed.
Manage = Callable[..., tuple[int, str]]


@pytest.fixture
def databases(mariadb: MakeDatabase) -> Mapping[str, Database]:
    return {kind: mariadb(kind) for kind in KINDS}


@pytest.fixture
def manage(tmp_path, databases) -> Manage:
    """manage("nova" or "openkeel", *words) on the databases. No daemon need run."""
    site = Site.load()
    nova = NovaEnvironment.of(site)
    if lacking := nova.lacks():
        pytest.skip(lacking)
    conf = tmp_path / "manage.conf"
    conf.write_text(
        render(
            {
                "DEFAULT": {"state_path": tmp_path, "transport_url": "rabbit://nobody@127.0.0.1:1/"},
                "database": {"connection": databases["main"].settings.url},
                "api_database": {"connection": databases["api"].settings.url},
            }
        )
    )

    def run(tool: str, *words: str) -> tuple[int, str]:
        if tool == "nova":
            done = nova.manage(*words, files=(conf,))
        else:
            command = [site.venv / "bin" / "openkeel-manage", "--config-file", conf, *words]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
        return done.returncode, done.stdout or done.stderr

    return run


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("first", ["nova", "openkeel"])
def test_each_goes_on_where_the_other_stopped(kind, first, databases, manage):
    """Every revision by turns, with rows in every table; the end is what each makes alone."""
    database, tools = databases[kind], ["nova", "openkeel"]
    if first == "openkeel":
        tools.reverse()
    before = {}
    for number, revision in enumerate(REVISIONS[kind]):
        code, said = manage(tools[number % 2], *WORDS[kind], revision)
        assert code == 0, said
        assert migrate.version(database) == revision
        after = contents(database)
        before |= {table: [] for table in EMPTIED.get(revision, ())}
        assert {table: len(rows) for table, rows in before.items()} == {
            table: len(after[table]) for table in before
        }
        fill(database)
        before = contents(database)
    for tool in tools:
        assert manage(tool, *WORDS[kind])[0] == 0
        code, said = manage(tool, WORDS[kind][0], "version")
        assert (code, said.split()[-1]) == (0, migrate.head(kind))
    assert contents(database) == before


@pytest.mark.parametrize("kind", KINDS)
def test_both_make_the_same_schema(kind, databases, manage, mariadb):
    assert manage("nova", *WORDS[kind])[0] == 0
    ours = mariadb("ours")
    migrate.upgrade(ours, kind)
    assert schema(ours) == schema(databases[kind])


def schema(database: Database) -> dict[str, list[str]]:
    """Every table as MariaDB would create it; the order of indexes does not count."""
    found = {}
    with database.read() as connection:
        for (table,) in connection.execute(sa.text("SHOW TABLES")):
            text = connection.execute(sa.text(f"SHOW CREATE TABLE `{table}`")).one()[1]
            lines = [line.strip().rstrip(",") for line in text.splitlines()[1:]]
            keys = [line for line in lines if re.match(r"(PRIMARY |UNIQUE )?KEY|CONSTRAINT", line)]
            found[table] = [line for line in lines if line not in keys] + sorted(keys)
    return found
