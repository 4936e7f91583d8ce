"""One thing that hangs on a server, without the server."""

from typing import Any

import sqlalchemy as sa

from openkeel.db.models.base import utcnow
from openkeel.db.session import retried
from openkeel.db.stores.instances import parts
from openkeel.db.stores.instances.cell import ServersOfCell
from openkeel.db.stores.plan import dump_object
from openkeel.domain.errors import InstanceNotFound


class InstanceExtras(ServersOfCell):
    """Parts by themselves."""

    def part(self, instance_uuid: str, field: str) -> Any:
        """One thing that hangs on a server (`numa_topology`, `pci_requests`...) without the server.

        Raises: InstanceNotFound.
        """
        extra = parts.EXTRA
        statement = sa.select(extra.c[parts.COLUMNS[field]]).where(
            extra.c.instance_uuid == instance_uuid, extra.c.deleted == 0
        )
        with self._database.read() as connection:
            row = connection.execute(statement).first()
        if row is None:
            raise InstanceNotFound(instance_id=instance_uuid)
        return parts.load_part(field, row[0], instance_uuid)

    @retried
    def save_part(self, instance_uuid: str, field: str, part: Any) -> None:
        """Write one thing that hangs on a server. Raises: InstanceNotFound."""
        extra = parts.EXTRA
        values = {parts.COLUMNS[field]: dump_object(part), "updated_at": utcnow()}
        mine = sa.update(extra).where(extra.c.instance_uuid == instance_uuid, extra.c.deleted == 0)
        with self._database.write() as connection:
            if connection.execute(mine.values(values)).rowcount == 0:
                raise InstanceNotFound(instance_id=instance_uuid)
