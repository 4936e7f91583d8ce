"""What projects used: servers times hours, and whether the audits that count it ran.

Contract: the operations os-simple-tenant-usage and os-instance_usage_audit_log.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TypeVar

from openkeel.common.clock import Clock
from openkeel.db.cells import CellDirectory, CellStores
from openkeel.db.stores.usage_reads import CellUsageReads, Run
from openkeel.domain.audit_periods import AuditPeriod
from openkeel.domain.errors import CellUnreachable, Invalid

R = TypeVar("R")

AUDIT: Final = "instance_usage_audit"
DONE: Final = "DONE"
RUNNING: Final = "RUNNING"
_MONTHS: Final = AuditPeriod("month")
_SECONDS_PER_HOUR: Final = 3600.0


@dataclass(frozen=True, slots=True)
class ServerUsage:
    """How long a server ran within a period."""

    run: Run
    hours: float
    uptime_s: int


@dataclass(slots=True)
class ProjectUsage:
    """What a project used within a period; times are naive UTC."""

    project_id: str
    begin: datetime
    end: datetime
    servers: list[ServerUsage] = field(default_factory=list)

    def total(self, of: Callable[[Run], float]) -> float:
        """Something of each server times its hours."""
        return float(sum(of(server.run) * server.hours for server in self.servers))


@dataclass(frozen=True, slots=True)
class UsagePage:
    """Projects with the servers of one page, and whom the next page comes after when it is full."""

    projects: Sequence[ProjectUsage]
    marker: str | None


@dataclass(frozen=True, slots=True)
class AuditLog:
    """The runs of one audit by host, and hosts that did not run it."""

    begin: datetime
    end: datetime
    runs: Mapping[str, Any]
    hosts: Sequence[str]

    def in_state(self, state: str) -> int:
        """How many hosts are so far."""
        return sum(run.state == state for run in self.runs.values())

    @property
    def not_run(self) -> list[str]:
        """Hosts that have not begun, in the order they were found."""
        return [host for host in self.hosts if host not in self.runs]

    @property
    def errors(self) -> int:
        return sum(run.errors or 0 for run in self.runs.values())

    @property
    def servers(self) -> int:
        return sum(run.task_items or 0 for run in self.runs.values())


class UsageService:
    """The use cases of usage."""

    def __init__(
        self,
        cells: CellDirectory,
        clock: Clock,
        period: AuditPeriod = _MONTHS,
        cell_timeout_s: float = 60.0,
    ) -> None:
        self._cells = cells
        self._clock = clock
        self._period = period
        self._timeout_s = cell_timeout_s

    def now(self) -> datetime:
        """Naive UTC."""
        return self._clock.now().replace(tzinfo=None)

    def page(
        self,
        begin: datetime,
        end: datetime,
        project_id: str | None = None,
        limit: int | None = None,
        marker: str | None = None,
    ) -> UsagePage:
        """Usage within a period, of one project or all, with at most `limit` servers.

        `marker` is the last server of the page before. Cells that do not answer are left out.

        Raises: Invalid for an unknown marker.
        """
        after = None if marker is None else self._place_of(marker)
        found: list[Run] = []
        if limit != 0:
            for runs in self._ask(lambda reads: reads.page(begin, end, project_id, limit, after)):
                found += runs
        found = sorted(found, key=lambda run: run.place)[:limit]
        now = self.now()
        projects: dict[str, ProjectUsage] = {}
        for run in found:
            usage = projects.setdefault(run.project_id, ProjectUsage(run.project_id, begin, end))
            usage.servers.append(_usage(run, begin, end, now))
        is_full = limit is not None and found and len(found) == limit
        return UsagePage(list(projects.values()), found[-1].uuid if is_full else None)

    def audit_log(self, before: datetime | None = None) -> AuditLog:
        """How the audit of the last period went that was over before a moment (default: by now)."""
        begin, end = self._period.last_completed(before or self.now())
        runs: dict[str, Any] = {}
        hosts: list[str] = []
        for audits, computes in self._ask(
            lambda reads: (reads.audits(AUDIT, begin, end), reads.compute_hosts())
        ):
            runs |= {run.host: run for run in audits}
            hosts += computes
        return AuditLog(begin, end, runs, hosts)

    def _place_of(self, uuid: str) -> tuple[str, str]:
        for place in self._ask(lambda reads: reads.place_of(uuid)):
            if place is not None:
                return place
        raise Invalid(f"Marker {uuid} could not be found.")

    def _ask(self, question: Callable[[CellUsageReads], R]) -> Iterable[R]:
        """The answers of the cells that answer."""

        def ask(cell: CellStores) -> R:
            return question(CellUsageReads(cell.database))

        answers = self._cells.scatter(ask, self._cells.cells(), self._timeout_s)
        return [answer for answer in answers.values() if not isinstance(answer, CellUnreachable)]


def _usage(run: Run, begin: datetime, end: datetime, now: datetime) -> ServerUsage:
    ended = run.terminated_at
    within = min(ended or end, end) - max(run.launched_at, begin)
    up = (ended or now) - run.launched_at
    return ServerUsage(
        run,
        hours=max(within.total_seconds(), 0.0) / _SECONDS_PER_HOUR,
        uptime_s=max(int(up.total_seconds()), 0),
    )
