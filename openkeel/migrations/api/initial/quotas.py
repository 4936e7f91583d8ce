"""Limits and the usage once counted, as created at first."""

from sqlalchemy import Column, DateTime, ForeignKeyConstraint, Index, Integer, String, Table, UniqueConstraint

from openkeel.migrations.api.initial.metadata import METADATA
from openkeel.migrations.vocabulary import UTF8, stamps

Table(
    "quotas",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("created_at", DateTime),
    Column("updated_at", DateTime),
    Column("project_id", String(255)),
    Column("resource", String(255), nullable=False),
    Column("hard_limit", Integer),
    UniqueConstraint("project_id", "resource", name="uniq_quotas0project_id0resource"),
    **UTF8,
)

Table(
    "project_user_quotas",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("created_at", DateTime),
    Column("updated_at", DateTime),
    Column("user_id", String(255), nullable=False),
    Column("project_id", String(255), nullable=False),
    Column("resource", String(255), nullable=False),
    Column("hard_limit", Integer),
    UniqueConstraint(
        "user_id", "project_id", "resource", name="uniq_project_user_quotas0user_id0project_id0resource"
    ),
    Index("project_user_quotas_project_id_idx", "project_id"),
    Index("project_user_quotas_user_id_idx", "user_id"),
    **UTF8,
)

Table(
    "quota_classes",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("class_name", String(255)),
    Column("resource", String(255)),
    Column("hard_limit", Integer),
    Index("quota_classes_class_name_idx", "class_name"),
    **UTF8,
)

Table(
    "quota_usages",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("project_id", String(255)),
    Column("resource", String(255), nullable=False),
    Column("in_use", Integer, nullable=False),
    Column("reserved", Integer, nullable=False),
    Column("until_refresh", Integer),
    Column("user_id", String(255)),
    Index("quota_usages_project_id_idx", "project_id"),
    Index("quota_usages_user_id_idx", "user_id"),
    **UTF8,
)

Table(
    "reservations",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("uuid", String(36), nullable=False),
    Column("usage_id", Integer, nullable=False),
    Column("project_id", String(255)),
    Column("resource", String(255)),
    Column("delta", Integer, nullable=False),
    Column("expire", DateTime),
    Column("user_id", String(255)),
    ForeignKeyConstraint(["usage_id"], ["quota_usages.id"]),
    Index("reservations_expire_idx", "expire"),
    Index("reservations_project_id_idx", "project_id"),
    Index("reservations_user_id_idx", "user_id"),
    Index("reservations_uuid_idx", "uuid"),
    **UTF8,
)
