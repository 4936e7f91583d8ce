"""NICs of servers with their tags."""

from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.session import retried
from openkeel.db.stores import plans
from openkeel.db.stores.table import TableStore

VIF: Final = plans.VIRTUAL_INTERFACES.table


class VirtualInterfaceStore(TableStore[Any]):
    """Virtual interfaces of one cell."""

    plan = plans.VIRTUAL_INTERFACES

    def list(self, instance_uuid: str) -> Any:
        """All of a server in the order in which they were made."""
        return self._list(VIF.c.instance_uuid == instance_uuid, order_by=(VIF.c.created_at, VIF.c.id))

    def list_all(self) -> Any:
        """All of the cell."""
        return self._list()

    def find(self, id_: int) -> Any | None:
        return self._find(VIF.c.id == id_)

    def find_by_uuid(self, uuid: str) -> Any | None:
        return self._find(VIF.c.uuid == uuid)

    def find_by_address(self, address: str) -> Any | None:
        """By the address alone: the column may have the port behind it."""
        return self._find(
            sa.or_(VIF.c.address == address, VIF.c.address.startswith(f"{address}/", autoescape=True))
        )

    def find_by_network(self, instance_uuid: str, network_id: int) -> Any | None:
        return self._find(VIF.c.instance_uuid == instance_uuid, VIF.c.network_id == network_id)

    @retried
    def destroy_all(self, instance_uuid: str) -> None:
        """End all of a server."""
        with self._database.write() as connection:
            self._end(connection, VIF.c.instance_uuid == instance_uuid)
