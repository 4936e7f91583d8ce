"""A host as filters and weighers see it: frozen facts of one moment."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Final, Self

from openkeel.clients.placement.types import AllocationRequest
from openkeel.domain.liveness import is_up
from openkeel.scheduler.request import MIB_PER_GIB, Request

LOG = logging.getLogger(__name__)

ZONE_KEY: Final = "availability_zone"


@dataclass(frozen=True, slots=True)
class AggregateFacts:
    """A host aggregate."""

    uuid: str
    name: str
    hosts: frozenset[str] = frozenset()
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class HostState:
    """One hypervisor node of one compute service, and the ways Placement offers to use it."""

    uuid: str
    host: str
    node: str
    cell_uuid: str
    is_up: bool = True
    is_disabled: bool = False
    disabled_reason: str | None = None
    vcpus: int = 0
    vcpus_used: float = 0
    cpu_allocation_ratio: float = 1.0
    memory_mib: int = 0
    free_ram_mib: int = 0
    ram_allocation_ratio: float = 1.0
    local_gib: int = 0
    free_disk_mib: int = 0
    disk_allocation_ratio: float = 1.0
    hypervisor_type: str = ""
    hypervisor_version: int = 0
    host_ip: str | None = None
    running_vms: int = 0
    supported: tuple[tuple[str, str, str], ...] = ()  # (architecture, hypervisor type, vm mode)
    cpu_info_text: str = ""
    metrics_text: str = ""
    pci_devices: int = 0
    stats: Mapping[str, str | None] = field(default_factory=dict)
    aggregates: tuple[AggregateFacts, ...] = ()
    instances: frozenset[str] = frozenset()  # those of them that the request asked about
    image_properties: tuple[Mapping[str, str], ...] = ()  # of the servers here, when a weigher wants it
    offers: tuple[AllocationRequest, ...] = ()
    added_instances: int = 0
    added_io_ops: int = 0

    @cached_property
    def num_instances(self) -> int:
        """Servers on the host."""
        return _number(self.stats.get("num_instances")) + self.added_instances

    @cached_property
    def num_io_ops(self) -> int:
        """Servers there that load disk and network with being built or moved."""
        return _number(self.stats.get("io_workload")) + self.added_io_ops

    @cached_property
    def failed_builds(self) -> int:
        """Builds that failed there since the last that succeeded."""
        return _number(self.stats.get("failed_builds"))

    @cached_property
    def cpu_info(self) -> Any:
        """What the hypervisor says of its processors."""
        return _json(self.cpu_info_text)

    @cached_property
    def metrics(self) -> Mapping[str, float]:
        """Numbers of the host's monitors by name."""
        entries = _json(self.metrics_text) or []
        return {one["name"]: one["value"] for one in entries if isinstance(one, dict) and "name" in one}

    @cached_property
    def zones(self) -> tuple[str, ...]:
        """The availability zones its aggregates say; none means the default zone."""
        return tuple(one.metadata[ZONE_KEY] for one in self.aggregates if one.metadata.get(ZONE_KEY))

    def aggregate_values(self, key: str) -> frozenset[str]:
        """The values of a metadata key in all aggregates of the host."""
        return frozenset(one.metadata[key] for one in self.aggregates if key in one.metadata)

    def with_instance(self, instance_uuid: str, request: Request, used: AllocationRequest) -> Self:
        """The host after one more server of this request went there."""
        return replace(
            self,
            vcpus_used=self.vcpus_used + request.vcpus,
            free_ram_mib=self.free_ram_mib - request.memory_mib,
            free_disk_mib=self.free_disk_mib - request.disk_gib * MIB_PER_GIB,
            instances=self.instances | {instance_uuid},
            added_instances=self.added_instances + 1,
            added_io_ops=self.added_io_ops + 1,
            # Another server of the request may use the same way while it has room; Placement says.
            offers=(*(one for one in self.offers if one != used), used),
        )

    def without_offer(self, refused: AllocationRequest) -> Self:
        """The host after Placement refused one way to use it."""
        return replace(self, offers=tuple(one for one in self.offers if one != refused))


@dataclass(frozen=True, slots=True)
class Liveness:
    """How to judge whether a compute is up (contract: option service_down_time)."""

    now: datetime
    down_time_s: int


def make_host_state(
    node: Any,
    service: Any,
    *,
    cell_uuid: str,
    liveness: Liveness,
    aggregates: Sequence[AggregateFacts] = (),
    offers: Sequence[AllocationRequest] = (),
) -> HostState:
    """From the records of a node (ComputeNode) and its service (Service)."""
    free_disk_gib = node.free_disk_gb or 0
    if node.disk_available_least is not None:
        # Thin disks: what can still be written may be less than what is promised.
        free_disk_gib = min(free_disk_gib, node.disk_available_least)
    pools = node.pci_device_pools
    return HostState(
        uuid=node.uuid,
        host=node.host,
        node=node.hypervisor_hostname,
        cell_uuid=cell_uuid,
        is_up=is_up(
            service.last_seen_up,
            service.updated_at,
            service.created_at,
            forced_down=bool(service.forced_down),
            now=liveness.now,
            down_time_s=liveness.down_time_s,
        ),
        is_disabled=bool(service.disabled),
        disabled_reason=service.disabled_reason,
        vcpus=node.vcpus or 0,
        vcpus_used=node.vcpus_used or 0,
        cpu_allocation_ratio=node.cpu_allocation_ratio or 1.0,
        memory_mib=node.memory_mb or 0,
        free_ram_mib=node.free_ram_mb or 0,
        ram_allocation_ratio=node.ram_allocation_ratio or 1.0,
        local_gib=node.local_gb or 0,
        free_disk_mib=free_disk_gib * MIB_PER_GIB,
        disk_allocation_ratio=node.disk_allocation_ratio or 1.0,
        hypervisor_type=node.hypervisor_type or "",
        hypervisor_version=node.hypervisor_version or 0,
        host_ip=None if node.host_ip is None else str(node.host_ip),
        running_vms=node.running_vms or 0,
        supported=tuple(
            (str(spec.arch), str(spec.hv_type), str(spec.vm_mode)) for spec in node.supported_hv_specs or ()
        ),
        cpu_info_text=node.cpu_info or "",
        metrics_text=node.metrics or "",
        pci_devices=sum(pool.count for pool in pools.objects) if pools is not None else 0,
        stats=dict(node.stats or {}),
        aggregates=tuple(one for one in aggregates if node.host in one.hosts),
        offers=tuple(offers),
    )


def _number(text: str | None) -> int:
    try:
        return int(text or 0)
    except ValueError:
        return 0


def _json(text: str) -> Any:
    try:
        return json.loads(text) if text else None
    except ValueError:
        LOG.warning("a compute node record holds no valid JSON: %.60s", text)
        return None
