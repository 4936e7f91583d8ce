"""Weighers by how much is free, and by how busy a host is."""

from dataclasses import dataclass
from typing import ClassVar

from openkeel.scheduler.host_state import HostState
from openkeel.scheduler.plugins.base import Weighing
from openkeel.scheduler.request import Request


@dataclass(frozen=True, slots=True)
class RAMWeigher(Weighing):
    """Free memory. Contract: RAMWeigher."""

    name: ClassVar[str] = "RAMWeigher"
    multiplier_key: ClassVar[str] = "ram_weight_multiplier"

    def score(self, host: HostState, request: Request) -> float:  # noqa: ARG002 interface
        return float(host.free_ram_mib)


@dataclass(frozen=True, slots=True)
class CPUWeigher(Weighing):
    """Free processors, as the allocation ratio counts them. Contract: CPUWeigher."""

    name: ClassVar[str] = "CPUWeigher"
    multiplier_key: ClassVar[str] = "cpu_weight_multiplier"

    def score(self, host: HostState, request: Request) -> float:  # noqa: ARG002 interface
        return host.vcpus * host.cpu_allocation_ratio - host.vcpus_used


@dataclass(frozen=True, slots=True)
class DiskWeigher(Weighing):
    """Free local disk. Contract: DiskWeigher."""

    name: ClassVar[str] = "DiskWeigher"
    multiplier_key: ClassVar[str] = "disk_weight_multiplier"

    def score(self, host: HostState, request: Request) -> float:  # noqa: ARG002 interface
        return float(host.free_disk_mib)


@dataclass(frozen=True, slots=True)
class IoOpsWeigher(Weighing):
    """Servers being built or moved; the default multiplier is negative. Contract: IoOpsWeigher."""

    name: ClassVar[str] = "IoOpsWeigher"
    multiplier_key: ClassVar[str] = "io_ops_weight_multiplier"

    def score(self, host: HostState, request: Request) -> float:  # noqa: ARG002 interface
        return float(host.num_io_ops)


@dataclass(frozen=True, slots=True)
class NumInstancesWeigher(Weighing):
    """Number of servers; off by default. Contract: NumInstancesWeigher."""

    name: ClassVar[str] = "NumInstancesWeigher"
    multiplier_key: ClassVar[str] = "num_instances_weight_multiplier"

    def score(self, host: HostState, request: Request) -> float:  # noqa: ARG002 interface
        return float(host.num_instances)


@dataclass(frozen=True, slots=True)
class PCIWeigher(Weighing):
    """The host whose number of devices is nearest above the number wished. Contract: PCIWeigher.

    Hosts with devices stay free for those who need them.
    """

    name: ClassVar[str] = "PCIWeigher"
    multiplier_key: ClassVar[str] = "pci_weight_multiplier"

    def score(self, host: HostState, request: Request) -> float:
        return -float(abs(host.pci_devices - request.pci_devices))
