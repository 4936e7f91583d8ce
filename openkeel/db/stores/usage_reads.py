"""Servers of one cell that ran in a period, and the log of its usage audits."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of
from openkeel.db.session import Database
from openkeel.db.stores import keyset
from openkeel.db.stores.host_reads import COMPUTE
from openkeel.db.stores.plan import naive
from openkeel.db.stores.server_rows import flavor_of

_INSTANCE: Final = table_of(rows.Instance)
_EXTRA: Final = table_of(rows.InstanceExtra)
_TASK: Final = table_of(rows.TaskLog)
_SERVICE: Final = table_of(rows.Service)

_ORDER: Final = ((_INSTANCE.c.project_id, True), (_INSTANCE.c.uuid, True))


@dataclass(frozen=True, slots=True)
class Run:
    """A server, living or deleted, and since when it has been running. Times are naive UTC."""

    uuid: str
    project_id: str
    name: str
    vm_state: str
    flavor_name: str
    memory_mib: int
    vcpus: int
    local_gib: int
    launched_at: datetime
    terminated_at: datetime | None

    @property
    def place(self) -> tuple[str, str]:
        """Where it stands in the order of pages."""
        return self.project_id, self.uuid


class CellUsageReads:
    """Usage in one cell."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def place_of(self, uuid: str) -> tuple[str, str] | None:
        """Where a server stands in the order of pages, also a deleted one; None when it is not here."""
        statement = sa.select(_INSTANCE.c.project_id, _INSTANCE.c.uuid).where(_INSTANCE.c.uuid == uuid)
        with self._database.read() as connection:
            row = connection.execute(statement).first()
        return None if row is None else (row[0] or "", row[1])

    def page(
        self,
        begin: datetime,
        end: datetime,
        project_id: str | None,
        limit: int | None,
        after: tuple[str, str] | None = None,
    ) -> list[Run]:
        """At most `limit` servers that ran in a period, by project and uuid, behind a place."""
        columns = ("uuid", "project_id", "display_name", "vm_state", "memory_mb", "vcpus", "root_gb")
        more = ("ephemeral_gb", "launched_at", "terminated_at")
        where = [
            _INSTANCE.c.launched_at < naive(end),
            sa.or_(_INSTANCE.c.terminated_at.is_(None), _INSTANCE.c.terminated_at > naive(begin)),
        ]
        if project_id is not None:
            where.append(_INSTANCE.c.project_id == project_id)
        if after is not None:
            where.append(keyset.after(_ORDER, {"project_id": after[0], "uuid": after[1]}))
        statement = (
            sa.select(*(_INSTANCE.c[name] for name in columns + more), _EXTRA.c.flavor.label("_flavor"))
            .join_from(_INSTANCE, _EXTRA, _EXTRA.c.instance_uuid == _INSTANCE.c.uuid, isouter=True)
            .where(*where)
            .order_by(*keyset.order_by(_ORDER))
            .limit(limit)
        )
        with self._database.read() as connection:
            return [_run(row._mapping) for row in connection.execute(statement)]  # noqa: SLF001 - public in name

    def audits(self, task_name: str, begin: datetime, end: datetime) -> list[sa.Row[Any]]:
        """The runs of a periodic audit over a period: host, state, errors, task_items, message."""
        names = ("host", "state", "errors", "task_items", "message")
        statement = sa.select(*(_TASK.c[name] for name in names)).where(
            _TASK.c.task_name == task_name,
            _TASK.c.period_beginning == naive(begin),
            _TASK.c.period_ending == naive(end),
            _TASK.c.deleted == 0,
        )
        with self._database.read() as connection:
            return list(connection.execute(statement))

    def compute_hosts(self) -> list[str]:
        """Hosts with a compute service."""
        statement = sa.select(_SERVICE.c.host).where(_SERVICE.c.binary == COMPUTE, _SERVICE.c.deleted == 0)
        with self._database.read() as connection:
            return list(connection.scalars(statement))


def _run(row: sa.RowMapping) -> Run:
    return Run(
        uuid=row["uuid"],
        project_id=row["project_id"] or "",
        name=row["display_name"] or "",
        vm_state=row["vm_state"] or "",
        flavor_name=str(flavor_of(row["_flavor"]).get("name") or ""),
        memory_mib=row["memory_mb"] or 0,
        vcpus=row["vcpus"] or 0,
        local_gib=(row["root_gb"] or 0) + (row["ephemeral_gb"] or 0),
        launched_at=row["launched_at"],
        terminated_at=row["terminated_at"],
    )
