"""Shadow tables: where archived rows go. Each is its table's columns without indexes or constraints."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Column, Index, MetaData, String, Table

from openkeel.migrations.main.initial import METADATA
from openkeel.migrations.vocabulary import UTF8

WITHOUT_SHADOW: Final = frozenset(
    {
        "allocations",
        "console_auth_tokens",
        "inventories",
        "resource_provider_aggregates",
        "resource_providers",
        "tags",
    }
)
# Where history left a shadow that is laxer or stricter than its table.
NULLABLE: Final = frozenset(
    {
        ("key_pairs", "name"),
        ("pci_devices", "dev_type"),
        ("pci_devices", "product_id"),
        ("pci_devices", "vendor_id"),
    }
)
NOT_NULLABLE: Final = frozenset({("pci_devices", "deleted")})

# What the next revision puts right: types, indexes and options that differ from the tables.
TYPES: Final[Mapping[tuple[str, str], String]] = {("volume_usage_cache", "user_id"): String(36)}
INDEXES: Final[Mapping[str, tuple[str, str, bool]]] = {
    "instance_extra": ("shadow_instance_extra_idx", "instance_uuid", False),
    "migrations": ("shadow_migrations_uuid", "uuid", True),
}
OPTIONS: Final[Mapping[str, Mapping[str, Any]]] = {"instance_type_extra_specs": UTF8}


def shadow_metadata() -> MetaData:
    """All shadow tables of the initial revision."""
    shadows = MetaData()
    for table in METADATA.sorted_tables:
        if table.name not in WITHOUT_SHADOW:
            _shadow(table, shadows)
    # An old habit shadowed Alembic's own table as well; peers expect it.
    Table("shadow_alembic_version", shadows, Column("version_num", String(32), primary_key=True), **UTF8)
    return shadows


def _shadow(table: Table, shadows: MetaData) -> None:
    columns = []
    for column in table.columns:
        nullable = column.nullable or (table.name, column.name) in NULLABLE
        columns.append(
            Column(
                column.name,
                TYPES.get((table.name, column.name), column.type),
                primary_key=column.primary_key,
                autoincrement=column.autoincrement,
                nullable=nullable and (table.name, column.name) not in NOT_NULLABLE,
                server_default=column.server_default,
            )
        )
    shadow = Table(f"shadow_{table.name}", shadows, *columns, **OPTIONS.get(table.name, table.dialect_kwargs))
    if table.name in INDEXES:
        name, column_name, unique = INDEXES[table.name]
        Index(name, shadow.c[column_name], unique=unique)
