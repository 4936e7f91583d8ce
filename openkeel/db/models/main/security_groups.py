"""Security groups, certificates and images before Neutron and Glance: rows of the cell database."""

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from openkeel.db.models.base import CellBase, SoftDeleted


class SecurityGroup(SoftDeleted, CellBase):
    __tablename__ = "security_groups"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str | None]
    description: Mapped[str | None]
    user_id: Mapped[str | None]
    project_id: Mapped[str | None]


class SecurityGroupRule(SoftDeleted, CellBase):
    __tablename__ = "security_group_rules"

    id: Mapped[int] = mapped_column(primary_key=True)
    parent_group_id: Mapped[int | None]
    protocol: Mapped[str | None]
    from_port: Mapped[int | None]
    to_port: Mapped[int | None]
    cidr: Mapped[str | None] = mapped_column(String(43))
    group_id: Mapped[int | None]


class SecurityGroupInstanceAssociation(SoftDeleted, CellBase):
    __tablename__ = "security_group_instance_association"

    id: Mapped[int] = mapped_column(primary_key=True)
    security_group_id: Mapped[int | None]
    instance_uuid: Mapped[str | None] = mapped_column(String(36))


class Certificate(SoftDeleted, CellBase):
    __tablename__ = "certificates"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[str | None]
    project_id: Mapped[str | None]
    file_name: Mapped[str | None]


class S3Image(SoftDeleted, CellBase):
    __tablename__ = "s3_images"

    id: Mapped[int] = mapped_column(primary_key=True)
    uuid: Mapped[str] = mapped_column(String(36))
