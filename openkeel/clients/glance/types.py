"""An image, as we need it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Image:
    """Glance's image; `properties` holds everything beyond the base fields (hw_*, os_*, ...)."""

    id: str
    name: str | None
    status: str
    visibility: str
    owner: str | None
    disk_format: str | None
    container_format: str | None
    size_bytes: int | None
    virtual_size_bytes: int | None
    min_disk_gib: int
    min_ram_mib: int
    checksum: str | None
    protected: bool
    created_at: str | None
    updated_at: str | None
    direct_url: str | None = None
    tags: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_active(self) -> bool:
        """Whether its bits may be used."""
        return self.status == "active"

    def to_image_meta(self) -> dict[str, Any]:
        """The form from which an ImageMeta object is made: its field names, properties as one dict."""
        return {
            "id": self.id,
            "name": self.name,
            "status": self.status,
            "visibility": self.visibility,
            "protected": self.protected,
            "checksum": self.checksum,
            "owner": self.owner,
            "size": self.size_bytes,
            "virtual_size": self.virtual_size_bytes,
            "container_format": self.container_format,
            "disk_format": self.disk_format,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
            "tags": list(self.tags),
            "direct_url": self.direct_url,
            "min_ram": self.min_ram_mib,
            "min_disk": self.min_disk_gib,
            "properties": dict(self.properties),
        }


@dataclass(frozen=True, slots=True)
class Download:
    """Where and how a driver fetches the bits: a url and the headers it must send."""

    url: str
    headers: Mapping[str, str]
