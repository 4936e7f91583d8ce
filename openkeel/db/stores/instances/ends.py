"""The end of servers."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from openkeel import objects
from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of, utcnow
from openkeel.db.session import retried
from openkeel.db.stores import plans
from openkeel.db.stores.instances.cell import INSTANCE, ServersOfCell
from openkeel.db.stores.instances.swap import states_of
from openkeel.db.stores.plan import aware
from openkeel.db.stores.table import Where, end_rows
from openkeel.domain.errors import Conflict, InstanceNotFound

# Rows that end with their server. Actions stay: they tell what happened to it.
_ENDS_WITH_SERVER: Final[Sequence[tuple[sa.Table, str]]] = (
    (table_of(rows.InstanceInfoCache), "instance_uuid"),
    (table_of(rows.InstanceMetadata), "instance_uuid"),
    (table_of(rows.InstanceSystemMetadata), "instance_uuid"),
    (table_of(rows.InstanceFault), "instance_uuid"),
    (table_of(rows.InstanceExtra), "instance_uuid"),
    (table_of(rows.InstanceIdMapping), "uuid"),
    (table_of(rows.BlockDeviceMapping), "instance_uuid"),
    (table_of(rows.Migration), "instance_uuid"),
    (table_of(rows.SecurityGroupInstanceAssociation), "instance_uuid"),
    (table_of(rows.ConsoleAuthToken), "instance_uuid"),
    (table_of(rows.Tag), "resource_id"),
)


class InstanceEnds(ServersOfCell):
    """Ends."""

    @retried
    def destroy(self, instance: Any, *, last: Mapping[str, Any] | None = None) -> None:
        """Soft-delete the row and what hangs on it.

        `last` are fields to write in the same step: nobody finds the row ended without them.

        Raises: InstanceNotFound; Conflict when it was without a host and has got one meanwhile.
        """
        now = utcnow()
        written = plans.INSTANCES.values(objects.Instance(**last), last) if last else {}
        where: list[Where] = [INSTANCE.c.uuid == instance.uuid, INSTANCE.c.deleted == 0]
        homeless = instance.obj_attr_is_set("host") and instance.host is None
        if homeless:
            where.append(INSTANCE.c.host.is_(None))
        statement = (
            sa.update(INSTANCE)
            .where(*where)
            .values(
                {"updated_at": INSTANCE.c.updated_at, **written, "deleted": INSTANCE.c.id, "deleted_at": now}
            )
        )
        with self._database.write() as connection:
            before = self._before(connection, instance.uuid) if last else {}
            if connection.execute(statement).rowcount == 0:
                present = states_of(connection, instance.uuid)
                if present is None or present["deleted"]:
                    raise InstanceNotFound(instance_id=instance.uuid)
                raise Conflict(
                    f"Instance {instance.uuid} got a host while it was being deleted.",
                    action="destroy",
                    reason="host changed",
                    instance_uuid=instance.uuid,
                )
            for table, owner in _ENDS_WITH_SERVER:
                end_rows(connection, table, table.c[owner] == instance.uuid, now=now)
        ended = {"deleted": True, "deleted_at": aware(now), **(last or {})}
        for field, value in ended.items():
            setattr(instance, field, value)
        instance.obj_reset_changes(ended)
        self._saved(instance, before)

    @retried
    def purge(self, instance_uuid: str) -> None:
        """Remove the row and all that hangs on it for good, as if it had never been here.

        Raises: InstanceNotFound.
        """
        action = table_of(rows.InstanceAction)
        event = table_of(rows.InstanceActionEvent)
        mine = action.c.instance_uuid == instance_uuid
        with self._database.write() as connection:
            connection.execute(
                sa.delete(event).where(event.c.action_id.in_(sa.select(action.c.id).where(mine)))
            )
            connection.execute(sa.delete(action).where(mine))
            for table, owner in (*_ENDS_WITH_SERVER, (table_of(rows.VirtualInterface), "instance_uuid")):
                connection.execute(sa.delete(table).where(table.c[owner] == instance_uuid))
            if connection.execute(sa.delete(INSTANCE).where(INSTANCE.c.uuid == instance_uuid)).rowcount == 0:
                raise InstanceNotFound(instance_id=instance_uuid)
