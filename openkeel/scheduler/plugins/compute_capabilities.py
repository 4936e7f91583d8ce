"""Does the host have what the flavor's extra specs say of its facts?"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from openkeel.scheduler.host_state import HostState
from openkeel.scheduler.plugins.base import PASS, Verdict, refuse
from openkeel.scheduler.plugins.extra_spec_match import matches
from openkeel.scheduler.request import MIB_PER_GIB, Request

SCOPE: Final = "capabilities"

# Names that operators use in extra specs -> the fact. Contract: extra_specs, namespace capabilities.
FACTS: Final[Mapping[str, Callable[[HostState], Any]]] = {
    "aggregates": lambda host: [one.name for one in host.aggregates],
    "cell_uuid": lambda host: host.cell_uuid,
    "cpu_allocation_ratio": lambda host: host.cpu_allocation_ratio,
    "cpu_info": lambda host: host.cpu_info,
    "disk_allocation_ratio": lambda host: host.disk_allocation_ratio,
    "failed_builds": lambda host: host.failed_builds,
    "free_disk_mb": lambda host: host.free_disk_mib,
    "free_ram_mb": lambda host: host.free_ram_mib,
    "host": lambda host: host.host,
    "host_ip": lambda host: host.host_ip,
    "hypervisor_hostname": lambda host: host.node,
    "hypervisor_type": lambda host: host.hypervisor_type,
    "hypervisor_version": lambda host: host.hypervisor_version,
    "metrics": lambda host: host.metrics,
    "nodename": lambda host: host.node,
    "num_instances": lambda host: host.num_instances,
    "num_io_ops": lambda host: host.num_io_ops,
    "ram_allocation_ratio": lambda host: host.ram_allocation_ratio,
    "running_vms": lambda host: host.running_vms,
    "stats": lambda host: host.stats,
    "supported_instances": lambda host: [list(one) for one in host.supported],
    "total_usable_disk_gb": lambda host: host.local_gib,
    "total_usable_ram_mb": lambda host: host.memory_mib,
    "uuid": lambda host: host.uuid,
    "vcpus_total": lambda host: host.vcpus,
    "vcpus_used": lambda host: host.vcpus_used,
    "disk_mb_used": lambda host: host.local_gib * MIB_PER_GIB - host.free_disk_mib,
}


class ComputeCapabilitiesFilter:
    """Extra specs `capabilities:FACT[:KEY...]`, and those without any scope.

    Contract: ComputeCapabilitiesFilter. Specs of other scopes are other parts' business.
    """

    name: ClassVar[str] = "ComputeCapabilitiesFilter"

    def check(self, host: HostState, request: Request) -> Verdict:
        for key, wanted in request.extra_specs.items():
            scope = key.split(":")
            if len(scope) > 1:
                if scope[0] != SCOPE:
                    continue
                scope = scope[1:]
            elif key == "group_policy":
                continue  # a word of Placement's that has no scope
            fact = _fact(host, scope)
            if fact is None:
                return refuse(f"{key} is not known there")
            if not matches(str(fact), wanted):
                return refuse(f"{key} does not match")
        return PASS


def _fact(host: HostState, scope: list[str]) -> Any:
    reader = FACTS.get(scope[0])
    # Compat: the statistics of a host answer to their bare names as well.
    value = reader(host) if reader is not None else host.stats.get(scope[0])
    for part in scope[1:]:
        if not isinstance(value, Mapping):
            return None
        value = value.get(part)
    return value
