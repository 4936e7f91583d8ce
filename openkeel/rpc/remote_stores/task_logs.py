"""Periods that somebody counted."""

from datetime import datetime
from typing import Any

from openkeel.objects.stores import utc_naive
from openkeel.rpc.remote_stores.rows import Store


class RemoteTaskLogs(Store):
    """Contract: TaskLog. Only one who begins may end, so neither is repeated."""

    def find(self, name: str, begin: datetime, end: datetime, host: str) -> Any | None:
        return self._wire.ask(
            "TaskLog",
            "get",
            task_name=name,
            period_beginning=_text(begin),
            period_ending=_text(end),
            host=host,
        )

    def begin(self, task: Any) -> None:
        self._wire.tell(task, "begin_task")

    def end(self, task: Any) -> None:
        self._wire.tell(task, "end_task")


def _text(moment: datetime) -> str:
    """Compat: how times travel that are arguments."""
    return utc_naive(moment).isoformat(timespec="microseconds")
