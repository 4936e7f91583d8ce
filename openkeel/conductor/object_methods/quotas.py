"""Remotable methods of limits, and of what is counted against them."""

from collections.abc import Mapping
from typing import Any, Final

from openkeel.common.context import Context
from openkeel.conductor.object_methods.remotable import Methods, OnClass, OnObject, Stores
from openkeel.db.stores.quota_reads import Usage
from openkeel.domain.errors import Invalid, NotFound, OverQuota

Counts = Mapping[str, Mapping[str, int]]  # scope ("project", "user") -> resource -> how much there is

_OF_SERVERS: Final = ("instances", "cores", "ram")


def members_of_user(stores: Stores, group: Any, user_id: str) -> int:
    """How many living servers of a user are in a group, in whatever cell."""
    mappings = stores.api.instance_mappings.list_by_uuids(group.members or ())
    return sum(mapping.user_id == user_id and not mapping.queued_for_delete for mapping in mappings)


# Counting


def _servers(stores: Stores, project_id: str, user_id: str | None = None) -> Counts:
    project, user = stores.quota.usage(project_id, user_id)
    counts = {"project": _by_name(project)}
    return counts if user_id is None else {**counts, "user": _by_name(user)}


def _by_name(usage: Usage) -> dict[str, int]:
    return dict(zip(_OF_SERVERS, (usage.instances, usage.cores, usage.memory_mib), strict=True))


def _key_pairs(stores: Stores, user_id: str) -> Counts:
    return {"user": {"key_pairs": stores.api.keypairs.count(user_id)}}


def _server_groups(stores: Stores, project_id: str, user_id: str | None = None) -> Counts:
    counts: Counts = stores.api.instance_groups.count(project_id, user_id)
    return counts


def _server_group_members(stores: Stores, group: Any, user_id: str) -> Counts:
    return {"user": {"server_group_members": members_of_user(stores, group, user_id)}}


_COUNTED: Final[Mapping[str, Any]] = {
    **dict.fromkeys(_OF_SERVERS, _servers),
    "key_pairs": _key_pairs,
    "server_groups": _server_groups,
    "server_group_members": _server_group_members,
}


def _count(stores: Stores, _ctx: Context, resource: str, /, *args: Any, **kwargs: Any) -> Counts:
    if resource not in _COUNTED:
        raise NotFound(f"The quota of {resource} is not counted.", unknown=[resource])
    counts: Counts = _COUNTED[resource](stores, *args, **kwargs)
    return counts


def _count_one(stores: Stores, ctx: Context, resource: str, *args: Any, **kwargs: Any) -> int:
    counts = _count(stores, ctx, resource, *args, **kwargs)
    return counts["user" if "user" in counts else "project"][resource]


def _count_all(stores: Stores, ctx: Context, resource: str, *args: Any, **kwargs: Any) -> Counts:
    return _count(stores, ctx, resource, *args, **kwargs)


# Checking


def _check_deltas(
    stores: Stores, ctx: Context, deltas: Mapping[str, int], *count_args: Any, **count_kwargs: Any
) -> None:
    """Whether so much more fits."""
    project_id = count_kwargs.pop("check_project_id", None) or ctx.project_id
    user_id = count_kwargs.pop("check_user_id", None) or ctx.user_id
    counts: dict[str, dict[str, int]] = {}
    for resource in deltas:
        for scope, found in _count(stores, ctx, resource, *count_args, **count_kwargs).items():
            counts.setdefault(scope, {}).update(found)
    limits = _limits(stores, project_id, user_id)
    for scope, usages in counts.items():
        wanted = {name: usages[name] + delta for name, delta in deltas.items() if name in usages}
        _refuse_over(limits[scope], wanted, usages)


def _limit_check(
    stores: Stores, ctx: Context, project_id: str | None = None, user_id: str | None = None, **values: int
) -> None:
    """Whether one request holds too much of something."""
    limits = _limits(stores, project_id or ctx.project_id, user_id or ctx.user_id)
    _check(limits, {"project": values, "user": values})


def _limit_check_project_and_user(
    stores: Stores,
    ctx: Context,
    project_values: Mapping[str, int] | None = None,
    user_values: Mapping[str, int] | None = None,
    project_id: str | None = None,
    user_id: str | None = None,
) -> None:
    if not project_values and not user_values:
        raise Invalid("There are no values to check against the quota.")
    limits = _limits(stores, project_id or ctx.project_id, user_id or ctx.user_id)
    _check(limits, {"project": project_values or {}, "user": user_values or {}})


def _limits(stores: Stores, project_id: str | None, user_id: str | None) -> Counts:
    project = stores.quota.limits(project_id or "")
    return {"project": project, "user": {**project, **stores.quota.user_limits(project_id or "", user_id)}}


def _check(limits: Counts, wanted: Counts) -> None:
    names = {name for values in wanted.values() for name in values}
    if unknown := sorted(names - set(limits["project"])):
        raise Invalid(f"There is no quota of {', '.join(unknown)}.")
    if unders := sorted({name for values in wanted.values() for name, value in values.items() if value < 0}):
        raise Invalid(f"The quota of {', '.join(unders)} is asked about less than nothing.", unders=unders)
    for scope, values in wanted.items():
        _refuse_over(limits[scope], values, {})


def _refuse_over(limits: Mapping[str, int], wanted: Mapping[str, int], usages: Mapping[str, int]) -> None:
    overs = sorted(name for name, value in wanted.items() if 0 <= limits[name] < value)
    if overs:
        raise OverQuota(
            overs=overs,
            quotas={name: limits[name] for name in overs},
            usages=dict(usages),
            headroom={name: limits[name] - usages.get(name, 0) for name in overs},
        )


# Reservations: only their names are left, since usage is counted when it matters


def _reserve(
    _stores: Stores,
    _ctx: Context,
    quotas: Any,
    expire: Any = None,  # noqa: ARG001 wire
    project_id: str | None = None,
    user_id: str | None = None,
    **deltas: int,  # noqa: ARG001 wire
) -> None:
    quotas.reservations = None
    quotas.project_id, quotas.user_id = project_id, user_id
    quotas.obj_reset_changes()


def _settle(_stores: Stores, _ctx: Context, quotas: Any) -> None:
    """Nothing was reserved, so nothing is left to commit or to give back."""
    quotas.obj_reset_changes()


_OF_BOTH: Final[Mapping[str, OnClass]] = {
    "count": OnClass(_count_one),
    "count_as_dict": OnClass(_count_all),
    "limit_check": OnClass(_limit_check),
    "limit_check_project_and_user": OnClass(_limit_check_project_and_user),
    "create_limit": OnClass(
        lambda s, ctx, project_id, resource, limit, user_id=None: s.api.quotas.create_limit(
            project_id, resource, limit, user_id
        )
    ),
    "update_limit": OnClass(
        lambda s, ctx, project_id, resource, limit, user_id=None: s.api.quotas.update_limit(
            project_id, resource, limit, user_id
        )
    ),
}

METHODS: Final[Methods] = {
    # Compat: the second differs in nothing but its name
    **{(kind, method): row for kind in ("Quotas", "QuotasNoOp") for method, row in _OF_BOTH.items()},
    ("Quotas", "check_deltas"): OnClass(_check_deltas),
    ("Quotas", "reserve"): OnObject(_reserve),
    ("Quotas", "commit"): OnObject(_settle),
    ("Quotas", "rollback"): OnObject(_settle),
}
