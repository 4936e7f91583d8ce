"""openkeel-manage on databases that are not what they are taken for: what it says and how it exits."""

import pytest
import sqlalchemy as sa

from openkeel.cmd.manage import main
from openkeel.db import migrate

FAILED = 255  # contract: nova-manage's code for every error that no command has one of its own for


@pytest.fixture
def refused(manage, tmp_path, capsys):
    """refused(code, *words): run it, see it exit so, and get the message."""

    def run(code, *words):
        capsys.readouterr()
        assert main(["--config-file", str(tmp_path / "openkeel.conf"), *words]) == code
        return capsys.readouterr().err

    return run


@pytest.fixture
def tables(tmp_path):
    """tables(statement...): do this to the local cell's database."""

    def run(*statements, name="main"):
        engine = sa.create_engine(f"sqlite:///{tmp_path}/{name}.sqlite")
        with engine.begin() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)
        engine.dispose()

    return run


VERSIONS = "CREATE TABLE alembic_version (version_num VARCHAR(32) PRIMARY KEY)"


@pytest.mark.parametrize("revision", ["ffffffffffff", "no such; thing", "123"])
def test_an_unknown_revision_is_named_with_its_database(refused, tables, manage, revision):
    tables(VERSIONS, f"INSERT INTO alembic_version VALUES ('{revision}')")
    said = refused(FAILED, "db", "sync", "--local_cell")
    assert repr(revision) in said
    assert "main.sqlite" in said
    assert manage("db", "version") == (0, f"{revision}\n")


def test_several_revisions_are_named(refused, tables):
    tables(VERSIONS, "INSERT INTO alembic_version VALUES ('8f2f1571d55b'), ('16f1fbcab42b')")
    for words in (("db", "sync", "--local_cell"), ("db", "version")):
        assert "16f1fbcab42b, 8f2f1571d55b" in refused(FAILED, *words)


def test_a_version_table_without_a_row_is_an_empty_database(manage, tables):
    tables(VERSIONS)
    assert manage("db", "version") == (0, "None\n")
    assert manage("db", "sync", "--local_cell")[0] == 0


def test_tables_without_a_revision_are_left_alone(refused, tables):
    tables("CREATE TABLE instances (id INTEGER PRIMARY KEY)")
    assert "instances" in refused(FAILED, "db", "sync", "--local_cell")
    tables("CREATE TABLE instance_actions (id INTEGER PRIMARY KEY)")  # it does not exist: nothing was made


@pytest.mark.parametrize("found", [391, 403])
def test_a_version_of_the_tool_before_alembic_is_named(refused, tables, found):
    tables("CREATE TABLE migrate_version (version INTEGER)", f"INSERT INTO migrate_version VALUES ({found})")
    assert f"version {found}" in refused(FAILED, "db", "sync", "--local_cell")


def test_an_unknown_revision_to_go_to_is_named(refused, deployment):
    assert "'nonsense'" in refused(FAILED, "db", "sync", "--local_cell", "nonsense")
    assert "'nonsense'" in refused(FAILED, "api_db", "sync", "nonsense")


def test_an_older_revision_to_go_to_changes_nothing(manage, deployment):
    assert manage("db", "sync", "8f2f1571d55b")[0] == 0
    assert manage("db", "version") == (0, f"{migrate.head('main')}\n")


@pytest.fixture
def swapped(deployment, tmp_path):
    """Both databases are there, and each option names the other."""
    conf = tmp_path / "openkeel.conf"
    text = conf.read_text().replace("/api.sqlite", "/x").replace("/main.sqlite", "/api.sqlite")
    conf.write_text(text.replace("/x", "/main.sqlite"))


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        (("db", "sync", "--local_cell"), FAILED, "api.sqlite is the API database"),
        (("api_db", "sync"), FAILED, "main.sqlite is a cell's database"),
        (("db", "sync"), 1, "cell_mappings"),
        (("db", "archive_deleted_rows"), FAILED, "main.sqlite is a cell's database"),
        (("db", "purge", "--all"), FAILED, "api.sqlite is the API database"),
        (("db", "online_data_migrations"), 2, "populate_uuids failed"),
    ],
)
def test_databases_taken_for_each_other_are_refused(refused, swapped, words, code, named):
    assert named in refused(code, *words)


def test_cell0_from_a_later_release_is_named(refused, deployment, tables):
    tables("UPDATE alembic_version SET version_num = 'ffffffffffff'", name="main_cell0")
    assert "main_cell0.sqlite is at revision 'ffffffffffff'" in refused(1, "db", "sync")


def test_an_empty_database_is_not_archived(refused, manage, tmp_path):
    assert manage("api_db", "sync")[0] == 0
    assert "no table instances" in refused(FAILED, "db", "archive_deleted_rows")


@pytest.mark.parametrize("words", [("db", "version"), ("db", "sync", "--local_cell"), ("api_db", "sync")])
def test_a_database_that_cannot_be_reached_is_an_error(refused, tmp_path, words):
    conf = tmp_path / "openkeel.conf"
    conf.write_text(conf.read_text().replace(f"sqlite:///{tmp_path}", "sqlite:////nowhere"))
    assert "unable to open database file" in refused(FAILED, *words)
