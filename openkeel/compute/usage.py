"""What servers take of a host, and the sums and counts that other daemons read in its record.

Contract: ComputeNode columns and `stats`: the scheduler's weighers and `openstack hypervisor show`
read vcpus_used, memory_mb_used, io_workload, num_vm_building and the like, all as text.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from openkeel import objects
from openkeel.compute.records import project_of
from openkeel.domain.states import TaskState, VMState

# Task states that load the host's disks and network.
_BUSY_TASKS: Final = (
    TaskState.RESIZE_MIGRATING,
    TaskState.REBUILDING,
    TaskState.RESIZE_PREP,
    TaskState.IMAGE_SNAPSHOT,
    TaskState.IMAGE_BACKUP,
    TaskState.RESCUING,
    TaskState.UNSHELVING,
)


@dataclass(frozen=True, slots=True)
class Amounts:
    """Of the three resources every host has."""

    vcpus: int = 0
    memory_mib: int = 0
    disk_gib: int = 0

    def __add__(self, other: "Amounts") -> "Amounts":
        return Amounts(
            self.vcpus + other.vcpus, self.memory_mib + other.memory_mib, self.disk_gib + other.disk_gib
        )


@dataclass(frozen=True, slots=True)
class Usage:
    """One server's share and what is counted about it."""

    amounts: Amounts
    vm_state: str | None
    task_state: str | None
    project_id: str
    os_type: str | None

    def with_states(self, vm_state: str | None, task_state: str | None) -> "Usage":
        """The same share in other states."""
        return replace(self, vm_state=vm_state, task_state=task_state)


def usage_of(instance: objects.Instance, amounts: Amounts | None = None) -> Usage:
    """The server's share: what Placement allocated where that is known, else what its flavor says."""
    flavor = instance.flavor
    return Usage(
        amounts=amounts or Amounts(flavor.vcpus, flavor.memory_mb, flavor.root_gb + flavor.ephemeral_gb),
        vm_state=instance.vm_state,
        task_state=instance.task_state,
        project_id=project_of(instance),
        os_type=instance.os_type,
    )


def allocated(resources: Mapping[str, int]) -> Amounts:
    """Amounts of an allocation at one provider; dedicated processors count as processors."""
    return Amounts(
        vcpus=resources.get("VCPU", 0) + resources.get("PCPU", 0),
        memory_mib=resources.get("MEMORY_MB", 0),
        disk_gib=resources.get("DISK_GB", 0),
    )


def total(usages: Iterable[Usage]) -> Amounts:
    """The sum of the shares."""
    return sum((usage.amounts for usage in usages), start=Amounts())


def stats(usages: Iterable[Usage], failed_builds: int) -> dict[str, str]:
    """The counts of the host's record."""
    counts: Counter[str] = Counter()
    for usage in usages:
        counts["num_instances"] += 1
        counts[f"num_vm_{usage.vm_state}"] += 1
        counts[f"num_task_{usage.task_state}"] += 1
        counts[f"num_os_type_{usage.os_type}"] += 1
        counts[f"num_proj_{usage.project_id}"] += 1
    counts["io_workload"] = counts[f"num_vm_{VMState.BUILDING}"] + sum(
        counts[f"num_task_{task}"] for task in _BUSY_TASKS
    )
    counts["failed_builds"] = failed_builds
    return {
        key: str(value) for key, value in counts.items() if value or key in {"io_workload", "failed_builds"}
    }


def workload(usages: Iterable[Usage]) -> int:
    """How many servers something is being done to (contract: current_workload)."""
    return sum(usage.task_state is not None for usage in usages)
