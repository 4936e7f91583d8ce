"""Flavors and keypairs, as created at first."""

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
    Text,
    UniqueConstraint,
)

from openkeel.migrations.api.initial.metadata import METADATA
from openkeel.migrations.vocabulary import UTF8, stamps

Table(
    "flavors",
    METADATA,
    *stamps(),
    Column("name", String(255), nullable=False),
    Column("id", Integer, primary_key=True),
    Column("memory_mb", Integer, nullable=False),
    Column("vcpus", Integer, nullable=False),
    Column("swap", Integer, nullable=False),
    Column("vcpu_weight", Integer),
    Column("flavorid", String(255), nullable=False),
    Column("rxtx_factor", Float),
    Column("root_gb", Integer),
    Column("ephemeral_gb", Integer),
    Column("disabled", Boolean),
    Column("is_public", Boolean),
    Column("description", Text),
    UniqueConstraint("flavorid", name="uniq_flavors0flavorid"),
    UniqueConstraint("name", name="uniq_flavors0name"),
    **UTF8,
)

Table(
    "flavor_extra_specs",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("flavor_id", Integer, nullable=False),
    Column("key", String(255), nullable=False),
    Column("value", String(255)),
    UniqueConstraint("flavor_id", "key", name="uniq_flavor_extra_specs0flavor_id0key"),
    ForeignKeyConstraint(["flavor_id"], ["flavors.id"]),
    Index("flavor_extra_specs_flavor_id_key_idx", "flavor_id", "key"),
    **UTF8,
)

Table(
    "flavor_projects",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("flavor_id", Integer, nullable=False),
    Column("project_id", String(255), nullable=False),
    UniqueConstraint("flavor_id", "project_id", name="uniq_flavor_projects0flavor_id0project_id"),
    ForeignKeyConstraint(["flavor_id"], ["flavors.id"]),
    **UTF8,
)

Table(
    "key_pairs",
    METADATA,
    *stamps(),
    Column("id", Integer, primary_key=True),
    Column("name", String(255), nullable=False),
    Column("user_id", String(255), nullable=False),
    Column("fingerprint", String(255)),
    Column("public_key", Text),
    Column("type", Enum("ssh", "x509", name="key_pairs0type"), nullable=False, server_default="ssh"),
    UniqueConstraint("user_id", "name", name="uniq_key_pairs0user_id0name"),
    **UTF8,
)
