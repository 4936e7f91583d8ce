"""Daemons, nodes and moves between them: rows of the cell database."""

from datetime import datetime

from sqlalchemy import BigInteger, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from openkeel.db.models.base import MEDIUM_TEXT, CellBase, SoftDeleted


class Service(SoftDeleted, CellBase):
    __tablename__ = "services"

    id: Mapped[int] = mapped_column(primary_key=True)
    host: Mapped[str | None]
    binary: Mapped[str | None]
    topic: Mapped[str | None]
    report_count: Mapped[int] = mapped_column(default=0)
    disabled: Mapped[bool | None] = mapped_column(default=False)
    disabled_reason: Mapped[str | None]
    last_seen_up: Mapped[datetime | None]
    forced_down: Mapped[bool | None] = mapped_column(default=False)
    version: Mapped[int | None] = mapped_column(default=0)
    uuid: Mapped[str | None] = mapped_column(String(36))


class ComputeNode(SoftDeleted, CellBase):
    __tablename__ = "compute_nodes"

    id: Mapped[int] = mapped_column(primary_key=True)
    service_id: Mapped[int | None]
    vcpus: Mapped[int]
    memory_mb: Mapped[int]
    local_gb: Mapped[int]
    vcpus_used: Mapped[int]
    memory_mb_used: Mapped[int]
    local_gb_used: Mapped[int]
    hypervisor_type: Mapped[str] = mapped_column(MEDIUM_TEXT)
    hypervisor_version: Mapped[int]
    cpu_info: Mapped[str] = mapped_column(MEDIUM_TEXT)
    disk_available_least: Mapped[int | None]
    free_ram_mb: Mapped[int | None]
    free_disk_gb: Mapped[int | None]
    current_workload: Mapped[int | None]
    running_vms: Mapped[int | None]
    hypervisor_hostname: Mapped[str | None]
    host_ip: Mapped[str | None] = mapped_column(String(39))
    supported_instances: Mapped[str | None] = mapped_column(Text)
    pci_stats: Mapped[str | None] = mapped_column(Text)
    metrics: Mapped[str | None] = mapped_column(Text)
    extra_resources: Mapped[str | None] = mapped_column(Text)
    stats: Mapped[str | None] = mapped_column(Text)
    numa_topology: Mapped[str | None] = mapped_column(Text)
    host: Mapped[str | None]
    ram_allocation_ratio: Mapped[float | None]
    cpu_allocation_ratio: Mapped[float | None]
    uuid: Mapped[str | None] = mapped_column(String(36))
    disk_allocation_ratio: Mapped[float | None]
    mapped: Mapped[int | None] = mapped_column(default=0)


class Migration(SoftDeleted, CellBase):
    __tablename__ = "migrations"

    id: Mapped[int] = mapped_column(primary_key=True)
    source_compute: Mapped[str | None]
    dest_compute: Mapped[str | None]
    dest_host: Mapped[str | None]
    status: Mapped[str | None]
    instance_uuid: Mapped[str | None] = mapped_column(String(36))
    old_instance_type_id: Mapped[int | None]
    new_instance_type_id: Mapped[int | None]
    source_node: Mapped[str | None]
    dest_node: Mapped[str | None]
    migration_type: Mapped[str | None] = mapped_column(String(14))
    hidden: Mapped[bool | None] = mapped_column(default=False)
    memory_total: Mapped[int | None] = mapped_column(BigInteger)
    memory_processed: Mapped[int | None] = mapped_column(BigInteger)
    memory_remaining: Mapped[int | None] = mapped_column(BigInteger)
    disk_total: Mapped[int | None] = mapped_column(BigInteger)
    disk_processed: Mapped[int | None] = mapped_column(BigInteger)
    disk_remaining: Mapped[int | None] = mapped_column(BigInteger)
    uuid: Mapped[str | None] = mapped_column(String(36))
    cross_cell_move: Mapped[bool | None] = mapped_column(default=False)
    user_id: Mapped[str | None]
    project_id: Mapped[str | None]
    dest_compute_id: Mapped[int | None] = mapped_column(BigInteger)


class TaskLog(SoftDeleted, CellBase):
    __tablename__ = "task_log"

    id: Mapped[int] = mapped_column(primary_key=True)
    task_name: Mapped[str]
    state: Mapped[str]
    host: Mapped[str]
    period_beginning: Mapped[datetime]
    period_ending: Mapped[datetime]
    message: Mapped[str]
    task_items: Mapped[int | None] = mapped_column(default=0)
    errors: Mapped[int | None] = mapped_column(default=0)
