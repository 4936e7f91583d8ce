"""What was done to a server, as rows of its cell, living or deleted."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of
from openkeel.db.session import Database
from openkeel.db.stores import keyset
from openkeel.db.stores.plan import values_of

_INSTANCE: Final = table_of(rows.Instance)
_ACTION: Final = table_of(rows.InstanceAction)
_EVENT: Final = table_of(rows.InstanceActionEvent)
_NEWEST_FIRST: Final = ((_ACTION.c.created_at, False), (_ACTION.c.id, False))


@dataclass(frozen=True, slots=True)
class ActionFilter:
    """Which actions a list wants: naive UTC times, both ends included."""

    changed_since: datetime | None = None
    changed_before: datetime | None = None


class CellActionReads:
    """Servers of one cell and their actions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def server(self, uuid: str) -> sa.Row[Any] | None:
        """Owner of a server and whether it is deleted."""
        names = ("uuid", "project_id", "user_id", "deleted")
        statement = sa.select(*(_INSTANCE.c[name] for name in names)).where(_INSTANCE.c.uuid == uuid)
        with self._database.read() as connection:
            return connection.execute(statement).first()

    def page(
        self, instance_uuid: str, wanted: ActionFilter, limit: int | None, marker: str | None
    ) -> list[sa.Row[Any]] | None:
        """Actions, newest first, after the one of request `marker`; None when there is no such."""
        mine = (_ACTION.c.instance_uuid == instance_uuid, _ACTION.c.deleted == 0)
        where = list(mine)
        if wanted.changed_since is not None:
            where.append(_ACTION.c.updated_at >= wanted.changed_since)
        if wanted.changed_before is not None:
            where.append(_ACTION.c.updated_at <= wanted.changed_before)
        with self._database.read() as connection:
            if marker is not None:
                last = connection.execute(
                    sa.select(_ACTION).where(*mine, _ACTION.c.request_id == marker)
                ).first()
                if last is None:
                    return None
                where.append(keyset.after(_NEWEST_FIRST, values_of(last)))
            statement = (
                sa.select(_ACTION).where(*where).order_by(*keyset.order_by(_NEWEST_FIRST)).limit(limit)
            )
            return list(connection.execute(statement))

    def find(self, instance_uuid: str, request_id: str) -> sa.Row[Any] | None:
        """The action of a request on a server."""
        statement = sa.select(_ACTION).where(
            _ACTION.c.instance_uuid == instance_uuid,
            _ACTION.c.request_id == request_id,
            _ACTION.c.deleted == 0,
        )
        with self._database.read() as connection:
            return connection.execute(statement).first()

    def events(self, action_id: int) -> list[sa.Row[Any]]:
        """Events of an action, newest first."""
        statement = (
            sa.select(_EVENT)
            .where(_EVENT.c.action_id == action_id, _EVENT.c.deleted == 0)
            .order_by(_EVENT.c.created_at.desc(), _EVENT.c.id.desc())
        )
        with self._database.read() as connection:
            return list(connection.execute(statement))
