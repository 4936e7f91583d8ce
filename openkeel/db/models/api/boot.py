"""Servers on their way to a cell, and which cell holds what: rows of the API database."""

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from openkeel.db.models.base import MEDIUM_TEXT, ApiBase, Stamped


class BuildRequest(Stamped, ApiBase):
    __tablename__ = "build_requests"

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[str]
    instance_uuid: Mapped[str | None] = mapped_column(String(36))
    instance: Mapped[str | None] = mapped_column(MEDIUM_TEXT)
    block_device_mappings: Mapped[str | None] = mapped_column(MEDIUM_TEXT)
    tags: Mapped[str | None] = mapped_column(Text)


class RequestSpec(Stamped, ApiBase):
    __tablename__ = "request_specs"

    id: Mapped[int] = mapped_column(primary_key=True)
    instance_uuid: Mapped[str] = mapped_column(String(36))
    spec: Mapped[str] = mapped_column(MEDIUM_TEXT)


class InstanceMapping(Stamped, ApiBase):
    __tablename__ = "instance_mappings"

    id: Mapped[int] = mapped_column(primary_key=True)
    instance_uuid: Mapped[str] = mapped_column(String(36))
    cell_id: Mapped[int | None]
    project_id: Mapped[str]
    queued_for_delete: Mapped[bool | None]
    user_id: Mapped[str | None]


class HostMapping(Stamped, ApiBase):
    __tablename__ = "host_mappings"

    id: Mapped[int] = mapped_column(primary_key=True)
    cell_id: Mapped[int]
    host: Mapped[str]


class CellMapping(Stamped, ApiBase):
    __tablename__ = "cell_mappings"

    id: Mapped[int] = mapped_column(primary_key=True)
    uuid: Mapped[str] = mapped_column(String(36))
    name: Mapped[str | None]
    transport_url: Mapped[str | None] = mapped_column(Text)
    database_connection: Mapped[str | None] = mapped_column(Text)
    disabled: Mapped[bool | None] = mapped_column(default=False)
