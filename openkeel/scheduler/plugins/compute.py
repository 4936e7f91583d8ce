"""Is the compute service up and enabled?"""

from typing import ClassVar

from openkeel.scheduler.host_state import HostState
from openkeel.scheduler.plugins.base import PASS, Verdict, refuse
from openkeel.scheduler.request import Request


class ComputeFilter:
    """Hosts whose compute service takes work. Contract: ComputeFilter."""

    name: ClassVar[str] = "ComputeFilter"

    def check(self, host: HostState, request: Request) -> Verdict:  # noqa: ARG002 interface
        if host.is_disabled:
            return refuse("service is disabled")
        if not host.is_up:
            return refuse("service is down")
        return PASS
