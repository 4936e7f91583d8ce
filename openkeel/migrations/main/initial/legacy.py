"""What no code reads any more; peers expect it to exist, as created at first."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Float,
    ForeignKeyConstraint,
    Index,
    Integer,
    String,
    Table,
    UniqueConstraint,
)

from openkeel.migrations.main.initial.metadata import METADATA
from openkeel.migrations.vocabulary import LATIN1, UTF8, stamps, utf8_string

Table(
    "agent_builds",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("hypervisor", String(255)),
    Column("os", String(255)),
    Column("architecture", String(255)),
    Column("version", String(255)),
    Column("url", String(255)),
    Column("md5hash", String(255)),
    Column("deleted", Integer),
    UniqueConstraint(
        "hypervisor",
        "os",
        "architecture",
        "deleted",
        name="uniq_agent_builds0hypervisor0os0architecture0deleted",
    ),
    Index("agent_builds_hypervisor_os_arch_idx", "hypervisor", "os", "architecture"),
    **UTF8,
)

Table(
    "bw_usage_cache",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("start_period", DateTime, nullable=False),
    Column("last_refreshed", DateTime),
    Column("bw_in", BigInteger),
    Column("bw_out", BigInteger),
    Column("mac", String(255)),
    Column("uuid", String(36)),
    Column("last_ctr_in", BigInteger),
    Column("last_ctr_out", BigInteger),
    Column("deleted", Integer),
    Index("bw_usage_cache_uuid_start_period_idx", "uuid", "start_period"),
    **UTF8,
)

Table(
    "cells",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("api_url", String(255)),
    Column("weight_offset", Float),
    Column("weight_scale", Float),
    Column("name", String(255)),
    Column("is_parent", Boolean),
    Column("deleted", Integer),
    Column("transport_url", String(255), nullable=False),
    UniqueConstraint("name", "deleted", name="uniq_cells0name0deleted"),
    **UTF8,
)

Table(
    "consoles",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("instance_name", String(255)),
    Column("password", String(255)),
    Column("port", Integer),
    Column("pool_id", Integer),
    Column("instance_uuid", String(36)),
    Column("deleted", Integer),
    ForeignKeyConstraint(["instance_uuid"], ["instances.uuid"], name="consoles_instance_uuid_fkey"),
    ForeignKeyConstraint(["pool_id"], ["console_pools.id"]),
    Index("consoles_instance_uuid_idx", "instance_uuid"),
    **UTF8,
)

Table(
    "console_pools",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("address", String(39)),
    Column("username", String(255)),
    Column("password", String(255)),
    Column("console_type", String(255)),
    Column("public_hostname", String(255)),
    Column("host", String(255)),
    Column("compute_host", String(255)),
    Column("deleted", Integer),
    UniqueConstraint(
        "host",
        "console_type",
        "compute_host",
        "deleted",
        name="uniq_console_pools0host0console_type0compute_host0deleted",
    ),
    **UTF8,
)

Table(
    "snapshots",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", String(36), primary_key=True),
    Column("volume_id", String(36), nullable=False),
    Column("user_id", String(255)),
    Column("project_id", String(255)),
    Column("status", String(255)),
    Column("progress", String(255)),
    Column("volume_size", Integer),
    Column("scheduled_at", DateTime),
    Column("display_name", String(255)),
    Column("display_description", String(255)),
    Column("deleted", String(36)),
    **UTF8,
)

Table(
    "snapshot_id_mappings",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("uuid", String(36), nullable=False),
    Column("deleted", Integer),
    **UTF8,
)

Table(
    "volume_id_mappings",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("uuid", String(36), nullable=False),
    Column("deleted", Integer),
    **UTF8,
)

Table(
    "resource_providers",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("uuid", String(36), nullable=False),
    Column("name", utf8_string(200)),
    Column("generation", Integer),
    Column("can_host", Integer),
    UniqueConstraint("name", name="uniq_resource_providers0name"),
    UniqueConstraint("uuid", name="uniq_resource_providers0uuid"),
    Index("resource_providers_name_idx", "name"),
    Index("resource_providers_uuid_idx", "uuid"),
    **LATIN1,
)

Table(
    "inventories",
    METADATA,
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
    "resource_provider_aggregates",
    METADATA,
    Column("resource_provider_id", Integer, primary_key=True, autoincrement=False),
    Column("aggregate_id", Integer, primary_key=True, autoincrement=False),
    Index("resource_provider_aggregates_aggregate_id_idx", "aggregate_id"),
    **LATIN1,
)
