"""Servers and what hangs on each: rows of the cell database."""

from datetime import datetime

from sqlalchemy import BigInteger, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from openkeel.db.models.base import MEDIUM_TEXT, CellBase, SoftDeleted


class Instance(SoftDeleted, CellBase):
    __tablename__ = "instances"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[str | None]
    project_id: Mapped[str | None]
    image_ref: Mapped[str | None]
    kernel_id: Mapped[str | None]
    ramdisk_id: Mapped[str | None]
    launch_index: Mapped[int | None]
    key_name: Mapped[str | None]
    key_data: Mapped[str | None] = mapped_column(MEDIUM_TEXT)
    power_state: Mapped[int | None]
    vm_state: Mapped[str | None]
    memory_mb: Mapped[int | None]
    vcpus: Mapped[int | None]
    hostname: Mapped[str | None]
    host: Mapped[str | None]
    user_data: Mapped[str | None] = mapped_column(MEDIUM_TEXT)
    reservation_id: Mapped[str | None]
    launched_at: Mapped[datetime | None]
    terminated_at: Mapped[datetime | None]
    display_name: Mapped[str | None]
    display_description: Mapped[str | None]
    availability_zone: Mapped[str | None]
    locked: Mapped[bool | None]
    os_type: Mapped[str | None]
    launched_on: Mapped[str | None] = mapped_column(MEDIUM_TEXT)
    instance_type_id: Mapped[int | None]
    vm_mode: Mapped[str | None]
    uuid: Mapped[str] = mapped_column(String(36))
    architecture: Mapped[str | None]
    root_device_name: Mapped[str | None]
    access_ip_v4: Mapped[str | None] = mapped_column(String(39))
    access_ip_v6: Mapped[str | None] = mapped_column(String(39))
    config_drive: Mapped[str | None]
    task_state: Mapped[str | None]
    default_ephemeral_device: Mapped[str | None]
    default_swap_device: Mapped[str | None]
    progress: Mapped[int | None]
    auto_disk_config: Mapped[bool | None]
    shutdown_terminate: Mapped[bool | None] = mapped_column(default=False)
    disable_terminate: Mapped[bool | None] = mapped_column(default=False)
    root_gb: Mapped[int | None]
    ephemeral_gb: Mapped[int | None]
    cell_name: Mapped[str | None]
    node: Mapped[str | None]
    locked_by: Mapped[str | None] = mapped_column(String(5))
    cleaned: Mapped[int | None] = mapped_column(default=0)
    ephemeral_key_uuid: Mapped[str | None] = mapped_column(String(36))
    hidden: Mapped[bool | None] = mapped_column(default=False)
    compute_id: Mapped[int | None] = mapped_column(BigInteger)


class InstanceExtra(SoftDeleted, CellBase):
    __tablename__ = "instance_extra"

    id: Mapped[int] = mapped_column(primary_key=True)
    instance_uuid: Mapped[str] = mapped_column(String(36))
    numa_topology: Mapped[str | None] = mapped_column(Text)
    pci_requests: Mapped[str | None] = mapped_column(Text)
    flavor: Mapped[str | None] = mapped_column(Text)
    vcpu_model: Mapped[str | None] = mapped_column(Text)
    migration_context: Mapped[str | None] = mapped_column(Text)
    keypairs: Mapped[str | None] = mapped_column(Text)
    device_metadata: Mapped[str | None] = mapped_column(Text)
    trusted_certs: Mapped[str | None] = mapped_column(Text)
    resources: Mapped[str | None] = mapped_column(Text)


class InstanceInfoCache(SoftDeleted, CellBase):
    __tablename__ = "instance_info_caches"

    id: Mapped[int] = mapped_column(primary_key=True)
    network_info: Mapped[str | None] = mapped_column(MEDIUM_TEXT)
    instance_uuid: Mapped[str] = mapped_column(String(36))


class InstanceMetadata(SoftDeleted, CellBase):
    __tablename__ = "instance_metadata"

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str | None]
    value: Mapped[str | None]
    instance_uuid: Mapped[str | None] = mapped_column(String(36))


class InstanceSystemMetadata(SoftDeleted, CellBase):
    __tablename__ = "instance_system_metadata"

    id: Mapped[int] = mapped_column(primary_key=True)
    instance_uuid: Mapped[str] = mapped_column(String(36))
    key: Mapped[str]
    value: Mapped[str | None]


class InstanceFault(SoftDeleted, CellBase):
    __tablename__ = "instance_faults"

    id: Mapped[int] = mapped_column(primary_key=True)
    instance_uuid: Mapped[str | None] = mapped_column(String(36))
    code: Mapped[int]
    message: Mapped[str | None]
    details: Mapped[str | None] = mapped_column(MEDIUM_TEXT)
    host: Mapped[str | None]


class InstanceAction(SoftDeleted, CellBase):
    __tablename__ = "instance_actions"

    id: Mapped[int] = mapped_column(primary_key=True)
    action: Mapped[str | None]
    instance_uuid: Mapped[str | None] = mapped_column(String(36))
    request_id: Mapped[str | None]
    user_id: Mapped[str | None]
    project_id: Mapped[str | None]
    start_time: Mapped[datetime | None]
    finish_time: Mapped[datetime | None]
    message: Mapped[str | None]


class InstanceActionEvent(SoftDeleted, CellBase):
    __tablename__ = "instance_actions_events"

    id: Mapped[int] = mapped_column(primary_key=True)
    event: Mapped[str | None]
    action_id: Mapped[int | None]
    start_time: Mapped[datetime | None]
    finish_time: Mapped[datetime | None]
    result: Mapped[str | None]
    traceback: Mapped[str | None] = mapped_column(Text)
    host: Mapped[str | None]
    details: Mapped[str | None] = mapped_column(Text)


class InstanceIdMapping(SoftDeleted, CellBase):
    __tablename__ = "instance_id_mappings"

    id: Mapped[int] = mapped_column(primary_key=True)
    uuid: Mapped[str] = mapped_column(String(36))


class Tag(CellBase):
    __tablename__ = "tags"

    resource_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    tag: Mapped[str] = mapped_column(String(80), primary_key=True)
