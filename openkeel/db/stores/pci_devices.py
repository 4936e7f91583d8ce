"""Host devices that servers may be given."""

from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.models.base import utcnow
from openkeel.db.session import retried
from openkeel.db.stores import plans
from openkeel.db.stores.table import TableStore
from openkeel.domain.errors import PciDeviceNotFound, PciDeviceNotFoundById

DEVICE: Final = plans.PCI_DEVICES.table


class PciDeviceStore(TableStore[Any]):
    """PCI devices of one cell. A device is known by its node and address."""

    plan = plans.PCI_DEVICES

    def get(self, id_: int) -> Any:
        """Raises: PciDeviceNotFoundById."""
        found = self._find(DEVICE.c.id == id_)
        if found is None:
            raise PciDeviceNotFoundById(id=id_)
        return found

    def get_by_address(self, compute_node_id: int, address: str) -> Any:
        """Raises: PciDeviceNotFound."""
        found = self._find(DEVICE.c.compute_node_id == compute_node_id, DEVICE.c.address == address)
        if found is None:
            raise PciDeviceNotFound(node_id=compute_node_id, address=address)
        return found

    def list_by_node(self, compute_node_id: int) -> Any:
        """All devices of a node."""
        return self._list(DEVICE.c.compute_node_id == compute_node_id)

    def list_by_parent(self, compute_node_id: int, parent_address: str) -> Any:
        """The virtual functions of a device."""
        return self._list(DEVICE.c.compute_node_id == compute_node_id, DEVICE.c.parent_addr == parent_address)

    def list(self, instance_uuid: str) -> Any:
        """The devices that a server has."""
        return self._list(DEVICE.c.instance_uuid == instance_uuid, DEVICE.c.status == "allocated")

    @retried
    def update_or_create(self, device: Any) -> None:
        """Write what changed; a device that its host no longer reports (status removed) ends as deleted."""
        if device.status == "removed":
            with self._database.write() as connection:
                self._end(
                    connection,
                    DEVICE.c.compute_node_id == device.compute_node_id,
                    DEVICE.c.address == device.address,
                )
            device.status = "deleted"
            return
        if device.status == "deleted":  # never had a row
            return
        mine = (DEVICE.c.compute_node_id == device.compute_node_id, DEVICE.c.address == device.address)
        values = self.plan.values(device, device.obj_what_changed())
        with self._database.write() as connection:
            statement = sa.update(DEVICE).where(*mine, DEVICE.c.deleted == 0)
            found = connection.execute(statement.values(values | {"updated_at": utcnow()})).rowcount
        if not found:
            self.create(device)
        fresh = self._find(*mine)
        if fresh is not None:
            device.id = fresh.id
            device.obj_reset_changes(recursive=False)
