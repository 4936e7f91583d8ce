"""The log of what was done to a server."""

import traceback
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.models.base import utcnow
from openkeel.db.session import Database, retried
from openkeel.db.stores import plans
from openkeel.db.stores.plan import aware, naive, values_of
from openkeel.domain.errors import InstanceActionNotFound, NotFound

ACTION: Final = plans.ACTIONS.table
EVENT: Final = plans.EVENTS.table
_DETAILS_MAX: Final = 255


class ActionStore:
    """Actions of one cell. An action is found by its server and the request id of the context."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @retried
    def start(self, ctx: Any, instance_uuid: str, action: str) -> Any:
        """Log the beginning of an action."""
        now = utcnow()
        row = {
            "action": action,
            "instance_uuid": instance_uuid,
            "request_id": ctx.request_id,
            "user_id": ctx.user_id,
            "project_id": ctx.project_id,
            "start_time": naive(ctx.timestamp),
            "finish_time": None,
            "message": None,
            "created_at": now,
            "updated_at": now,
            "deleted": 0,
        }
        with self._database.write() as connection:
            key = connection.execute(sa.insert(ACTION).values(row)).inserted_primary_key
        return plans.ACTIONS.to_object({**row, "deleted_at": None, "id": key[0] if key else None})

    def create(self, action: Any) -> None:
        """Insert an action that was filled in by the caller."""
        row = plans.ACTIONS.new_row(action, utcnow())
        with self._database.write() as connection:
            key = connection.execute(sa.insert(ACTION).values(row)).inserted_primary_key
        plans.ACTIONS.fill(action, {**row, "deleted_at": None, "id": key[0] if key else None})

    @retried
    def finish(self, ctx: Any, instance_uuid: str) -> Any | None:
        """Log the end of the action; quiet when the request has none."""
        now = utcnow()
        with self._database.write() as connection:
            row = _find_action(connection, instance_uuid, ctx.request_id)
            if row is None:
                return None
            changes = {"finish_time": now, "updated_at": now}
            connection.execute(sa.update(ACTION).where(ACTION.c.id == row["id"]).values(changes))
        return plans.ACTIONS.to_object({**row, **changes})

    @retried
    def end(self, action: Any) -> None:
        """Log the end of this very action. Raises: InstanceActionNotFound."""
        now = utcnow()
        changes = {"finish_time": now, "updated_at": now}
        with self._database.write() as connection:
            mine = sa.update(ACTION).where(ACTION.c.id == action.id)
            if connection.execute(mine.values(changes)).rowcount == 0:
                raise InstanceActionNotFound(instance_uuid=action.instance_uuid, request_id=action.request_id)
        action.finish_time = action.updated_at = aware(now)
        action.obj_reset_changes(["finish_time", "updated_at"])

    @retried
    def event_create(self, event: Any, instance_uuid: str, request_id: str) -> None:
        """Insert a step that the caller filled in, under its action. Raises: InstanceActionNotFound."""
        now = utcnow()
        with self._database.write() as connection:
            action = _find_action(connection, instance_uuid, request_id)
            if action is None:
                raise InstanceActionNotFound(instance_uuid=instance_uuid, request_id=request_id)
            row = plans.EVENTS.new_row(event, now) | {"action_id": action["id"]}
            key = connection.execute(sa.insert(EVENT).values(row)).inserted_primary_key
            connection.execute(sa.update(ACTION).where(ACTION.c.id == action["id"]).values(updated_at=now))
        plans.EVENTS.fill(event, {**row, "deleted_at": None, "id": key[0] if key else None})

    @retried
    def event_end(
        self, event: Any, *, result: str, details: str | None = None, trace: str | None = None
    ) -> None:
        """Log the end of this very step. Raises: NotFound."""
        now = utcnow()
        with self._database.write() as connection:
            mine = sa.select(*plans.EVENTS.columns).where(EVENT.c.id == event.id, EVENT.c.deleted == 0)
            found = connection.execute(mine).first()
            if found is None:
                raise NotFound(f"Event {event.id} could not be found.")
            row = _end_event(connection, values_of(found), now, result, details, trace)
        plans.EVENTS.fill(event, row)

    @retried
    def event_start(self, ctx: Any, instance_uuid: str, event: str, host: str | None) -> Any | None:
        """Log the beginning of a step; quiet when the request has no action."""
        now = utcnow()
        with self._database.write() as connection:
            action = _find_action(connection, instance_uuid, ctx.request_id)
            if action is None:
                return None
            row = {
                "action_id": action["id"],
                "event": event,
                "host": host,
                "start_time": now,
                "finish_time": None,
                "result": None,
                "traceback": None,
                "details": None,
                "created_at": now,
                "updated_at": None,
                "deleted": 0,
            }
            key = connection.execute(sa.insert(EVENT).values(row)).inserted_primary_key
            # Lists of actions are filtered by when something last happened to them.
            connection.execute(sa.update(ACTION).where(ACTION.c.id == action["id"]).values(updated_at=now))
        return plans.EVENTS.to_object({**row, "deleted_at": None, "id": key[0] if key else None})

    def event_finish(
        self,
        ctx: Any,
        instance_uuid: str,
        event: str,
        *,
        error: BaseException | None = None,
    ) -> Any | None:
        """Log the end of a step, with what went wrong if something did."""
        if error is None:
            return self.event_finish_as(ctx, instance_uuid, event, result="Success")
        return self.event_finish_as(
            ctx,
            instance_uuid,
            event,
            result="Error",
            details=str(error),
            trace="".join(traceback.format_exception(error)),
        )

    @retried
    def event_finish_as(
        self,
        ctx: Any,
        instance_uuid: str,
        event: str,
        *,
        result: str,
        details: str | None = None,
        trace: str | None = None,
    ) -> Any | None:
        """Log the end of a step in the words of a peer; quiet when there is no such step."""
        now = utcnow()
        with self._database.write() as connection:
            action = _find_action(connection, instance_uuid, ctx.request_id)
            if action is None:
                return None
            found = connection.execute(
                sa.select(*plans.EVENTS.columns)
                .where(EVENT.c.action_id == action["id"], EVENT.c.event == event, EVENT.c.deleted == 0)
                .order_by(EVENT.c.id.desc())
                .limit(1)
            ).first()
            if found is None:
                return None
            row = _end_event(connection, values_of(found), now, result, details, trace)
        return plans.EVENTS.to_object(row)

    def list(
        self,
        instance_uuid: str,
        *,
        limit: int | None = None,
        marker: str | None = None,
        filters: Mapping[str, Any] | None = None,
    ) -> Any:
        """Actions of a server, newest first, dead ones too. `marker` is a request id.

        Raises: NotFound (marker).
        """
        filters = filters or {}
        where = [ACTION.c.instance_uuid == instance_uuid]
        if filters.get("changes-since"):
            where.append(ACTION.c.updated_at >= naive(filters["changes-since"]))
        if filters.get("changes-before"):
            where.append(ACTION.c.updated_at <= naive(filters["changes-before"]))
        with self._database.read() as connection:
            if marker is not None:
                row = _find_action(connection, instance_uuid, marker)
                if row is None:
                    raise NotFound(f"Marker {marker} could not be found.", marker=marker)
                where.append(
                    sa.or_(
                        ACTION.c.created_at < row["created_at"],
                        sa.and_(ACTION.c.created_at == row["created_at"], ACTION.c.id < row["id"]),
                    )
                )
            statement = (
                sa.select(*plans.ACTIONS.columns)
                .where(*where)
                .order_by(ACTION.c.created_at.desc(), ACTION.c.id.desc())
                .limit(limit)
            )
            return plans.ACTIONS.to_list(connection.execute(statement))

    def find_by_request(self, instance_uuid: str, request_id: str) -> Any | None:
        """The action of a request, dead or alive."""
        with self._database.read() as connection:
            row = _find_action(connection, instance_uuid, request_id)
        return None if row is None else plans.ACTIONS.to_object(row)

    def list_events(self, action_id: int) -> Any:
        """The steps of an action, newest first."""
        statement = (
            sa.select(*plans.EVENTS.columns)
            .where(EVENT.c.action_id == action_id, EVENT.c.deleted == 0)
            .order_by(EVENT.c.created_at.desc(), EVENT.c.id.desc())
        )
        with self._database.read() as connection:
            return plans.EVENTS.to_list(connection.execute(statement))

    def find_event(self, action_id: int, event_id: int) -> Any | None:
        """One step of an action."""
        statement = sa.select(*plans.EVENTS.columns).where(
            EVENT.c.action_id == action_id, EVENT.c.id == event_id, EVENT.c.deleted == 0
        )
        with self._database.read() as connection:
            row = connection.execute(statement).first()
        return None if row is None else plans.EVENTS.to_object(values_of(row))


def _end_event(
    connection: sa.Connection,
    row: Mapping[str, Any],
    now: datetime,
    result: str,
    details: str | None,
    trace: str | None,
) -> Mapping[str, Any]:
    """Write the end of a step, and tell its action. Returns: the row as it is now."""
    changes = {
        "finish_time": now,
        "updated_at": now,
        "result": result,
        "traceback": trace,
        "details": details[:_DETAILS_MAX] if details else details,
    }
    connection.execute(sa.update(EVENT).where(EVENT.c.id == row["id"]).values(changes))
    action_changes: dict[str, Any] = {"updated_at": now}
    if result == "Error":
        action_changes["message"] = "Error"
    connection.execute(sa.update(ACTION).where(ACTION.c.id == row["action_id"]).values(action_changes))
    return {**row, **changes}


def _find_action(connection: sa.Connection, instance_uuid: str, request_id: str) -> Mapping[str, Any] | None:
    statement = (
        sa.select(*plans.ACTIONS.columns)
        .where(ACTION.c.instance_uuid == instance_uuid, ACTION.c.request_id == request_id)
        .order_by(ACTION.c.id.desc())
        .limit(1)
    )
    row = connection.execute(statement).first()
    return None if row is None else values_of(row)
