"""The network of a server as last seen."""

from typing import Any

from openkeel.db.stores import plans
from openkeel.db.stores.table import TableStore
from openkeel.domain.errors import NotFound


class InfoCacheStore(TableStore[Any]):
    """Network infos of one cell."""

    plan = plans.INFO_CACHES
    not_found = NotFound

    def get(self, instance_uuid: str) -> Any:
        """Raises: NotFound."""
        found = self._find(self.plan.table.c.instance_uuid == instance_uuid)
        if found is None:
            raise NotFound(f"Info cache for instance {instance_uuid} could not be found.")
        return found

    def _mine(self, item: Any) -> Any:
        return self.plan.table.c.instance_uuid == item.instance_uuid
