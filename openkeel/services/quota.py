"""Quota: what a project may have, what it has, and whether more fits.

Nothing is reserved: usage is counted when it matters. A boot counts servers in all cells and those on
their way there; the conductor counts again after it made them (`recheck`), since two boots may have
counted at once. Contract: the quota options and tables; a limit of -1 is none.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

from openkeel.common.context import Context
from openkeel.db.cells import CellDirectory
from openkeel.db.stores.quota_reads import Usage
from openkeel.domain.errors import OverQuota
from openkeel.services.quota_limits import (
    CORES,
    INJECTED_FILE_CONTENT_BYTES,
    INJECTED_FILE_PATH_BYTES,
    INJECTED_FILES,
    INSTANCES,
    KEY_PAIRS,
    METADATA_ITEMS,
    OF_NETWORKS,
    RAM,
    SERVER_GROUP_MEMBERS,
    SERVER_GROUPS,
    UNLIMITED,
    DatabaseLimits,
    LimitSource,
    NoLimits,
)
from openkeel.services.quota_usage import CellCounter, UsageCounter

__all__ = [
    "CORES",
    "INJECTED_FILES",
    "INJECTED_FILE_CONTENT_BYTES",
    "INJECTED_FILE_PATH_BYTES",
    "INSTANCES",
    "KEY_PAIRS",
    "METADATA_ITEMS",
    "OF_NETWORKS",
    "RAM",
    "SERVER_GROUPS",
    "SERVER_GROUP_MEMBERS",
    "UNLIMITED",
    "QuotaService",
    "QuotaSettings",
]


@dataclass(frozen=True)
class QuotaSettings:
    """Contract: group quota of the configuration."""

    limits: Mapping[str, int] = field(
        default_factory=lambda: {
            INSTANCES: 10,
            CORES: 20,
            RAM: 51200,
            METADATA_ITEMS: 128,
            INJECTED_FILES: 5,
            INJECTED_FILE_CONTENT_BYTES: 10240,
            INJECTED_FILE_PATH_BYTES: 255,
            KEY_PAIRS: 100,
            SERVER_GROUPS: 10,
            SERVER_GROUP_MEMBERS: 10,
        }
    )
    rechecks: bool = True  # count again after something was made
    is_enforced: bool = True  # False: the Noop driver, everything is unlimited
    cell_timeout_s: float = 60.0


class QuotaService:
    """Limits and usage of projects and users.

    Args:
        cells: where keypairs, groups and, by default, limits and servers are.
        settings: limits where none are set, and how to count.
        source: where limits come from; default: the database.
        counter: what servers take; default: counted in the cells.
    """

    def __init__(
        self,
        cells: CellDirectory,
        settings: QuotaSettings = QuotaSettings(),
        source: LimitSource | None = None,
        counter: UsageCounter | None = None,
    ) -> None:
        self._cells = cells
        self._settings = settings
        own = DatabaseLimits(cells, settings.limits) if settings.is_enforced else NoLimits(settings.limits)
        self._source: LimitSource = source or own
        self._counter: UsageCounter = counter or CellCounter(cells, settings.cell_timeout_s)

    @property
    def rechecks(self) -> bool:
        """Whether who makes something shall count once more afterwards."""
        return self._settings.rechecks

    # Limits

    def limits(self, project_id: str) -> dict[str, int]:
        """Limits of a project: its own, else those of projects for which nothing is set."""
        return self._source.of_project(project_id)

    def default_limits(self) -> dict[str, int]:
        """Limits of projects for which nothing is set."""
        return self._source.of_class()

    def class_limits(self, name: str) -> dict[str, int]:
        """Limits of a class: its own, else configured ones."""
        return self._source.of_class(name)

    def user_limits(self, project_id: str, user_id: str | None) -> dict[str, int]:
        """Limits set for a user in a project; others are the project's."""
        return {} if user_id is None else self._source.of_user(project_id, user_id)

    @property
    def can_be_set(self) -> bool:
        """Whether limits are set here; else what is asked to be set changes nothing."""
        return self._source.can_be_set

    # Usage

    def usage(
        self, project_id: str, user_id: str | None = None, *, pending: bool = True
    ) -> tuple[Usage, Usage]:
        """What the servers of a project take, and those of a user in it.

        Raises: Unavailable, CellUnreachable, when nobody can tell.
        """
        return self._counter.count(project_id, user_id, pending=pending)

    def server_groups(self, project_id: str, user_id: str | None = None) -> int:
        """How many server groups a project has, or a user in it."""
        counted = self._cells.api.instance_groups.count(project_id, user_id)
        return int(counted["project" if user_id is None else "user"]["server_groups"])

    # Checks

    def check(self, ctx: Context, deltas: Mapping[str, int]) -> None:
        """Whether more instances, cores and ram fit. Raises: OverQuota; CellUnreachable."""
        project_id = ctx.project_id or ""
        self._check_servers(project_id, ctx.user_id, deltas)

    def recheck(self, project_id: str, user_id: str | None, instance_uuids: Collection[str]) -> None:
        """Whether servers fit after all that were made: two boots may have counted at once.

        Those that were recorded later do not count: it is they who do not fit. Raises: OverQuota.
        """
        nothing_more = {INSTANCES: 0, CORES: 0, RAM: 0}
        self._check_servers(project_id, user_id, nothing_more, up_to=instance_uuids)

    def _check_servers(
        self,
        project_id: str,
        user_id: str | None,
        deltas: Mapping[str, int],
        *,
        up_to: Collection[str] = (),
    ) -> None:
        limits = self._source.enforced(project_id, deltas)
        user_limits = _only(self.user_limits(project_id, user_id), deltas)
        if all(limit < 0 for limit in (*limits.values(), *user_limits.values())):
            return
        project, user = self._counter.count(project_id, user_id, up_to=up_to)
        _refuse_over(deltas, limits, _by_name(project))
        _refuse_over(deltas, user_limits, _by_name(user))

    def check_limits(self, ctx: Context, counted: Mapping[str, int]) -> None:
        """Whether one request holds too much of something. Raises: OverQuota."""
        _refuse_over(counted, self._limits_for(ctx, counted), {})

    def check_group_members(self, ctx: Context, members: Collection[str], more: int) -> None:
        """Whether a server group may hold so many more servers of the user. Raises: OverQuota.

        `members` are the uuids in the group; those of others, and those that are gone, do not count.
        """
        self._group_members(ctx, more)(members)

    # Limits as they are now, to be kept to a little later: when a store has seen to it that nobody else
    # makes any. Each is a check that raises OverQuota.

    def bound(self, ctx: Context, resource: str) -> Callable[[int], None]:
        """Of how much one thing would hold."""
        limits = self._limits_for(ctx, (resource,))
        return lambda amount: _refuse_over({resource: amount}, limits, {})

    def keypairs_bound(self, ctx: Context) -> Callable[[int], None]:
        """Of how many keypairs a user has, who wants one more."""
        more = {KEY_PAIRS: 1}
        limits = self._source.enforced(ctx.project_id or "", more)
        return lambda present: _refuse_over(more, limits, {KEY_PAIRS: present})

    def server_groups_bound(self, ctx: Context) -> Callable[[Mapping[str, Mapping[str, int]]], None]:
        """Of how many server groups a project and a user have, who wants one more."""
        project_id, more = ctx.project_id or "", {SERVER_GROUPS: 1}
        limits = self._source.enforced(project_id, more)
        own = _only(self.user_limits(project_id, ctx.user_id), more)

        def check(present: Mapping[str, Mapping[str, int]]) -> None:
            _refuse_over(more, limits, present["project"])
            _refuse_over(more, own, present.get("user", {}))

        return check

    def group_members_bound(self, ctx: Context) -> Callable[[Collection[str]], None]:
        """Of all members that a server group would have: of how many of them are the user's."""
        return self._group_members(ctx, 0)

    def _group_members(self, ctx: Context, more: int) -> Callable[[Collection[str]], None]:
        name = SERVER_GROUP_MEMBERS
        limits = {name: self._limits_for(ctx, (name,))[name]}

        def check(members: Collection[str]) -> None:
            if limits[name] >= 0:
                have = self._cells.api.instance_mappings.count_of_user(members, ctx.user_id or "")
                _refuse_over({name: more}, limits, {name: have})

        return check

    def _limits_for(self, ctx: Context, resources: Collection[str]) -> dict[str, int]:
        """What the user must keep to of some resources."""
        project_id = ctx.project_id or ""
        own = _only(self.user_limits(project_id, ctx.user_id), resources)
        return self._source.enforced(project_id, resources) | own


def _only(limits: Mapping[str, int], names: Iterable[str]) -> dict[str, int]:
    return {name: limits[name] for name in names if name in limits}


def _by_name(usage: Usage) -> dict[str, int]:
    return {
        INSTANCES: usage.instances,
        CORES: usage.cores,
        RAM: usage.memory_mib,
        **usage.classes,
    }


def _refuse_over(deltas: Mapping[str, int], limits: Mapping[str, int], usage: Mapping[str, int]) -> None:
    """Raises: OverQuota with the facts a client needs to see what to change."""
    overs = sorted(
        name for name, limit in limits.items() if 0 <= limit < usage.get(name, 0) + deltas.get(name, 0)
    )
    if not overs:
        return
    said = ", ".join(
        f"{name} (asked for {deltas.get(name, 0)}, in use {usage.get(name, 0)} of {limits[name]})"
        for name in overs
    )
    raise OverQuota(
        f"The quota is exceeded for {said}.",
        overs=overs,
        quotas={name: limits[name] for name in overs},
        usages={name: usage.get(name, 0) for name in overs},
    )
