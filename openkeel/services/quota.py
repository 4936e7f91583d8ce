"""Quota: what a project may have, what it has, and whether more fits.

Nothing is reserved: usage is counted when it matters. A boot counts servers in all cells and those on
their way there; the conductor counts again after it made them (`recheck`), since two boots may have
counted at once. Contract: the quota options and tables; a limit of -1 is none.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from openkeel.common.context import Context
from openkeel.db.cells import CellDirectory
from openkeel.db.stores.quota_reads import ApiQuotaReads, CellQuotaReads, Usage
from openkeel.db.stores.quotas import DEFAULT_CLASS
from openkeel.domain.errors import CellUnreachable, OverQuota

INSTANCES: Final = "instances"
CORES: Final = "cores"
RAM: Final = "ram"
METADATA_ITEMS: Final = "metadata_items"
INJECTED_FILES: Final = "injected_files"
INJECTED_FILE_CONTENT_BYTES: Final = "injected_file_content_bytes"
INJECTED_FILE_PATH_BYTES: Final = "injected_file_path_bytes"
KEY_PAIRS: Final = "key_pairs"
SERVER_GROUPS: Final = "server_groups"
SERVER_GROUP_MEMBERS: Final = "server_group_members"

UNLIMITED: Final = -1


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
    """Limits and usage of projects and users."""

    def __init__(self, cells: CellDirectory, settings: QuotaSettings = QuotaSettings()) -> None:
        self._cells = cells
        self._reads = ApiQuotaReads(cells.api.database)
        self._settings = settings

    @property
    def rechecks(self) -> bool:
        """Whether who makes something shall count once more afterwards."""
        return self._settings.rechecks

    # Limits

    def limits(self, project_id: str) -> dict[str, int]:
        """Limits of a project: its own, else those of the default class, else configured ones."""
        return self.default_limits() | self._set(lambda: self._cells.api.quotas.of_project(project_id))

    def default_limits(self) -> dict[str, int]:
        """Limits of projects for which nothing is set."""
        return self.class_limits(DEFAULT_CLASS)

    def class_limits(self, name: str) -> dict[str, int]:
        """Limits of a class: its own, else configured ones."""
        configured = dict(self._settings.limits)
        if not self._settings.is_enforced:
            return dict.fromkeys(configured, UNLIMITED)
        return configured | self._set(lambda: self._cells.api.quotas.of_class(name))

    def _set(self, read: Callable[[], Mapping[str, Any]]) -> dict[str, int]:
        """What is set of what there are limits for; the tables may know more."""
        if not self._settings.is_enforced:
            return {}
        return {
            name: int(limit)
            for name, limit in read().items()
            if limit is not None and name in self._settings.limits
        }

    def user_limits(self, project_id: str, user_id: str | None) -> dict[str, int]:
        """Limits set for a user in a project; others are the project's."""
        if user_id is None:
            return {}
        return self._set(lambda: self._cells.api.quotas.of_user(project_id, user_id))

    # Usage

    def usage(
        self, project_id: str, user_id: str | None = None, *, pending: bool = True
    ) -> tuple[Usage, Usage]:
        """What the servers of a project take, and those of a user in it.

        Raises: CellUnreachable: nobody can tell what is in a cell that does not answer.
        """
        # Servers move from here into a cell, never back: asked in this order, and left out there when
        # they were seen here, each counts once however fast it moves.
        on_their_way = self._reads.pending(project_id) if pending else {}
        answers = self._cells.scatter(
            lambda stores: CellQuotaReads(stores.database).usage(project_id, user_id, on_their_way.keys()),
            self._cells.cells(),
            self._settings.cell_timeout_s,
        )
        project, user = Usage(), Usage()
        for answer in answers.values():
            if isinstance(answer, CellUnreachable):
                raise answer
            project, user = project + answer[0], user + answer[1]
        for owner, usage in on_their_way.values():
            project = project + usage
            if owner == user_id:
                user = user + usage
        return project, user

    def server_groups(self, project_id: str, user_id: str | None = None) -> int:
        """How many server groups a project has, or a user in it."""
        counted = self._cells.api.instance_groups.count(project_id, user_id)
        return int(counted["project" if user_id is None else "user"]["server_groups"])

    # Checks

    def check(self, ctx: Context, deltas: Mapping[str, int]) -> None:
        """Whether more instances, cores and ram fit. Raises: OverQuota; CellUnreachable."""
        project_id = ctx.project_id or ""
        self._check_servers(project_id, ctx.user_id, deltas, pending=True)

    def recheck(self, _ctx: Context, project_id: str, user_id: str | None) -> None:
        """Whether what was made fits after all: two boots may have counted at once. Raises: OverQuota."""
        self._check_servers(project_id, user_id, {INSTANCES: 0, CORES: 0, RAM: 0}, pending=False)

    def _check_servers(
        self, project_id: str, user_id: str | None, deltas: Mapping[str, int], *, pending: bool
    ) -> None:
        limits = {name: self.limits(project_id)[name] for name in deltas}
        user_limits = {
            name: limit for name, limit in self.user_limits(project_id, user_id).items() if name in deltas
        }
        if all(limit < 0 for limit in (*limits.values(), *user_limits.values())):
            return
        project, user = self.usage(project_id, user_id, pending=pending)
        _refuse_over(deltas, limits, _by_name(project))
        _refuse_over(deltas, user_limits, _by_name(user))

    def check_limits(self, ctx: Context, counted: Mapping[str, int]) -> None:
        """Whether one request holds too much of something. Raises: OverQuota."""
        limits = self.limits(ctx.project_id or "") | self.user_limits(ctx.project_id or "", ctx.user_id)
        _refuse_over(counted, {name: limits[name] for name in counted}, {})

    def check_server_groups(self, ctx: Context, more: int) -> None:
        """Whether so many more server groups fit. Raises: OverQuota."""
        project_id, asked = ctx.project_id or "", {SERVER_GROUPS: more}
        limits = {SERVER_GROUPS: self.limits(project_id)[SERVER_GROUPS]}
        _refuse_over(asked, limits, {SERVER_GROUPS: self.server_groups(project_id)})
        own = self.user_limits(project_id, ctx.user_id)
        if SERVER_GROUPS in own:
            have = {SERVER_GROUPS: self.server_groups(project_id, ctx.user_id)}
            _refuse_over(asked, {SERVER_GROUPS: own[SERVER_GROUPS]}, have)

    def check_group_members(self, ctx: Context, members: Collection[str], more: int) -> None:
        """Whether a server group may hold so many more servers of the user. Raises: OverQuota.

        `members` are the uuids in the group; those of others, and those that are gone, do not count.
        """
        limits = self.limits(ctx.project_id or "") | self.user_limits(ctx.project_id or "", ctx.user_id)
        limit = limits[SERVER_GROUP_MEMBERS]
        if limit < 0:
            return
        have = self._cells.api.instance_mappings.count_of_user(members, ctx.user_id or "")
        name = SERVER_GROUP_MEMBERS
        _refuse_over({name: more}, {name: limit}, {name: have})

    def check_keypairs(self, ctx: Context, user_id: str) -> None:
        """Whether a user may have one more keypair. Raises: OverQuota."""
        limits = self.limits(ctx.project_id or "")
        have = self._cells.api.keypairs.count(user_id)
        _refuse_over({KEY_PAIRS: 1}, {KEY_PAIRS: limits[KEY_PAIRS]}, {KEY_PAIRS: have})


def _by_name(usage: Usage) -> dict[str, int]:
    return {INSTANCES: usage.instances, CORES: usage.cores, RAM: usage.memory_mib}


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
