"""What a boot asks for, with every default explicit: the input of `boot.BootService`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from openkeel.clients.neutron.types import NicRequests


@dataclass(frozen=True, slots=True)
class DiskRequest:
    """One entry of block_device_mapping_v2. `source_type` None: the request forgot to say."""

    source_type: str | None
    destination_type: str | None = None
    uuid: str | None = None
    boot_index: int | None = None
    size: int | None = None
    guest_format: str | None = None
    device_name: str | None = None
    device_type: str | None = None
    disk_bus: str | None = None
    delete_on_termination: bool = False
    tag: str | None = None
    is_legacy: bool = False  # came as block_device_mapping, which knows volumes only
    is_no_device: bool = False


@dataclass(frozen=True, slots=True)
class InjectedFile:
    """A file to put into the guest's disk. `contents` is base64."""

    path: str
    contents: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BootRequest:
    """A user's wish for one or more servers.

    `availability_zone` may carry host and node ("zone:host:node"); `host` and `node` are the 2.74
    way to say it, which the scheduler verifies. `security_groups` None: nothing was said.
    """

    name: str
    flavor_id: str
    image_id: str | None
    networks: NicRequests
    description: str | None = None
    hostname: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    security_groups: tuple[str, ...] | None = None
    key_name: str | None = None
    user_data: str | None = None
    admin_password: str | None = None
    injected_files: tuple[InjectedFile, ...] = ()
    config_drive: bool = False
    auto_disk_config: bool | None = None
    access_ip_v4: str | None = None
    access_ip_v6: str | None = None
    availability_zone: str | None = None
    host: str | None = None
    node: str | None = None
    min_count: int | None = None
    max_count: int | None = None
    tags: tuple[str, ...] = ()
    trusted_certificates: tuple[str, ...] | None = None
    scheduler_hints: Mapping[str, Any] = field(default_factory=dict)
    disks: tuple[DiskRequest, ...] = ()
    may_request_port_resources: bool = False


@dataclass(frozen=True, slots=True)
class Booted:
    """What the user is told of a boot under way.

    `uuids` in the order of their names; `admin_password` None where passwords are not shown.
    """

    uuids: tuple[str, ...]
    reservation_id: str
    admin_password: str | None
    auto_disk_config: bool
    security_groups: tuple[str, ...]
