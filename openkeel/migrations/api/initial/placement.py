"""What Placement kept here before it had its own database, as created at first."""

from sqlalchemy import (
    Column,
    DateTime,
    Float,
    ForeignKeyConstraint,
    Index,
    Integer,
    String,
    Table,
    UniqueConstraint,
    text,
)

from openkeel.migrations.api.initial.metadata import METADATA
from openkeel.migrations.vocabulary import LATIN1, stamps, utf8_string

Table(
    "resource_providers",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("uuid", String(36), nullable=False),
    Column("name", utf8_string(200, collation="utf8_bin")),
    Column("generation", Integer),
    Column("can_host", Integer),
    Column("root_provider_id", Integer),
    Column("parent_provider_id", Integer),
    UniqueConstraint("name", name="uniq_resource_providers0name"),
    UniqueConstraint("uuid", name="uniq_resource_providers0uuid"),
    ForeignKeyConstraint(["root_provider_id"], ["resource_providers.id"]),
    ForeignKeyConstraint(["parent_provider_id"], ["resource_providers.id"]),
    Index("resource_providers_name_idx", "name"),
    Index("resource_providers_parent_provider_id_idx", "parent_provider_id"),
    Index("resource_providers_root_provider_id_idx", "root_provider_id"),
    Index("resource_providers_uuid_idx", "uuid"),
    **LATIN1,
)

Table(
    "resource_provider_aggregates",
    METADATA,
    *stamps(),
    Column("resource_provider_id", Integer, primary_key=True, autoincrement=False),
    Column("aggregate_id", Integer, primary_key=True, autoincrement=False),
    Index("resource_provider_aggregates_aggregate_id_idx", "aggregate_id"),
    **LATIN1,
)

Table(
    "resource_provider_traits",
    METADATA,
    *stamps(),
    Column("trait_id", Integer, primary_key=True, autoincrement=False),
    Column("resource_provider_id", Integer, primary_key=True, autoincrement=False),
    ForeignKeyConstraint(["resource_provider_id"], ["resource_providers.id"]),
    ForeignKeyConstraint(["trait_id"], ["traits.id"]),
    Index("resource_provider_traits_resource_provider_trait_idx", "resource_provider_id", "trait_id"),
    **LATIN1,
)

Table(
    "resource_classes",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", String(255), nullable=False),
    Column("created_at", DateTime),
    Column("updated_at", DateTime),
    UniqueConstraint("name", name="uniq_resource_classes0name"),
    **LATIN1,
)

Table(
    "traits",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("name", utf8_string(255, collation="utf8_bin"), nullable=False),
    UniqueConstraint("name", name="uniq_traits0name"),
    **LATIN1,
)

Table(
    "inventories",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("resource_provider_id", Integer, nullable=False),
    Column("resource_class_id", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("reserved", Integer, nullable=False),
    Column("min_unit", Integer, nullable=False),
    Column("max_unit", Integer, nullable=False),
    Column("step_size", Integer, nullable=False),
    Column("allocation_ratio", Float, nullable=False),
    UniqueConstraint(
        "resource_provider_id", "resource_class_id", name="uniq_inventories0resource_provider_resource_class"
    ),
    Index("inventories_resource_class_id_idx", "resource_class_id"),
    Index("inventories_resource_provider_resource_class_idx", "resource_provider_id", "resource_class_id"),
    Index("inventories_resource_provider_id_idx", "resource_provider_id"),
    **LATIN1,
)

Table(
    "allocations",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("resource_provider_id", Integer, nullable=False),
    Column("consumer_id", String(36), nullable=False),
    Column("resource_class_id", Integer, nullable=False),
    Column("used", Integer, nullable=False),
    Index("allocations_consumer_id_idx", "consumer_id"),
    Index("allocations_resource_class_id_idx", "resource_class_id"),
    Index(
        "allocations_resource_provider_class_used_idx", "resource_provider_id", "resource_class_id", "used"
    ),
    **LATIN1,
)

Table(
    "consumers",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("uuid", String(36), nullable=False),
    Column("project_id", Integer, nullable=False),
    Column("user_id", Integer, nullable=False),
    Column("generation", Integer, nullable=False, server_default=text("0")),
    UniqueConstraint("uuid", name="uniq_consumers0uuid"),
    Index("consumers_project_id_user_id_uuid_idx", "project_id", "user_id", "uuid"),
    Index("consumers_project_id_uuid_idx", "project_id", "uuid"),
    **LATIN1,
)

Table(
    "placement_aggregates",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("uuid", String(36)),
    UniqueConstraint("uuid", name="uniq_placement_aggregates0uuid"),
    Index("ix_placement_aggregates_uuid", "uuid"),
    **LATIN1,
)

Table(
    "projects",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("external_id", String(255), nullable=False),
    Column("created_at", DateTime),
    Column("updated_at", DateTime),
    UniqueConstraint("external_id", name="uniq_projects0external_id"),
    **LATIN1,
)

Table(
    "users",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("external_id", String(255), nullable=False),
    Column("created_at", DateTime),
    Column("updated_at", DateTime),
    UniqueConstraint("external_id", name="uniq_users0external_id"),
    **LATIN1,
)
