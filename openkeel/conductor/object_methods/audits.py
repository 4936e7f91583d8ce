"""Remotable methods of what is counted: the usage audit's log, and what volumes were used for."""

from typing import Any, Final

from openkeel.common.context import Context
from openkeel.conductor.object_methods.remotable import Methods, OnClass, OnObject, Stores, moment


def _run(
    stores: Stores,
    _ctx: Context,
    task_name: str,
    period_beginning: Any,
    period_ending: Any,
    host: str,
    state: str | None = None,
) -> Any:
    return stores.cell.task_logs.find(task_name, moment(period_beginning), moment(period_ending), host, state)


def _runs(
    stores: Stores,
    _ctx: Context,
    task_name: str,
    period_beginning: Any,
    period_ending: Any,
    host: str | None = None,
    state: str | None = None,
) -> Any:
    return stores.cell.task_logs.list(task_name, moment(period_beginning), moment(period_ending), host, state)


METHODS: Final[Methods] = {
    ("TaskLog", "get"): OnClass(_run),
    ("TaskLog", "begin_task"): OnObject(lambda s, ctx, item: s.cell.task_logs.begin(item)),
    ("TaskLog", "end_task"): OnObject(lambda s, ctx, item: s.cell.task_logs.end(item)),
    ("TaskLogList", "get_all"): OnClass(_runs),
    ("VolumeUsage", "save"): OnObject(
        lambda s, ctx, item, update_totals=False: s.cell.volume_usage.record(item, close=update_totals)
    ),
}
