"""What MariaDB holds after all revisions is the contract's, to types, collations, prefixes and rules."""

import json
import os
from pathlib import Path

import pytest
import sqlalchemy as sa

from openkeel.db import migrate

SHARED = Path(os.environ.get("OPENKEEL_SHARED", Path(__file__).parents[3].parent / "shared"))
FACTS = {"api": "db_schema_api.json", "main": "db_schema_cell.json"}
pytestmark = [
    pytest.mark.skipif(not SHARED.exists(), reason="the contract files are not here"),
    pytest.mark.parametrize("kind", ["api", "main"]),
]


@pytest.fixture
def facts(kind):
    return json.loads((SHARED / "contracts" / FACTS[kind]).read_text())


@pytest.fixture
def query(kind, mariadb):
    database = mariadb(kind)
    migrate.upgrade(database, kind)

    def run(statement):
        with database.read() as connection:
            return [tuple(row) for row in connection.execute(sa.text(statement))]

    return run


def test_the_schema_is_the_contracts(facts, query):
    tables = query(
        "SELECT table_name, engine, table_collation FROM information_schema.tables "
        "WHERE table_schema = DATABASE()"
    )
    assert set(tables) == {(row["table"], row["engine"], row["collation"]) for row in facts["mysql_tables"]}
    columns = query(
        "SELECT table_name, column_name, ordinal_position, column_type, collation_name, is_nullable = 'YES', "
        "extra LIKE '%auto_increment%', NULLIF(column_default, 'NULL') "
        "FROM information_schema.columns WHERE table_schema = DATABASE()"
    )
    assert set(columns) == {
        (
            row["table"],
            row["column"],
            row["position"],
            row["type"],
            row["collation"],
            row["nullable"],
            row["autoincrement"],
            row["default"],
        )
        for row in facts["mysql_columns"]
    }
    indexes = query(
        "SELECT table_name, index_name, NOT non_unique, seq_in_index, column_name, sub_part "
        "FROM information_schema.statistics WHERE table_schema = DATABASE()"
    )
    assert set(indexes) == {
        (row["table"], row["index"], row["unique"], position, column, prefix)
        for row in facts["mysql_indexes"]
        for position, (column, prefix) in enumerate(
            zip(row["columns"], row["prefix_lengths"] or [None] * len(row["columns"]), strict=True), start=1
        )
    }
    keys = query(
        "SELECT c.table_name, c.constraint_name, c.referenced_table_name, c.delete_rule, c.update_rule, "
        "GROUP_CONCAT(k.column_name ORDER BY k.ordinal_position), "
        "GROUP_CONCAT(k.referenced_column_name ORDER BY k.ordinal_position) "
        "FROM information_schema.referential_constraints c "
        "JOIN information_schema.key_column_usage k ON k.constraint_schema = c.constraint_schema "
        "AND k.table_name = c.table_name AND k.constraint_name = c.constraint_name "
        "WHERE c.constraint_schema = DATABASE() GROUP BY c.table_name, c.constraint_name"
    )
    assert set(keys) == {
        (
            row["table"],
            row["name"],
            row["ref_table"],
            row["on_delete"],
            row["on_update"],
            ",".join(row["columns"]),
            ",".join(row["ref_columns"]),
        )
        for row in facts["mysql_foreign_keys"]
    }
