"""Shadow tables: where archived rows go. Each is its table's columns without indexes or constraints."""

from typing import Final

from sqlalchemy import Column, MetaData, String, Table

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
                column.type,
                primary_key=column.primary_key,
                autoincrement=column.autoincrement,
                nullable=nullable and (table.name, column.name) not in NOT_NULLABLE,
                server_default=column.server_default,
            )
        )
    Table(f"shadow_{table.name}", shadows, *columns, **table.dialect_kwargs)
