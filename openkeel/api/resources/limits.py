"""Limits: /limits."""

from typing import Any, Final

from openkeel.api.request import Request
from openkeel.api.schema import Param, Query
from openkeel.api.tables import Field, Getter, Operation, View
from openkeel.api.versions import END, V
from openkeel.policies import limits as rules
from openkeel.services import quota
from openkeel.services.limits import ProjectLimits

# Fields


def _limit(resource: str) -> Getter:
    return lambda found, _: found.limits.get(resource, quota.UNLIMITED)


def _used(name: str) -> Getter:
    return lambda found, _: getattr(found.usage, name)


def _constant(value: Any) -> Getter:
    return lambda _found, _rendering: value


def _field(name: str, get: Getter, until: int = END) -> Field:
    return Field(name, get=get, until=until)


_NOTHING: Final = _constant(0)  # Compat: what there is of networks was never counted here

ABSOLUTE: Final = View(
    _field("maxTotalInstances", _limit(quota.INSTANCES)),
    _field("maxTotalCores", _limit(quota.CORES)),
    _field("maxTotalRAMSize", _limit(quota.RAM)),
    _field("maxTotalKeypairs", _limit(quota.KEY_PAIRS)),
    _field("maxServerMeta", _limit(quota.METADATA_ITEMS)),
    _field("maxServerGroups", _limit(quota.SERVER_GROUPS)),
    _field("maxServerGroupMembers", _limit(quota.SERVER_GROUP_MEMBERS)),
    _field("totalInstancesUsed", _used("instances")),
    _field("totalCoresUsed", _used("cores")),
    _field("totalRAMUsed", _used("memory_mib")),
    _field("totalServerGroupsUsed", lambda found, _: found.server_groups),
    _field("maxImageMeta", _limit(quota.METADATA_ITEMS), V.IMAGE_METADATA_PROXY_GONE),
    _field("maxPersonality", _limit(quota.INJECTED_FILES), V.PERSONALITY_GONE),
    _field("maxPersonalitySize", _limit(quota.INJECTED_FILE_CONTENT_BYTES), V.PERSONALITY_GONE),
    _field("maxTotalFloatingIps", _limit("floating_ips"), V.PROXIES_GONE),
    _field("maxSecurityGroups", _limit("security_groups"), V.PROXIES_GONE),
    _field("maxSecurityGroupRules", _limit("security_group_rules"), V.PROXIES_GONE),
    _field("totalFloatingIpsUsed", _NOTHING, V.PROXIES_GONE),
    _field("totalSecurityGroupsUsed", _NOTHING, V.PROXIES_GONE),
)
LIMITS: Final = View(
    Field("rate", get=lambda _found, _rendering: []),
    Field("absolute", get=lambda found, _: found, view=ABSOLUTE),
)

# Bodies and queries

SHOW: Final = Query(Param("tenant_id"), strict_since=V.STRICT_QUERIES, since=V.BASE)

# Handlers


def show(request: Request) -> ProjectLimits:
    """Limits of the own project; who names one, be it the own, needs the rule for that."""
    project_id = request.query.last("tenant_id")
    if project_id is not None:
        request.enforce(rules.OTHER_PROJECT, {"project_id": project_id, "user_id": request.ctx.user_id})
    limits: ProjectLimits = request.services.limits.show(project_id or request.ctx.project_id or "")
    return limits


# Operations

OPERATIONS: Final = (
    Operation(
        "GET",
        "/limits",
        show,
        rule=rules.LIMITS,
        query=SHOW,
        view=LIMITS.one("limits"),
        more_rules=(rules.OTHER_PROJECT,),
    ),
)
