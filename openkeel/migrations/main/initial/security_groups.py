"""Security groups, certificates and images before Neutron and Glance, as created at first."""

from sqlalchemy import Column, ForeignKeyConstraint, Index, Integer, String, Table, UniqueConstraint

from openkeel.migrations.main.initial.metadata import METADATA
from openkeel.migrations.vocabulary import UTF8, stamps

Table(
    "security_groups",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("name", String(255)),
    Column("description", String(255)),
    Column("user_id", String(255)),
    Column("project_id", String(255)),
    Column("deleted", Integer),
    UniqueConstraint("project_id", "name", "deleted", name="uniq_security_groups0project_id0name0deleted"),
    **UTF8,
)

Table(
    "security_group_rules",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("parent_group_id", Integer),
    Column("protocol", String(255)),
    Column("from_port", Integer),
    Column("to_port", Integer),
    Column("cidr", String(43)),
    Column("group_id", Integer),
    Column("deleted", Integer),
    ForeignKeyConstraint(["parent_group_id"], ["security_groups.id"]),
    ForeignKeyConstraint(["group_id"], ["security_groups.id"]),
    **UTF8,
)

Table(
    "security_group_instance_association",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("security_group_id", Integer),
    Column("instance_uuid", String(36)),
    Column("deleted", Integer),
    ForeignKeyConstraint(
        ["instance_uuid"], ["instances.uuid"], name="security_group_instance_association_instance_uuid_fkey"
    ),
    ForeignKeyConstraint(
        ["security_group_id"],
        ["security_groups.id"],
        name="security_group_instance_association_ibfk_1",
    ),
    Index("security_group_id", "security_group_id").ddl_if(dialect="mysql"),
    Index("security_group_instance_association_instance_uuid_idx", "instance_uuid"),
    **UTF8,
)

Table(
    "certificates",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("user_id", String(255)),
    Column("project_id", String(255)),
    Column("file_name", String(255)),
    Column("deleted", Integer),
    Index("certificates_project_id_deleted_idx", "project_id", "deleted"),
    Index("certificates_user_id_deleted_idx", "user_id", "deleted"),
    **UTF8,
)

Table(
    "s3_images",
    METADATA,
    *stamps(deleted_at=True),
    Column("id", Integer, primary_key=True),
    Column("uuid", String(36), nullable=False),
    Column("deleted", Integer),
    **UTF8,
)
