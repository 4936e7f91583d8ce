"""Hosts on which builds fail come last."""

from dataclasses import dataclass
from typing import ClassVar

from openkeel.scheduler.host_state import HostState
from openkeel.scheduler.plugins.base import Weighing
from openkeel.scheduler.request import Request


@dataclass(frozen=True, slots=True)
class BuildFailureWeigher(Weighing):
    """The fewer failed builds the better; the option is positive. Contract: BuildFailureWeigher."""

    name: ClassVar[str] = "BuildFailureWeigher"
    multiplier_key: ClassVar[str] = "build_failure_weight_multiplier"

    def score(self, host: HostState, request: Request) -> float:  # noqa: ARG002 interface
        return -float(host.failed_builds)
