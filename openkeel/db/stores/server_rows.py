"""A server as a plain row: what lists and views read. No objects, nothing loaded behind the reader's back.

A row comes from a cell's tables or from a build request's JSON; parts that hang on a server are
filled in by whoever was told that they are needed (`Need`).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from openkeel.domain.server_status import status_of
from openkeel.objects.network_info import NetworkInfo

DATA: Final = "nova_object.data"


class Need(StrEnum):
    """Words between a view and the reads: what must be loaded beside the row's own columns."""

    DETAIL = "detail"  # all columns, not just the name
    USER_DATA = "user_data"
    FLAVOR = "flavor"
    NETWORK = "network"
    METADATA = "metadata"
    SYSTEM_METADATA = "system_metadata"
    FAULT = "fault"
    TAGS = "tags"
    VOLUMES = "volumes"
    CERTIFICATES = "certificates"
    ZONE = "zone"
    SPEC = "spec"
    GROUPS = "groups"
    HOST_STATUS = "host_status"
    SECURITY_GROUPS = "security_groups"


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a server went wrong."""

    code: int
    message: str
    created_at: datetime | None
    details: str | None


@dataclass(frozen=True, slots=True)
class Volume:
    """An attached volume."""

    id: str
    delete_on_termination: bool


@dataclass(slots=True)
class ServerRow:
    """A server. Columns first, then the parts; times are naive UTC as databases keep them."""

    uuid: str
    id: int | None = None
    project_id: str | None = None
    user_id: str | None = None
    display_name: str | None = None
    display_description: str | None = None
    hostname: str | None = None
    reservation_id: str | None = None
    launch_index: int | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    launched_at: datetime | None = None
    terminated_at: datetime | None = None
    deleted: int | bool | None = 0
    vm_state: str | None = None
    task_state: str | None = None
    power_state: int | None = None
    progress: int | None = None
    locked: bool | None = False
    locked_by: str | None = None
    host: str | None = None
    node: str | None = None
    availability_zone: str | None = None
    instance_type_id: int | None = None
    image_ref: str | None = None
    kernel_id: str | None = None
    ramdisk_id: str | None = None
    root_device_name: str | None = None
    config_drive: str | None = None
    key_name: str | None = None
    auto_disk_config: bool | None = None
    access_ip_v4: str | None = None
    access_ip_v6: str | None = None
    hidden: bool | None = False
    user_data: str | None = None

    flavor: Mapping[str, Any] = field(default_factory=dict)
    network_info: NetworkInfo = field(default_factory=NetworkInfo)
    metadata: Mapping[str, str] = field(default_factory=dict)
    system_metadata: Mapping[str, str] = field(default_factory=dict)
    fault: Fault | None = None
    tags: Sequence[str] = ()
    volumes: Sequence[Volume] = ()
    certificates: Sequence[str] | None = None
    zone: str = ""
    pinned_zone: str | None = None
    scheduler_hints: Mapping[str, Any] = field(default_factory=dict)
    groups: Sequence[str] = ()
    host_status: str = ""
    security_groups: Sequence[str] = ()
    is_down: bool = False  # its cell does not answer: little is known
    is_build_request: bool = False

    @property
    def status(self) -> str:
        """What clients see of its state."""
        return status_of(self.vm_state, self.task_state)


PARTS: Final = frozenset(
    {
        "flavor",
        "network_info",
        "metadata",
        "system_metadata",
        "fault",
        "tags",
        "volumes",
        "certificates",
        "zone",
        "pinned_zone",
        "scheduler_hints",
        "groups",
        "host_status",
        "security_groups",
        "is_down",
        "is_build_request",
    }
)
COLUMNS: Final = tuple(one.name for one in fields(ServerRow) if one.name not in PARTS)
_TIMES: Final = frozenset({"created_at", "updated_at", "launched_at", "terminated_at"})


def moment(text: str | None) -> datetime | None:
    """A time of an object's wire form, as databases keep it."""
    if not text:
        return None
    value = datetime.fromisoformat(text)
    return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value


def flavor_of(text: str | None) -> Mapping[str, Any]:
    """The present flavor in the column instance_extra.flavor: fields by name."""
    current = json.loads(text).get("cur") if text else None
    return {} if current is None else current[DATA]


def certificates_of(text: str | None) -> Sequence[str] | None:
    """The ids in the column instance_extra.trusted_certs."""
    kept = json.loads(text) if text else None
    return None if not kept else kept[DATA]["ids"]


def from_build_request(instance: str, tags: str | None, created_at: datetime | None) -> ServerRow:
    """A row of the JSON that a build request keeps: it has every part a server has so early."""
    data: Mapping[str, Any] = json.loads(instance)[DATA]
    row = ServerRow(uuid=data["uuid"], is_build_request=True)
    for name in COLUMNS:
        if name in data:
            value = data[name]
            setattr(row, name, moment(value) if name in _TIMES else value)
    row.created_at = created_at or row.created_at
    row.flavor = _inner(data.get("flavor"))
    row.metadata = data.get("metadata") or {}
    row.system_metadata = data.get("system_metadata") or {}
    row.network_info = NetworkInfo.from_json(_inner(data.get("info_cache")).get("network_info"))
    certificates = _inner(data.get("trusted_certs"))
    row.certificates = certificates["ids"] if certificates else None
    row.security_groups = [
        group.get("name") or group["uuid"] for group in _listed(data.get("security_groups"))
    ]
    row.tags = sorted(tag["tag"] for tag in _listed(json.loads(tags) if tags else None))
    row.zone = row.availability_zone or ""
    return row


def _inner(primitive: Mapping[str, Any] | None) -> Mapping[str, Any]:
    found: Mapping[str, Any] = primitive[DATA] if primitive else {}
    return found


def _listed(primitive: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    return [item[DATA] for item in _inner(primitive).get("objects", ())]
