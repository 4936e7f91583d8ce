"""Hints about other servers: on the same host as one of them, or on another than all of them."""

from typing import ClassVar

from openkeel.scheduler.host_state import HostState
from openkeel.scheduler.plugins.base import PASS, Verdict, refuse
from openkeel.scheduler.request import DIFFERENT_HOST, SAME_HOST, Request


class SameHostFilter:
    """Where one of the named servers is. Contract: SameHostFilter."""

    name: ClassVar[str] = "SameHostFilter"

    def check(self, host: HostState, request: Request) -> Verdict:
        named = request.hints.get(SAME_HOST)
        if not named or host.instances & set(named):
            return PASS
        return refuse("the servers it shall be with are elsewhere")


class DifferentHostFilter:
    """Where none of the named servers is. Contract: DifferentHostFilter."""

    name: ClassVar[str] = "DifferentHostFilter"

    def check(self, host: HostState, request: Request) -> Verdict:
        if host.instances & set(request.hints.get(DIFFERENT_HOST, ())):
            return refuse("a server it shall not be with is there")
        return PASS
