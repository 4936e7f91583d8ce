"""What moved to the API database, as created at first."""

from sqlalchemy import (
    Boolean,
    Column,
    Enum,
    Float,
    ForeignKeyConstraint,
    Index,
    Integer,
    String,
    Table,
    UniqueConstraint,
)

from openkeel.migrations.main.initial.metadata import METADATA
from openkeel.migrations.vocabulary import MEDIUM_TEXT, UTF8, UTF8_BIN, stamps

Table(
    "aggregates",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("name", String(255)),
    Column("deleted", Integer),
    Column("uuid", String(36)),
    Index("aggregate_uuid_idx", "uuid"),
    **UTF8,
)

Table(
    "aggregate_hosts",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("host", String(255)),
    Column("aggregate_id", Integer, nullable=False),
    Column("deleted", Integer),
    UniqueConstraint(
        "host", "aggregate_id", "deleted", name="uniq_aggregate_hosts0host0aggregate_id0deleted"
    ),
    ForeignKeyConstraint(["aggregate_id"], ["aggregates.id"]),
    **UTF8,
)

Table(
    "aggregate_metadata",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("aggregate_id", Integer, nullable=False),
    Column("key", String(255), nullable=False),
    Column("value", String(255), nullable=False),
    Column("deleted", Integer),
    UniqueConstraint(
        "aggregate_id", "key", "deleted", name="uniq_aggregate_metadata0aggregate_id0key0deleted"
    ),
    ForeignKeyConstraint(["aggregate_id"], ["aggregates.id"]),
    Index("aggregate_metadata_key_idx", "key"),
    Index("aggregate_metadata_value_idx", "value"),
    **UTF8,
)

Table(
    "instance_groups",
    METADATA,
    *stamps(deleted_at=True),
    Column("deleted", Integer),
    Column("id", Integer, primary_key=True),
    Column("user_id", String(255)),
    Column("project_id", String(255)),
    Column("uuid", String(36), nullable=False),
    Column("name", String(255)),
    UniqueConstraint("uuid", "deleted", name="uniq_instance_groups0uuid0deleted"),
    **UTF8,
)

Table(
    "instance_group_member",
    METADATA,
    *stamps(deleted_at=True),
    Column("deleted", Integer),
    Column("id", Integer, primary_key=True),
    Column("instance_id", String(255)),
    Column("group_id", Integer, nullable=False),
    ForeignKeyConstraint(["group_id"], ["instance_groups.id"]),
    Index("instance_group_member_instance_idx", "instance_id"),
    **UTF8,
)

Table(
    "instance_group_policy",
    METADATA,
    *stamps(deleted_at=True),
    Column("deleted", Integer),
    Column("id", Integer, primary_key=True),
    Column("policy", String(255)),
    Column("group_id", Integer, nullable=False),
    ForeignKeyConstraint(["group_id"], ["instance_groups.id"]),
    Index("instance_group_policy_policy_idx", "policy"),
    **UTF8,
)

Table(
    "instance_types",
    METADATA,
    *stamps(deleted_at=True),
    Column("name", String(255)),
    Column("id", Integer, primary_key=True),
    Column("memory_mb", Integer, nullable=False),
    Column("vcpus", Integer, nullable=False),
    Column("swap", Integer, nullable=False),
    Column("vcpu_weight", Integer),
    Column("flavorid", String(255)),
    Column("rxtx_factor", Float),
    Column("root_gb", Integer),
    Column("ephemeral_gb", Integer),
    Column("disabled", Boolean),
    Column("is_public", Boolean),
    Column("deleted", Integer),
    UniqueConstraint("flavorid", "deleted", name="uniq_instance_types0flavorid0deleted"),
    UniqueConstraint("name", "deleted", name="uniq_instance_types0name0deleted"),
    **UTF8,
)

Table(
    "instance_type_extra_specs",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("instance_type_id", Integer, nullable=False),
    Column("key", String(255)),
    Column("value", String(255)),
    Column("deleted", Integer),
    UniqueConstraint(
        "instance_type_id",
        "key",
        "deleted",
        name="uniq_instance_type_extra_specs0instance_type_id0key0deleted",
    ),
    ForeignKeyConstraint(["instance_type_id"], ["instance_types.id"]),
    Index("instance_type_extra_specs_instance_type_id_key_idx", "instance_type_id", "key"),
    **UTF8_BIN,
)

Table(
    "instance_type_projects",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("instance_type_id", Integer, nullable=False),
    Column("project_id", String(255)),
    Column("deleted", Integer),
    UniqueConstraint(
        "instance_type_id",
        "project_id",
        "deleted",
        name="uniq_instance_type_projects0instance_type_id0project_id0deleted",
    ),
    ForeignKeyConstraint(["instance_type_id"], ["instance_types.id"], name="instance_type_projects_ibfk_1"),
    # A leftover that MySQL keeps because the unique constraint came later.
    Index("instance_type_id", "instance_type_id").ddl_if(dialect="mysql"),
    **UTF8,
)

Table(
    "key_pairs",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("name", String(255), nullable=False),
    Column("user_id", String(255)),
    Column("fingerprint", String(255)),
    Column("public_key", MEDIUM_TEXT),
    Column("deleted", Integer),
    Column("type", Enum("ssh", "x509", name="key_pairs0type"), nullable=False, server_default="ssh"),
    UniqueConstraint("user_id", "name", "deleted", name="uniq_key_pairs0user_id0name0deleted"),
    **UTF8,
)
