"""The schema after all revisions is the contract's, and the models are that schema's."""

import json
import os
from pathlib import Path

import pytest
import sqlalchemy as sa

from openkeel.db import migrate
from openkeel.db.models import api, main
from openkeel.db.models.base import ApiBase, CellBase
from openkeel.db.session import Database, DatabaseSettings
from openkeel.domain.errors import Invalid
from tests.fixtures.db import MARIADB_URL

SHARED = Path(os.environ.get("OPENKEEL_SHARED", Path(__file__).parents[3].parent / "shared"))
BASES = {"api": (ApiBase, api, "db_schema_api.json"), "main": (CellBase, main, "db_schema_cell.json")}
needs_contract = pytest.mark.skipif(not SHARED.exists(), reason="the contract files are not here")


@pytest.fixture(params=["api", "main"])
def kind(request):
    return request.param


@pytest.fixture
def inspector(kind, api_database, cell_database):
    return sa.inspect({"api": api_database, "main": cell_database}[kind].engine)


def test_every_model_has_the_columns_of_its_table(kind, inspector):
    base, _, _ = BASES[kind]
    for table in base.metadata.sorted_tables:
        found = {column["name"]: column["nullable"] for column in inspector.get_columns(table.name)}
        for column in table.columns:
            assert column.name in found, f"{table.name}.{column.name}"
            assert found[column.name] == column.nullable or column.primary_key, f"{table.name}.{column.name}"


@needs_contract
@pytest.mark.skipif(bool(MARIADB_URL), reason="compares SQLite's view")
def test_the_schema_is_the_contracts(kind, inspector):
    facts = json.loads((SHARED / "contracts" / BASES[kind][2]).read_text())
    for wanted in facts["migrated_columns"]:
        columns = {column["name"]: column for column in inspector.get_columns(wanted["table"])}
        found = columns[wanted["column"]]
        assert str(found["type"]).upper() == wanted["type_sqlite"].upper(), wanted
        assert found["nullable"] == wanted["nullable"], wanted
    for wanted in facts["migrated_indexes"]:
        found = {index["name"]: index["column_names"] for index in inspector.get_indexes(wanted["table"])}
        assert found[wanted["index"]] == wanted["columns"]
    assert sorted(inspector.get_table_names()) == sorted(facts["migrated_tables"])


def test_a_database_at_the_head_is_taken_as_it_is(kind, api_database, cell_database):
    database = {"api": api_database, "main": cell_database}[kind]
    migrate.upgrade(database, kind)
    assert migrate.version(database) == migrate.head(kind)


def test_an_empty_database_has_no_revision(tmp_path):
    database = Database(DatabaseSettings(f"sqlite:///{tmp_path}/empty.sqlite"))
    assert migrate.version(database) is None
    database.dispose()


def test_a_database_older_than_alembic_is_refused_unless_at_its_last_version(tmp_path):
    database = Database(DatabaseSettings(f"sqlite:///{tmp_path}/old.sqlite"))
    with database.write() as connection:
        connection.execute(sa.text("CREATE TABLE migrate_version (version INTEGER)"))
        connection.execute(sa.text("INSERT INTO migrate_version VALUES (391)"))
    with pytest.raises(Invalid):
        migrate.upgrade(database, "main")
    database.dispose()


def test_revisions_can_be_taken_one_by_one(tmp_path):
    database = Database(DatabaseSettings(f"sqlite:///{tmp_path}/step.sqlite"))
    migrate.upgrade(database, "main", "960aac0e09ea")
    assert "compute_id" not in {
        column["name"] for column in sa.inspect(database.engine).get_columns("instances")
    }
    migrate.upgrade(database, "main")
    assert "compute_id" in {column["name"] for column in sa.inspect(database.engine).get_columns("instances")}
    database.dispose()
