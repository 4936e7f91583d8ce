"""Limits and the usage once counted: rows of the API database."""

from datetime import datetime

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from openkeel.db.models.base import ApiBase, Stamped


class Quota(Stamped, ApiBase):
    __tablename__ = "quotas"

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[str | None]
    resource: Mapped[str]
    hard_limit: Mapped[int | None]


class ProjectUserQuota(Stamped, ApiBase):
    __tablename__ = "project_user_quotas"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[str]
    project_id: Mapped[str]
    resource: Mapped[str]
    hard_limit: Mapped[int | None]


class QuotaClass(Stamped, ApiBase):
    __tablename__ = "quota_classes"

    id: Mapped[int] = mapped_column(primary_key=True)
    class_name: Mapped[str | None]
    resource: Mapped[str | None]
    hard_limit: Mapped[int | None]


class QuotaUsage(Stamped, ApiBase):
    __tablename__ = "quota_usages"

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[str | None]
    resource: Mapped[str]
    in_use: Mapped[int]
    reserved: Mapped[int]
    until_refresh: Mapped[int | None]
    user_id: Mapped[str | None]


class Reservation(Stamped, ApiBase):
    __tablename__ = "reservations"

    id: Mapped[int] = mapped_column(primary_key=True)
    uuid: Mapped[str] = mapped_column(String(36))
    usage_id: Mapped[int]
    project_id: Mapped[str | None]
    resource: Mapped[str | None]
    delta: Mapped[int]
    expire: Mapped[datetime | None]
    user_id: Mapped[str | None]
