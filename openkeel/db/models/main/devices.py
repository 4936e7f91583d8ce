"""Disks, NICs, PCI devices, shares and consoles of servers: rows of the cell database."""

from datetime import datetime

from sqlalchemy import BigInteger, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from openkeel.db.models.base import BIG_ID, MEDIUM_TEXT, CellBase, SoftDeleted, Stamped


class BlockDeviceMapping(SoftDeleted, CellBase):
    __tablename__ = "block_device_mapping"

    id: Mapped[int] = mapped_column(primary_key=True)
    device_name: Mapped[str | None]
    delete_on_termination: Mapped[bool | None] = mapped_column(default=False)
    snapshot_id: Mapped[str | None] = mapped_column(String(36))
    volume_id: Mapped[str | None] = mapped_column(String(36))
    volume_size: Mapped[int | None]
    no_device: Mapped[bool | None]
    connection_info: Mapped[str | None] = mapped_column(MEDIUM_TEXT)
    instance_uuid: Mapped[str | None] = mapped_column(String(36))
    source_type: Mapped[str | None]
    destination_type: Mapped[str | None]
    guest_format: Mapped[str | None]
    device_type: Mapped[str | None]
    disk_bus: Mapped[str | None]
    boot_index: Mapped[int | None]
    image_id: Mapped[str | None] = mapped_column(String(36))
    tag: Mapped[str | None]
    attachment_id: Mapped[str | None] = mapped_column(String(36))
    uuid: Mapped[str | None] = mapped_column(String(36))
    volume_type: Mapped[str | None]
    encrypted: Mapped[bool | None] = mapped_column(default=False)
    encryption_secret_uuid: Mapped[str | None] = mapped_column(String(36))
    encryption_format: Mapped[str | None] = mapped_column(String(128))
    encryption_options: Mapped[str | None] = mapped_column(String(4096))


class VirtualInterface(SoftDeleted, CellBase):
    __tablename__ = "virtual_interfaces"

    id: Mapped[int] = mapped_column(primary_key=True)
    address: Mapped[str | None]
    network_id: Mapped[int | None]
    uuid: Mapped[str | None] = mapped_column(String(36))
    instance_uuid: Mapped[str | None] = mapped_column(String(36))
    tag: Mapped[str | None]


class PciDevice(SoftDeleted, CellBase):
    __tablename__ = "pci_devices"

    id: Mapped[int] = mapped_column(primary_key=True)
    compute_node_id: Mapped[int]
    address: Mapped[str] = mapped_column(String(12))
    product_id: Mapped[str] = mapped_column(String(4))
    vendor_id: Mapped[str] = mapped_column(String(4))
    dev_type: Mapped[str] = mapped_column(String(8))
    dev_id: Mapped[str | None]
    label: Mapped[str]
    status: Mapped[str] = mapped_column(String(36))
    extra_info: Mapped[str | None] = mapped_column(Text)
    instance_uuid: Mapped[str | None] = mapped_column(String(36))
    request_id: Mapped[str | None] = mapped_column(String(36))
    numa_node: Mapped[int | None]
    parent_addr: Mapped[str | None] = mapped_column(String(12))
    uuid: Mapped[str | None] = mapped_column(String(36))


class VolumeUsage(SoftDeleted, CellBase):
    __tablename__ = "volume_usage_cache"

    id: Mapped[int] = mapped_column(primary_key=True)
    volume_id: Mapped[str] = mapped_column(String(36))
    tot_last_refreshed: Mapped[datetime | None]
    tot_reads: Mapped[int | None] = mapped_column(BigInteger, default=0)
    tot_read_bytes: Mapped[int | None] = mapped_column(BigInteger, default=0)
    tot_writes: Mapped[int | None] = mapped_column(BigInteger, default=0)
    tot_write_bytes: Mapped[int | None] = mapped_column(BigInteger, default=0)
    curr_last_refreshed: Mapped[datetime | None]
    curr_reads: Mapped[int | None] = mapped_column(BigInteger, default=0)
    curr_read_bytes: Mapped[int | None] = mapped_column(BigInteger, default=0)
    curr_writes: Mapped[int | None] = mapped_column(BigInteger, default=0)
    curr_write_bytes: Mapped[int | None] = mapped_column(BigInteger, default=0)
    instance_uuid: Mapped[str | None] = mapped_column(String(36))
    project_id: Mapped[str | None] = mapped_column(String(36))
    user_id: Mapped[str | None] = mapped_column(String(64))
    availability_zone: Mapped[str | None]


class ShareMapping(Stamped, CellBase):
    __tablename__ = "share_mapping"

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    uuid: Mapped[str | None] = mapped_column(String(36))
    instance_uuid: Mapped[str | None] = mapped_column(String(36))
    share_id: Mapped[str | None] = mapped_column(String(36))
    status: Mapped[str | None] = mapped_column(String(32))
    tag: Mapped[str | None] = mapped_column(String(48))
    export_location: Mapped[str | None] = mapped_column(Text)
    share_proto: Mapped[str | None] = mapped_column(String(32))


class ConsoleAuthToken(Stamped, CellBase):
    __tablename__ = "console_auth_tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    token_hash: Mapped[str]
    console_type: Mapped[str]
    host: Mapped[str]
    port: Mapped[int]
    internal_access_path: Mapped[str | None]
    instance_uuid: Mapped[str] = mapped_column(String(36))
    expires: Mapped[int]
    access_url_base: Mapped[str | None]
    tls_port: Mapped[int | None]
