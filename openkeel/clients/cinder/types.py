"""Volumes and their snapshots, as we need them."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class VolumeAttachment:
    """A server that has a volume; `device` is where, if Cinder was told."""

    attachment_id: str
    server_id: str
    device: str | None = None
    host: str | None = None


@dataclass(frozen=True, slots=True)
class Volume:
    """Cinder's volume; `created_at` is UTC as Cinder writes it."""

    id: str
    name: str | None
    description: str | None
    status: str
    size_gib: int
    availability_zone: str | None
    created_at: str
    volume_type: str | None
    snapshot_id: str | None
    metadata: Mapping[str, str] = field(default_factory=dict)
    attachments: tuple[VolumeAttachment, ...] = ()


@dataclass(frozen=True, slots=True)
class NewVolume:
    """What is asked for of a new volume. None leaves it to Cinder."""

    size_gib: int
    name: str | None = None
    description: str | None = None
    snapshot_id: str | None = None
    volume_type: str | None = None
    availability_zone: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Cinder's snapshot of a volume."""

    id: str
    volume_id: str
    name: str | None
    description: str | None
    status: str
    size_gib: int
    created_at: str
