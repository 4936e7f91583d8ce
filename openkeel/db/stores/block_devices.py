"""Disks and volumes of servers."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa

from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of
from openkeel.db.stores import plans
from openkeel.db.stores.table import TableStore
from openkeel.domain.errors import VolumeBDMNotFound


class BlockDeviceStore(TableStore[Any]):
    """Block device mappings of one cell."""

    plan = plans.BLOCK_DEVICES

    def list(self, instance_uuid: str) -> Any:
        """All of a server."""
        return self._list(self.plan.table.c.instance_uuid == instance_uuid)

    def list_by_instances(self, instance_uuids: Collection[str]) -> dict[str, Any]:
        """All of each server, by its uuid."""
        grouped: defaultdict[str, list[Any]] = defaultdict(list)
        if instance_uuids:
            for bdm in self._list(self.plan.table.c.instance_uuid.in_(list(instance_uuids))):
                grouped[bdm.instance_uuid].append(bdm)
        return {uuid: self.plan.wrap(grouped[uuid]) for uuid in instance_uuids}

    def list_by_volume(self, volume_id: str) -> Any:
        """All attachments of a volume in this cell."""
        return self._list(self.plan.table.c.volume_id == volume_id)

    def get_by_volume(
        self, volume_id: str, instance_uuid: str | None = None, *, with_instance: bool = False
    ) -> Any:
        """The attachment of a volume; with several, the server must be named. Raises: NotFound."""
        table = self.plan.table
        where = [table.c.volume_id == volume_id]
        if instance_uuid is not None:
            where.append(table.c.instance_uuid == instance_uuid)
        found: Sequence[Any] = self._list(*where, order_by=(table.c.id.desc(),), limit=1)
        if not found:
            raise VolumeBDMNotFound(volume_id=volume_id)
        if with_instance:
            self._add_instance(found[0])
        return found[0]

    def _add_instance(self, bdm: Any) -> None:
        table = table_of(rows.Instance)
        with self._database.read() as connection:
            row = (
                connection.execute(
                    sa.select(*plans.INSTANCES.columns).where(table.c.uuid == bdm.instance_uuid)
                )
                .mappings()
                .first()
            )
        bdm.instance = None if row is None else plans.INSTANCES.to_object(dict(row))
        bdm.obj_reset_changes(["instance"])

    def update_or_create(self, bdm: Any) -> None:
        """Save it; insert it when it has no row yet and its device name is free on the server.

        A device of the same server under the same name, and a second swap disk, is the same device.
        """
        table = self.plan.table
        if bdm.obj_attr_is_set("id"):
            self.save(bdm)
            return
        if bdm.obj_attr_is_set("device_name") and bdm.device_name:
            same = self._find(
                table.c.instance_uuid == bdm.instance_uuid, table.c.device_name == bdm.device_name
            )
            if same is not None:
                bdm.id = same.id
                self.save(bdm)
                return
        self.create(bdm)
        if bdm.source_type == "blank" and bdm.guest_format == "swap":
            self._drop_other_swap(bdm)

    def _drop_other_swap(self, bdm: Any) -> None:
        table = self.plan.table
        with self._database.write() as connection:
            self._end(
                connection,
                table.c.instance_uuid == bdm.instance_uuid,
                table.c.source_type == "blank",
                table.c.guest_format == "swap",
                table.c.id != bdm.id,
            )
