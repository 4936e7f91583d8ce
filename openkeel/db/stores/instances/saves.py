"""Making servers and changing them."""

import uuid
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from oslo_db.exception import DBDuplicateEntry

from openkeel import objects
from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of, utcnow
from openkeel.db.session import retried
from openkeel.db.stores import plans
from openkeel.db.stores.instances import parts
from openkeel.db.stores.instances.cell import CACHE, INSTANCE, ServersOfCell
from openkeel.db.stores.instances.rows import DICTIONARIES, METADATA
from openkeel.db.stores.instances.swap import is_one_of, why_not
from openkeel.db.stores.plan import aware
from openkeel.db.stores.table import Where
from openkeel.domain.errors import AlreadyExists, InstanceNotFound
from openkeel.domain.lifecycle import Rule, Step
from openkeel.objects.base import NovaObject
from openkeel.objects.moves import move_by
from openkeel.objects.stores import ANY


class InstanceSaves(ServersOfCell):
    """Writes."""

    @retried
    def create(self, instance: Any) -> None:
        """Insert it with its extra, metadata, system metadata and info cache.

        Raises: AlreadyExists.
        """
        now = utcnow()
        if not instance.obj_attr_is_set("uuid"):
            instance.uuid = str(uuid.uuid4())
        row = plans.INSTANCES.new_row(instance, now)
        set_fields = [name for name in instance.fields if instance.obj_attr_is_set(name)]
        fresh = {"created_at": now, "deleted": 0}
        cache = instance.info_cache if "info_cache" in set_fields else None
        cached = plans.INFO_CACHES.values(cache, ["network_info"]) if cache else {"network_info": "[]"}
        try:
            with self._database.write() as connection:
                key = connection.execute(sa.insert(INSTANCE).values(row)).inserted_primary_key
                extra = dict.fromkeys(set(parts.COLUMNS.values()))
                extra |= parts.dump_parts(instance, set_fields)
                connection.execute(
                    sa.insert(parts.EXTRA).values(instance_uuid=instance.uuid, **fresh, **extra)
                )
                connection.execute(sa.insert(CACHE).values(instance_uuid=instance.uuid, **fresh, **cached))
                connection.execute(
                    sa.insert(table_of(rows.InstanceIdMapping)).values(uuid=instance.uuid, **fresh)
                )
                for field, dictionaries in DICTIONARIES.items():
                    if field in set_fields:
                        dictionaries.insert(connection, instance.uuid, getattr(instance, field), now)
        except DBDuplicateEntry as error:
            raise AlreadyExists(f"Instance {instance.uuid} already exists.") from error
        plans.INSTANCES.fill(instance, {"deleted_at": None, **row, "id": key[0] if key else None})
        if cache is None:
            instance.info_cache = objects.InstanceInfoCache(instance_uuid=instance.uuid, network_info=[])
        instance.obj_reset_changes(recursive=True)

    @retried
    def save(
        self,
        instance: Any,
        *,
        expected_vm_state: Any = ANY,
        expected_task_state: Any = ANY,
    ) -> None:
        """Write the changes if the row still stands in an expected state (a value or a tuple).

        Raises: InstanceNotFound; InstanceDeleting when it is being deleted and that was not
        expected; StateConflict.
        """
        changed = instance.obj_what_changed()
        expected = {"vm_state": expected_vm_state, "task_state": expected_task_state}
        if not changed and all(value is ANY for value in expected.values()):
            return
        now = utcnow()
        values = plans.INSTANCES.values(instance, changed)
        where: list[Where] = [INSTANCE.c.uuid == instance.uuid]
        if not _is_dead(instance):
            where.append(INSTANCE.c.deleted == 0)
        where += [
            is_one_of(INSTANCE.c[column], accepted)
            for column, accepted in expected.items()
            if accepted is not ANY
        ]
        statement = sa.update(INSTANCE).where(*where).values(updated_at=now, **values)
        with self._database.write() as connection:
            before = self._before(connection, instance.uuid)
            if connection.execute(statement).rowcount == 0:
                raise why_not(connection, instance.uuid, expected)
            self._save_parts(connection, instance, changed, now)
            self._save_rows(connection, instance, changed, now)
        instance.updated_at = aware(now)
        _reset_saved(instance, changed)
        self._saved(instance, before)

    def _save_parts(
        self, connection: sa.Connection, instance: Any, changed: Collection[str], now: datetime
    ) -> None:
        fields = {field for field in changed if field in parts.COLUMNS}
        if not fields:
            return
        extra = parts.EXTRA
        mine = extra.c.instance_uuid == instance.uuid
        stored: str | None = None
        if "flavor" in parts.columns_of(fields):
            stored = connection.scalar(sa.select(extra.c.flavor).where(mine))
        values = parts.dump_parts(instance, fields, stored_flavors=stored)
        connection.execute(sa.update(extra).where(mine).values(updated_at=now, **values))

    def _save_rows(
        self, connection: sa.Connection, instance: Any, changed: Collection[str], now: datetime
    ) -> None:
        for field, dictionaries in DICTIONARIES.items():
            if field in changed:
                values = getattr(instance, field)
                dictionaries.merge(connection, instance.uuid, values, now, of_dead=_is_dead(instance))
        if "info_cache" in changed and instance.info_cache is not None:
            cached = plans.INFO_CACHES.values(instance.info_cache, ["network_info"])
            connection.execute(
                sa.update(CACHE)
                .where(CACHE.c.instance_uuid == instance.uuid)
                .values(updated_at=now, **cached)
            )
        if "pci_devices" in changed and instance.pci_devices is not None:
            table = plans.PCI_DEVICES.table
            for device in instance.pci_devices:
                values = plans.PCI_DEVICES.values(device, device.obj_what_changed())
                if values:
                    connection.execute(
                        sa.update(table).where(table.c.id == device.id).values(updated_at=now, **values)
                    )

    def move(self, instance: Any, rule: Rule, step: Step) -> None:
        """Move it along a lifecycle rule: one compare-and-swap. Raises as `save`."""
        move_by(self.save, instance, rule, step)

    @retried
    def write_metadata(
        self,
        instance: Any,
        values: Mapping[str, str],
        *,
        remove: Iterable[str] | None = (),
        admit: Callable[[int], None] = lambda _items: None,
    ) -> None:
        """Set items of the owner's metadata and end those to `remove`; None ends all that are not set.

        What others write at the same time stays, since nothing else is touched; the object has all of
        it afterwards. Raises: InstanceNotFound; what `admit` raises, given how many items there would be.
        """
        now = utcnow()
        with self._database.write() as connection:
            # First of all, so that writers wait for each other here.
            mine = sa.update(INSTANCE).where(INSTANCE.c.uuid == instance.uuid, INSTANCE.c.deleted == 0)
            if connection.execute(mine.values(updated_at=now)).rowcount == 0:
                raise InstanceNotFound(instance_id=instance.uuid)
            before = self._before(connection, instance.uuid)
            METADATA.merge(connection, instance.uuid, values, now, remove=remove)
            left = METADATA.read(connection, [instance.uuid])[instance.uuid]
            admit(len(left))
        instance.metadata = left
        instance.obj_reset_changes(["metadata"])
        self._saved(instance, before)

    def delete_metadata_key(self, instance: Any, key: str) -> None:
        """Remove one key of the owner's metadata. Raises: InstanceNotFound."""
        self.write_metadata(instance, {}, remove=[key])


def _reset_saved(instance: Any, changed: Collection[str]) -> None:
    for field in changed:
        part = getattr(instance, field)
        if isinstance(part, NovaObject):
            part.obj_reset_changes(recursive=True)
    instance.obj_reset_changes(recursive=False)


def _is_dead(instance: Any) -> bool:
    return bool(instance.obj_attr_is_set("deleted") and instance.deleted)
