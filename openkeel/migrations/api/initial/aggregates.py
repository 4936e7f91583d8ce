"""Aggregates and server groups, as created at first."""

from sqlalchemy import Column, ForeignKeyConstraint, Index, Integer, String, Table, Text, UniqueConstraint

from openkeel.migrations.api.initial.metadata import METADATA
from openkeel.migrations.vocabulary import UTF8, stamps

Table(
    "aggregates",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("uuid", String(36)),
    Column("name", String(255)),
    UniqueConstraint("name", name="uniq_aggregate0name"),
    Index("aggregate_uuid_idx", "uuid"),
    **UTF8,
)

Table(
    "aggregate_hosts",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("host", String(255)),
    Column("aggregate_id", Integer, nullable=False),
    UniqueConstraint("host", "aggregate_id", name="uniq_aggregate_hosts0host0aggregate_id"),
    ForeignKeyConstraint(["aggregate_id"], ["aggregates.id"]),
    **UTF8,
)

Table(
    "aggregate_metadata",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("aggregate_id", Integer, nullable=False),
    Column("key", String(255), nullable=False),
    Column("value", String(255), nullable=False),
    UniqueConstraint("aggregate_id", "key", name="uniq_aggregate_metadata0aggregate_id0key"),
    ForeignKeyConstraint(["aggregate_id"], ["aggregates.id"]),
    Index("aggregate_metadata_key_idx", "key"),
    **UTF8,
)

Table(
    "instance_groups",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("user_id", String(255)),
    Column("project_id", String(255)),
    Column("uuid", String(36), nullable=False),
    Column("name", String(255)),
    UniqueConstraint("uuid", name="uniq_instance_groups0uuid"),
    **UTF8,
)

Table(
    "instance_group_member",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("instance_uuid", String(255)),
    Column("group_id", Integer, nullable=False),
    ForeignKeyConstraint(["group_id"], ["instance_groups.id"]),
    Index("instance_group_member_instance_idx", "instance_uuid"),
    **UTF8,
)

Table(
    "instance_group_policy",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("policy", String(255)),
    Column("group_id", Integer, nullable=False),
    Column("rules", Text),
    ForeignKeyConstraint(["group_id"], ["instance_groups.id"]),
    Index("instance_group_policy_policy_idx", "policy"),
    **UTF8,
)
