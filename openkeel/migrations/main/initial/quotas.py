"""Limits and the usage once counted, as created at first."""

from sqlalchemy import Column, DateTime, ForeignKeyConstraint, Index, Integer, String, Table, UniqueConstraint

from openkeel.migrations.main.initial.metadata import METADATA
from openkeel.migrations.vocabulary import UTF8, stamps

Table(
    "quotas",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("created_at", DateTime),
    Column("updated_at", DateTime),
    Column("deleted_at", DateTime),
    Column("project_id", String(255)),
    Column("resource", String(255), nullable=False),
    Column("hard_limit", Integer),
    Column("deleted", Integer),
    UniqueConstraint("project_id", "resource", "deleted", name="uniq_quotas0project_id0resource0deleted"),
    **UTF8,
)

Table(
    "project_user_quotas",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("created_at", DateTime),
    Column("updated_at", DateTime),
    Column("deleted_at", DateTime),
    Column("deleted", Integer),
    Column("user_id", String(255), nullable=False),
    Column("project_id", String(255), nullable=False),
    Column("resource", String(255), nullable=False),
    Column("hard_limit", Integer),
    UniqueConstraint(
        "user_id",
        "project_id",
        "resource",
        "deleted",
        name="uniq_project_user_quotas0user_id0project_id0resource0deleted",
    ),
    Index("project_user_quotas_project_id_deleted_idx", "project_id", "deleted"),
    Index("project_user_quotas_user_id_deleted_idx", "user_id", "deleted"),
    **UTF8,
)

Table(
    "quota_classes",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("class_name", String(255)),
    Column("resource", String(255)),
    Column("hard_limit", Integer),
    Column("deleted", Integer),
    Index("ix_quota_classes_class_name", "class_name"),
    **UTF8,
)

Table(
    "quota_usages",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("project_id", String(255)),
    Column("resource", String(255), nullable=False),
    Column("in_use", Integer, nullable=False),
    Column("reserved", Integer, nullable=False),
    Column("until_refresh", Integer),
    Column("deleted", Integer),
    Column("user_id", String(255)),
    Index("ix_quota_usages_project_id", "project_id"),
    Index("ix_quota_usages_user_id_deleted", "user_id", "deleted"),
    **UTF8,
)

Table(
    "reservations",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("uuid", String(36), nullable=False),
    Column("usage_id", Integer, nullable=False),
    Column("project_id", String(255)),
    Column("resource", String(255)),
    Column("delta", Integer, nullable=False),
    Column("expire", DateTime),
    Column("deleted", Integer),
    Column("user_id", String(255)),
    ForeignKeyConstraint(["usage_id"], ["quota_usages.id"], name="reservations_ibfk_1"),
    # MySQL wants an index here and, left alone, calls it like the constraint.
    Index("usage_id", "usage_id").ddl_if(dialect="mysql"),
    Index("reservations_deleted_expire_idx", "deleted", "expire"),
    Index("ix_reservations_project_id", "project_id"),
    Index("ix_reservations_user_id_deleted", "user_id", "deleted"),
    Index("reservations_uuid_idx", "uuid"),
    **UTF8,
)
