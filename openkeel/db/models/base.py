"""What all tables share. Indexes and constraints stand in `migrations/`, the one truth about them."""

from datetime import UTC, datetime
from typing import Any, ClassVar, Final, cast

from sqlalchemy import BigInteger, Boolean, DateTime, Float, Integer, MetaData, String, Table, Text
from sqlalchemy.dialects import mysql
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

MEDIUM_TEXT: Final = Text().with_variant(mysql.MEDIUMTEXT(), "mysql", "mariadb")
BIG_ID: Final = BigInteger().with_variant(Integer(), "sqlite")

_TYPES: Final[dict[Any, Any]] = {
    str: String(255),
    int: Integer,
    bool: Boolean,
    float: Float,
    datetime: DateTime,
}


def utcnow() -> datetime:
    """The present as the databases keep it: naive, in UTC."""
    return datetime.now(UTC).replace(tzinfo=None)


def table_of(row_class: type[Any]) -> Table:
    """The table of a row class."""
    return cast("Table", row_class.__table__)


class ApiBase(DeclarativeBase):
    """A row of the API database."""

    metadata: ClassVar[MetaData] = MetaData()
    type_annotation_map: ClassVar[dict[Any, Any]] = _TYPES


class CellBase(DeclarativeBase):
    """A row of a cell's database."""

    metadata: ClassVar[MetaData] = MetaData()
    type_annotation_map: ClassVar[dict[Any, Any]] = _TYPES


class Stamped:
    """When the row was made and last changed."""

    created_at: Mapped[datetime | None] = mapped_column(default=utcnow)
    updated_at: Mapped[datetime | None] = mapped_column(onupdate=utcnow)


class SoftDeleted(Stamped):
    """A row that stays after its end: `deleted` is 0 while it lives, then its own id."""

    deleted_at: Mapped[datetime | None]
    deleted: Mapped[int | None] = mapped_column(default=0)
