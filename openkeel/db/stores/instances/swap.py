"""The conditions of a compare-and-swap, and why one failed."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from openkeel.db.stores.instances.cell import INSTANCE
from openkeel.db.stores.plan import values_of
from openkeel.db.stores.table import Where
from openkeel.domain.errors import InstanceDeleting, InstanceNotFound, StateConflict
from openkeel.domain.states import TaskState
from openkeel.objects.stores import ANY


def is_one_of(column: sa.ColumnElement[Any], accepted: Any) -> Where:
    """SQL for: the column holds one of the accepted values, where None is one too."""
    values = set(accepted) if isinstance(accepted, (tuple, list, set, frozenset)) else {accepted}
    named = sorted(str(value) for value in values if value is not None)
    tests: list[Where] = [column.in_(named)] if named else []
    if None in values:
        tests.append(column.is_(None))
    return sa.or_(*tests) if tests else sa.false()


def states_of(connection: sa.Connection, instance_uuid: str) -> Mapping[str, Any] | None:
    """The states a server stands in, and whether it is dead; None if there never was one."""
    columns = (INSTANCE.c.vm_state, INSTANCE.c.task_state, INSTANCE.c.deleted)
    row = connection.execute(sa.select(*columns).where(INSTANCE.c.uuid == instance_uuid)).first()
    return None if row is None else values_of(row)


def why_not(connection: sa.Connection, instance_uuid: str, expected: Mapping[str, Any]) -> Exception:
    """Read again and say which case it is."""
    found = states_of(connection, instance_uuid)
    if found is None or found["deleted"]:
        return InstanceNotFound(instance_id=instance_uuid)
    if found["task_state"] == TaskState.DELETING:
        return InstanceDeleting(
            instance_uuid=instance_uuid, expected=_plain(expected), found=TaskState.DELETING.value
        )
    return StateConflict(
        instance_uuid=instance_uuid,
        expected=_plain(expected),
        found={"vm_state": found["vm_state"], "task_state": found["task_state"]},
    )


def _plain(expected: Mapping[str, Any]) -> dict[str, Any]:
    """Expected states as they can travel in an error."""
    plain: dict[str, Any] = {}
    for column, accepted in expected.items():
        if accepted is ANY:
            continue
        values = accepted if isinstance(accepted, (tuple, list, set, frozenset)) else (accepted,)
        plain[column] = sorted((None if value is None else str(value) for value in values), key=str)
    return plain
