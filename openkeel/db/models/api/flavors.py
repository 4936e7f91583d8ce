"""Flavors and keypairs: rows of the API database."""

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from openkeel.db.models.base import ApiBase, Stamped


class Flavor(Stamped, ApiBase):
    __tablename__ = "flavors"

    name: Mapped[str]
    id: Mapped[int] = mapped_column(primary_key=True)
    memory_mb: Mapped[int]
    vcpus: Mapped[int]
    swap: Mapped[int] = mapped_column(default=0)
    vcpu_weight: Mapped[int | None]
    flavorid: Mapped[str]
    rxtx_factor: Mapped[float | None] = mapped_column(default=1)
    root_gb: Mapped[int | None]
    ephemeral_gb: Mapped[int | None]
    disabled: Mapped[bool | None] = mapped_column(default=False)
    is_public: Mapped[bool | None] = mapped_column(default=True)
    description: Mapped[str | None] = mapped_column(Text)


class FlavorExtraSpec(Stamped, ApiBase):
    __tablename__ = "flavor_extra_specs"

    id: Mapped[int] = mapped_column(primary_key=True)
    flavor_id: Mapped[int]
    key: Mapped[str]
    value: Mapped[str | None]


class FlavorProject(Stamped, ApiBase):
    __tablename__ = "flavor_projects"

    id: Mapped[int] = mapped_column(primary_key=True)
    flavor_id: Mapped[int]
    project_id: Mapped[str]


class KeyPair(Stamped, ApiBase):
    __tablename__ = "key_pairs"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    user_id: Mapped[str]
    fingerprint: Mapped[str | None]
    public_key: Mapped[str | None] = mapped_column(Text)
    type: Mapped[str] = mapped_column(String(4))
