"""Why a server went wrong."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any

import sqlalchemy as sa

from openkeel.db.stores import plans
from openkeel.db.stores.table import TableStore


class FaultStore(TableStore[Any]):
    """Faults of one cell."""

    plan = plans.FAULTS

    def find_latest(self, instance_uuid: str) -> Any | None:
        """The newest of a server."""
        return next(iter(self.list_latest([instance_uuid])), None)

    def list_latest(self, instance_uuids: Collection[str]) -> Any:
        """The newest of each server."""
        table = self.plan.table
        newest = (
            sa.select(sa.func.max(table.c.id))
            .where(table.c.instance_uuid.in_(list(instance_uuids)), table.c.deleted == 0)
            .group_by(table.c.instance_uuid)
        )
        return self._list(table.c.id.in_(newest))

    def list_by_instances(self, instance_uuids: Collection[str]) -> dict[str, Any]:
        """All of each server, newest first, by its uuid."""
        table = self.plan.table
        grouped: defaultdict[str, list[Any]] = defaultdict(list)
        where = table.c.instance_uuid.in_(list(instance_uuids))
        for fault in self._list(where, order_by=(table.c.id.desc(),)):
            grouped[fault.instance_uuid].append(fault)
        return {uuid: self.plan.wrap(grouped[uuid]) for uuid in instance_uuids}
