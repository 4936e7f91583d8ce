"""Hypervisor nodes."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.session import retried
from openkeel.db.stores import plans
from openkeel.db.stores.table import TableStore
from openkeel.domain.errors import ComputeHostNotFound

NODE: Final = plans.COMPUTE_NODES.table


class ComputeNodeStore(TableStore[Any]):
    """Nodes of one cell."""

    plan = plans.COMPUTE_NODES
    not_found = ComputeHostNotFound

    def _insert(self, connection: sa.Connection, item: Any, now: datetime) -> dict[str, Any]:
        """A node that was deleted comes back under its uuid, unique among the dead too, and unmapped.

        So a host whose service was deleted can be started again. Contract: ComputeNode.create.
        """
        dead = None
        if item.obj_attr_is_set("uuid"):
            dead = connection.scalar(
                sa.select(NODE.c.id).where(NODE.c.uuid == item.uuid, NODE.c.deleted != 0)
            )
        if dead is None:
            return super()._insert(connection, item, now)
        row = {"mapped": 0, **self.plan.new_row(item, now), "deleted": 0, "deleted_at": None}
        connection.execute(sa.update(NODE).where(NODE.c.id == dead).values(row))
        return {**row, "id": dead}

    def find(self, host: str, nodename: str) -> Any | None:
        """The node of a host by its name."""
        return self._find(NODE.c.host == host, NODE.c.hypervisor_hostname == nodename)

    def get(self, id_: int) -> Any:
        """Raises: NotFound."""
        return self._get(NODE.c.id == id_, host=id_)

    def get_by_uuid(self, uuid: str) -> Any:
        """Raises: NotFound."""
        return self._get(NODE.c.uuid == uuid, host=uuid)

    def get_by_nodename(self, nodename: str) -> Any:
        """Raises: NotFound."""
        return self._get(NODE.c.hypervisor_hostname == nodename, host=nodename)

    def get_first_by_host(self, host: str) -> Any:
        """The first node of a host. Raises: NotFound."""
        found = self._list(NODE.c.host == host, order_by=(NODE.c.id,), limit=1)
        if not found:
            raise ComputeHostNotFound(host=host)
        return found[0]

    def list_all(self) -> Any:
        """All nodes of the cell."""
        return self._list(order_by=(NODE.c.id,))

    def list(self, *, limit: int | None = None, marker: int | None = None) -> Any:
        """A page of nodes by id; `marker` is an id. Raises: NotFound (marker)."""
        where = []
        if marker is not None:
            self.get(marker)
            where.append(NODE.c.id > marker)
        return self._list(*where, order_by=(NODE.c.id,), limit=limit)

    def list_by_host(self, host: str) -> Any:
        """All nodes of a host."""
        return self._list(NODE.c.host == host, order_by=(NODE.c.id,))

    def list_by_service(self, service_id: int) -> Any:
        """Nodes that still name their service by id."""
        return self._list(NODE.c.service_id == service_id)

    def list_by_uuids(self, uuids: Collection[str]) -> Any:
        """Nodes by uuid."""
        return self._list(NODE.c.uuid.in_(list(uuids)))

    def list_by_name_part(self, part: str) -> Any:
        """Nodes with the part in their name."""
        return self._list(NODE.c.hypervisor_hostname.contains(part, autoescape=True))

    def list_by_not_mapped(self, mapped_less_than: int) -> Any:
        """Nodes that host discovery has not seen yet."""
        return self._list(sa.func.coalesce(NODE.c.mapped, 0) < mapped_less_than)

    @retried
    def mark_mapped(self, ids: Collection[int], mapped: int = 1) -> None:
        """Remember that host discovery has seen these nodes."""
        with self._database.write() as connection:
            connection.execute(sa.update(NODE).where(NODE.c.id.in_(list(ids))).values(mapped=mapped))

    def _facts(self, item: Any) -> dict[str, Any]:
        return {"host": item.host if item.obj_attr_is_set("host") else None}
