"""Servers on their way to a cell, and which cell holds what, as created at first."""

from sqlalchemy import (
    Boolean,
    Column,
    Enum,
    ForeignKeyConstraint,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from openkeel.migrations.api.initial.metadata import METADATA
from openkeel.migrations.vocabulary import MEDIUM_TEXT, UTF8, stamps

Table(
    "build_requests",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("request_spec_id", Integer),
    Column("project_id", String(255), nullable=False),
    Column("user_id", String(255)),
    Column("display_name", String(255)),
    Column("instance_metadata", Text),
    Column("progress", Integer),
    Column("vm_state", String(255)),
    Column("task_state", String(255)),
    Column("image_ref", String(255)),
    Column("access_ip_v4", String(39)),
    Column("access_ip_v6", String(39)),
    Column("info_cache", Text),
    Column("security_groups", Text),
    Column("config_drive", Boolean),
    Column("key_name", String(255)),
    Column("locked_by", Enum("owner", "admin", name="build_requests0locked_by")),
    Column("instance_uuid", String(36)),
    Column("instance", MEDIUM_TEXT),
    Column("block_device_mappings", MEDIUM_TEXT),
    Column("tags", Text),
    UniqueConstraint("instance_uuid", name="uniq_build_requests0instance_uuid"),
    Index("build_requests_instance_uuid_idx", "instance_uuid"),
    Index("build_requests_project_id_idx", "project_id"),
    **UTF8,
)

Table(
    "request_specs",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("instance_uuid", String(36), nullable=False),
    Column("spec", MEDIUM_TEXT, nullable=False),
    UniqueConstraint("instance_uuid", name="uniq_request_specs0instance_uuid"),
    Index("request_spec_instance_uuid_idx", "instance_uuid"),
    **UTF8,
)

Table(
    "instance_mappings",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("instance_uuid", String(36), nullable=False),
    Column("cell_id", Integer),
    Column("project_id", String(255), nullable=False),
    Column("queued_for_delete", Boolean),
    Column("user_id", String(255)),
    UniqueConstraint("instance_uuid", name="uniq_instance_mappings0instance_uuid"),
    ForeignKeyConstraint(["cell_id"], ["cell_mappings.id"]),
    Index("instance_uuid_idx", "instance_uuid"),
    Index("project_id_idx", "project_id"),
    Index("instance_mappings_user_id_project_id_idx", "user_id", "project_id"),
    **UTF8,
)

Table(
    "host_mappings",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("cell_id", Integer, nullable=False),
    Column("host", String(255), nullable=False),
    UniqueConstraint("host", name="uniq_host_mappings0host"),
    ForeignKeyConstraint(["cell_id"], ["cell_mappings.id"]),
    Index("host_idx", "host"),
    **UTF8,
)

Table(
    "cell_mappings",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("uuid", String(36), nullable=False),
    Column("name", String(255)),
    Column("transport_url", Text),
    Column("database_connection", Text),
    Column("disabled", Boolean),
    UniqueConstraint("uuid", name="uniq_cell_mappings0uuid"),
    Index("uuid_idx", "uuid"),
    **UTF8,
)
