"""Words that the revisions of both databases share."""

from collections.abc import Iterator
from typing import Any, Final

import sqlalchemy as sa
from alembic import op
from sqlalchemy import BigInteger, Column, DateTime, Integer, String, Text
from sqlalchemy.dialects import mysql
from sqlalchemy.types import TypeEngine

MEDIUM_TEXT: Final = Text().with_variant(mysql.MEDIUMTEXT(), "mysql", "mariadb")
# SQLite counts only INTEGER keys up by itself.
BIG_ID: Final = BigInteger().with_variant(Integer(), "sqlite")

UTF8: Final[dict[str, Any]] = {"mysql_engine": "InnoDB", "mysql_charset": "utf8"}
UTF8_BIN: Final[dict[str, Any]] = {**UTF8, "mysql_collate": "utf8_bin"}
LATIN1: Final[dict[str, Any]] = {"mysql_engine": "InnoDB", "mysql_charset": "latin1"}


def utf8_string(length: int, *, collation: str | None = None) -> TypeEngine[str]:
    """A string that takes any text in a table that does not."""
    return String(length).with_variant(
        mysql.VARCHAR(length, charset="utf8", collation=collation), "mysql", "mariadb"
    )


def stamps(*, deleted_at: bool = False) -> Iterator[Column[Any]]:
    """When a row was made, changed and, where rows are kept after their end, deleted."""
    yield Column("created_at", DateTime)
    yield Column("updated_at", DateTime)
    if deleted_at:
        yield Column("deleted_at", DateTime)


def drop_index_if_there(name: str, table: str) -> None:
    """Drop an index; fine when an upgrade that was cut off did that already."""
    if name in {index["name"] for index in sa.inspect(op.get_bind()).get_indexes(table)}:
        op.drop_index(name, table)
