"""Newer hypervisors first."""

from dataclasses import dataclass
from typing import ClassVar

from openkeel.scheduler.host_state import HostState
from openkeel.scheduler.plugins.base import Weighing
from openkeel.scheduler.request import Request


@dataclass(frozen=True, slots=True)
class HypervisorVersionWeigher(Weighing):
    """The version number. Contract: HypervisorVersionWeigher."""

    name: ClassVar[str] = "HypervisorVersionWeigher"
    multiplier_key: ClassVar[str] = "hypervisor_version_weight_multiplier"

    def score(self, host: HostState, request: Request) -> float:  # noqa: ARG002 interface
        return float(host.hypervisor_version)
