"""The network of a server as last seen."""

from typing import Any

from openkeel.db.stores import plans
from openkeel.db.stores.table import TableStore
from openkeel.domain.errors import InstanceInfoCacheNotFound


class InfoCacheStore(TableStore[Any]):
    """Network infos of one cell."""

    plan = plans.INFO_CACHES
    not_found = InstanceInfoCacheNotFound

    def get(self, instance_uuid: str) -> Any:
        """Raises: NotFound."""
        found = self._find(self.plan.table.c.instance_uuid == instance_uuid)
        if found is None:
            raise self.not_found(instance_uuid=instance_uuid)
        return found

    def delete(self, instance_uuid: str) -> None:
        """End it. Raises: InstanceInfoCacheNotFound."""
        with self._database.write() as connection:
            if self._end(connection, self.plan.table.c.instance_uuid == instance_uuid) == 0:
                raise self.not_found(instance_uuid=instance_uuid)

    def _mine(self, item: Any) -> Any:
        return self.plan.table.c.instance_uuid == item.instance_uuid
