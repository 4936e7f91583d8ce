"""Remotable methods of the log of actions and of faults."""

from typing import Any, Final

from openkeel import objects
from openkeel.common.context import Context
from openkeel.conductor.object_methods.remotable import (
    Methods,
    OnClass,
    OnObject,
    Stores,
    flat,
    moment,
    rows_of,
)


def _start(
    stores: Stores, ctx: Context, instance_uuid: str, action_name: str, want_result: bool = True
) -> Any:
    action = stores.cell.actions.start(ctx, instance_uuid, action_name)
    return action if want_result else None


def _finish(stores: Stores, ctx: Context, instance_uuid: str, want_result: bool = True) -> Any:
    action = stores.cell.actions.finish(ctx, instance_uuid)
    return action if want_result else None


def _event_start(
    stores: Stores,
    ctx: Context,
    instance_uuid: str,
    event_name: str,
    want_result: bool = True,
    host: str | None = None,
) -> Any:
    event = stores.cell.actions.event_start(ctx, instance_uuid, event_name, host)
    return event if want_result else None


def _event_finish(
    stores: Stores, ctx: Context, instance_uuid: str, event_name: str, want_result: bool = True
) -> Any:
    event = stores.cell.actions.event_finish(ctx, instance_uuid, event_name)
    return event if want_result else None


def _event_failed(
    stores: Stores,
    ctx: Context,
    instance_uuid: str,
    event_name: str,
    exc_val: str | None = None,
    exc_tb: str | None = None,
    want_result: bool | None = None,
) -> Any:
    if exc_val is None and exc_tb is None:  # Compat: peers end a step that went well this way, too
        return _event_finish(stores, ctx, instance_uuid, event_name, bool(want_result))
    event = stores.cell.actions.event_finish_as(
        ctx, instance_uuid, event_name, result="Error", details=exc_val, trace=exc_tb
    )
    return event if want_result else None


def _list(
    stores: Stores,
    _ctx: Context,
    instance_uuid: str,
    limit: int | None = None,
    marker: str | None = None,
    filters: Any = None,
) -> Any:
    times = {name: moment(value) for name, value in (filters or {}).items()}
    return stores.cell.actions.list(instance_uuid, limit=limit, marker=marker, filters=times)


METHODS: Final[Methods] = {
    **rows_of(lambda s: s.cell.actions, "InstanceAction", "create"),
    ("InstanceAction", "action_start"): OnClass(_start),
    ("InstanceAction", "action_finish"): OnClass(_finish),
    ("InstanceAction", "finish"): OnObject(lambda s, ctx, item: s.cell.actions.end(item)),
    ("InstanceAction", "get_by_request_id"): OnClass(
        lambda s, ctx, instance_uuid, request_id: s.cell.actions.find_by_request(instance_uuid, request_id)
    ),
    ("InstanceActionList", "get_by_instance_uuid"): OnClass(_list),
    ("InstanceActionEvent", "event_start"): OnClass(_event_start),
    ("InstanceActionEvent", "event_finish"): OnClass(_event_finish),
    ("InstanceActionEvent", "event_finish_with_failure"): OnClass(_event_failed),
    ("InstanceActionEvent", "create"): OnObject(
        lambda s, ctx, item, instance_uuid, request_id: s.cell.actions.event_create(
            item, instance_uuid, request_id
        )
    ),
    ("InstanceActionEvent", "finish"): OnObject(
        lambda s, ctx, item: s.cell.actions.event_end(item, result="Success")
    ),
    ("InstanceActionEvent", "finish_with_failure"): OnObject(
        lambda s, ctx, item, exc_val, exc_tb: s.cell.actions.event_end(
            item, result="Error", details=exc_val, trace=exc_tb
        )
    ),
    ("InstanceActionEvent", "get_by_id"): OnClass(
        lambda s, ctx, action_id, event_id: s.cell.actions.find_event(action_id, event_id)
    ),
    ("InstanceActionEventList", "get_by_action"): OnClass(
        lambda s, ctx, action_id: s.cell.actions.list_events(action_id)
    ),
    **rows_of(lambda s: s.cell.faults, "InstanceFault", "create"),
    ("InstanceFault", "get_latest_for_instance"): OnClass(
        lambda s, ctx, instance_uuid: s.cell.faults.find_latest(instance_uuid)
    ),
    ("InstanceFaultList", "get_latest_by_instance_uuids"): OnClass(
        lambda s, ctx, instance_uuids: s.cell.faults.list_latest(instance_uuids)
    ),
    ("InstanceFaultList", "get_by_instance_uuids"): OnClass(
        lambda s, ctx, instance_uuids: objects.InstanceFaultList(
            objects=flat(s.cell.faults.list_by_instances(instance_uuids))
        )
    ),
}
