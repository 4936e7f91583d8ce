"""Server groups: together or apart, by rule (filters) or by wish (weighers)."""

from dataclasses import dataclass
from typing import ClassVar

from openkeel.scheduler.host_state import HostState
from openkeel.scheduler.plugins.base import PASS, Verdict, Weighing, refuse
from openkeel.scheduler.request import Request


def _members_on(host: HostState, request: Request) -> int:
    """Members of the request's group on the host, the server itself (being moved) not counted."""
    if request.group is None:
        return 0
    return len((host.instances & request.group.members) - {request.instance_uuid})


class ServerGroupAntiAffinityFilter:
    """At most so many members per host. Contract: ServerGroupAntiAffinityFilter."""

    name: ClassVar[str] = "ServerGroupAntiAffinityFilter"

    def check(self, host: HostState, request: Request) -> Verdict:
        group = request.group
        if group is None or group.policy != "anti-affinity":
            return PASS
        if _members_on(host, request) >= group.max_server_per_host:
            return refuse("it has as many members of the server group as it may")
        return PASS


class ServerGroupAffinityFilter:
    """Where the members are, if there are any. Contract: ServerGroupAffinityFilter."""

    name: ClassVar[str] = "ServerGroupAffinityFilter"

    def check(self, host: HostState, request: Request) -> Verdict:
        group = request.group
        if group is None or group.policy != "affinity" or not group.hosts or host.host in group.hosts:
            return PASS
        return refuse("the members of the server group are elsewhere")


@dataclass(frozen=True, slots=True)
class ServerGroupSoftAffinityWeigher(Weighing):
    """The more members the better. Contract: ServerGroupSoftAffinityWeigher."""

    name: ClassVar[str] = "ServerGroupSoftAffinityWeigher"
    multiplier_key: ClassVar[str] = "soft_affinity_weight_multiplier"

    def score(self, host: HostState, request: Request) -> float:
        if request.group is None or request.group.policy != "soft-affinity":
            return 0.0
        return float(_members_on(host, request))


@dataclass(frozen=True, slots=True)
class ServerGroupSoftAntiAffinityWeigher(Weighing):
    """The fewer members the better. Contract: ServerGroupSoftAntiAffinityWeigher."""

    name: ClassVar[str] = "ServerGroupSoftAntiAffinityWeigher"
    multiplier_key: ClassVar[str] = "soft_anti_affinity_weight_multiplier"

    def score(self, host: HostState, request: Request) -> float:
        if request.group is None or request.group.policy != "soft-anti-affinity":
            return 0.0
        return -float(_members_on(host, request))
