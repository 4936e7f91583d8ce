"""Aggregates and server groups: rows of the API database."""

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from openkeel.db.models.base import ApiBase, Stamped


class Aggregate(Stamped, ApiBase):
    __tablename__ = "aggregates"

    id: Mapped[int] = mapped_column(primary_key=True)
    uuid: Mapped[str | None] = mapped_column(String(36))
    name: Mapped[str | None]


class AggregateHost(Stamped, ApiBase):
    __tablename__ = "aggregate_hosts"

    id: Mapped[int] = mapped_column(primary_key=True)
    host: Mapped[str | None]
    aggregate_id: Mapped[int]


class AggregateMetadata(Stamped, ApiBase):
    __tablename__ = "aggregate_metadata"

    id: Mapped[int] = mapped_column(primary_key=True)
    aggregate_id: Mapped[int]
    key: Mapped[str]
    value: Mapped[str]


class InstanceGroup(Stamped, ApiBase):
    __tablename__ = "instance_groups"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[str | None]
    project_id: Mapped[str | None]
    uuid: Mapped[str] = mapped_column(String(36))
    name: Mapped[str | None]


class InstanceGroupMember(Stamped, ApiBase):
    __tablename__ = "instance_group_member"

    id: Mapped[int] = mapped_column(primary_key=True)
    instance_uuid: Mapped[str | None]
    group_id: Mapped[int]


class InstanceGroupPolicy(Stamped, ApiBase):
    __tablename__ = "instance_group_policy"

    id: Mapped[int] = mapped_column(primary_key=True)
    policy: Mapped[str | None]
    group_id: Mapped[int]
    rules: Mapped[str | None] = mapped_column(Text)
