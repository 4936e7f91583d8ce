"""How much was read from and written to volumes."""

from collections.abc import Mapping
from typing import Any, Final

import sqlalchemy as sa

from openkeel import objects
from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of, utcnow
from openkeel.db.session import retried
from openkeel.db.stores.plan import Plan, values_of
from openkeel.db.stores.table import TableStore

USAGE: Final = table_of(rows.VolumeUsage)
_OWNER: Final = ("volume_id", "instance_uuid", "project_id", "user_id", "availability_zone")
_COUNTED: Final = ("reads", "read_bytes", "writes", "write_bytes")


class VolumeUsageStore(TableStore[Any]):
    """Volume usage of one cell: what this attachment did (curr), and what all before did (tot)."""

    plan = Plan(objects.VolumeUsage, rows.VolumeUsage)

    @retried
    def record(self, usage: Any, *, close: bool = False) -> None:
        """Write the counters as the host reads them now; `close` adds them to the totals.

        Counters that fall mean that the guest was started anew: what they had is added to the totals.
        """
        now = utcnow()
        current = {f"curr_{name}": getattr(usage, f"curr_{name}") for name in _COUNTED}
        with self._database.write() as connection:
            found = connection.execute(
                sa.select(USAGE).where(USAGE.c.volume_id == usage.volume_id, USAGE.c.deleted == 0)
            ).first()
            row = {
                "curr_last_refreshed": now,
                "updated_at": now,
                **_new_values(values_of(found) if found else None, current, close=close),
            }
            if close:
                row["tot_last_refreshed"] = now
            if found is None:
                row |= self.plan.values(usage, [name for name in _OWNER if usage.obj_attr_is_set(name)])
                connection.execute(sa.insert(USAGE).values(created_at=now, deleted=0, **row))
            else:
                mine = USAGE.c.id == values_of(found)["id"]
                connection.execute(sa.update(USAGE).where(mine).values(row))
            saved = connection.execute(
                sa.select(USAGE).where(USAGE.c.volume_id == usage.volume_id, USAGE.c.deleted == 0)
            ).one()
        self.plan.fill(usage, values_of(saved))


def _new_values(
    before: Mapping[str, Any] | None, current: Mapping[str, int], *, close: bool
) -> dict[str, Any]:
    totals = {f"tot_{name}": (before[f"tot_{name}"] or 0) if before else 0 for name in _COUNTED}
    restarted = before is not None and any(
        (before[f"curr_{name}"] or 0) > current[f"curr_{name}"] for name in _COUNTED
    )
    for name in _COUNTED:
        if restarted and before is not None:
            totals[f"tot_{name}"] += before[f"curr_{name}"] or 0
        if close:
            totals[f"tot_{name}"] += current[f"curr_{name}"]
    return {**totals, **(dict.fromkeys(current, 0) if close else current)}
