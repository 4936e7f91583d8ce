"""The log of the periodic usage audit: which host has done which period."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from oslo_db.exception import DBDuplicateEntry

from openkeel.db.models.base import utcnow
from openkeel.db.session import retried
from openkeel.db.stores import plans
from openkeel.db.stores.plan import naive
from openkeel.db.stores.table import TableStore, Where
from openkeel.domain.errors import TaskAlreadyRunning, TaskNotRunning

TASK: Final = plans.TASK_LOGS.table


class TaskLogStore(TableStore[Any]):
    """Task logs of one cell."""

    plan = plans.TASK_LOGS

    def find(
        self, name: str, begin: datetime, end: datetime, host: str, state: str | None = None
    ) -> Any | None:
        """The run of a task on a host over a period."""
        return self._find(*_run(name, begin, end, host, state))

    def list(
        self, name: str, begin: datetime, end: datetime, host: str | None = None, state: str | None = None
    ) -> Any:
        """The runs of a task over a period."""
        return self._list(*_run(name, begin, end, host, state))

    @retried
    def begin(self, task: Any) -> None:
        """Log that a run begins. Raises: TaskAlreadyRunning."""
        row = self.plan.new_row(task, utcnow()) | {"state": "RUNNING", "errors": 0}
        try:
            with self._database.write() as connection:
                connection.execute(sa.insert(TASK).values(row))
        except DBDuplicateEntry as error:
            raise TaskAlreadyRunning(task_name=task.task_name, host=task.host) from error

    @retried
    def end(self, task: Any) -> None:
        """Log that a run ended. Raises: TaskNotRunning."""
        row = {"state": "DONE", "errors": task.errors, "message": task.message, "updated_at": utcnow()}
        mine = _run(task.task_name, task.period_beginning, task.period_ending, task.host, None)
        with self._database.write() as connection:
            if connection.execute(sa.update(TASK).where(*mine).values(row)).rowcount == 0:
                raise TaskNotRunning(task_name=task.task_name, host=task.host)


def _run(name: str, begin: datetime, end: datetime, host: str | None, state: str | None) -> Sequence[Where]:
    where = [
        TASK.c.task_name == name,
        TASK.c.period_beginning == naive(begin),
        TASK.c.period_ending == naive(end),
    ]
    if host is not None:
        where.append(TASK.c.host == host)
    if state is not None:
        where.append(TASK.c.state == state)
    return where
