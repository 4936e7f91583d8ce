"""What other tables hold of servers: one statement a kind, however many servers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from openkeel import objects
from openkeel.db.models import main as rows
from openkeel.db.models.base import table_of
from openkeel.db.stores import plans
from openkeel.db.stores.dictionaries import Dictionaries
from openkeel.db.stores.plan import Plan, rows_of, values_of

METADATA: Final = Dictionaries(table_of(rows.InstanceMetadata), "instance_uuid")
# Compat: Nova reads dead rows of this table too, so a key that left one would come back.
SYSTEM_METADATA: Final = Dictionaries(table_of(rows.InstanceSystemMetadata), "instance_uuid", forgets=True)
DICTIONARIES: Final[Mapping[str, Dictionaries]] = {
    "metadata": METADATA,
    "system_metadata": SYSTEM_METADATA,
}


def load_rows(connection: sa.Connection, instances: Sequence[Any], expected_attrs: Sequence[str]) -> None:
    """Set the asked fields that other tables hold."""
    uuids = [instance.uuid for instance in instances]
    died = {
        instance.uuid: instance.deleted_at.replace(tzinfo=None)
        for instance in instances
        if instance.deleted and instance.deleted_at
    }
    for field, dictionaries in DICTIONARIES.items():
        if field in expected_attrs:
            values = dictionaries.read(connection, uuids, died=died)
            for instance in instances:
                setattr(instance, field, values[instance.uuid])
    for field, load in _ROWS.items():
        if field in expected_attrs:
            load(connection, instances, uuids)


def _load_tags(connection: sa.Connection, instances: Sequence[Any], uuids: Sequence[str]) -> None:
    table = plans.TAGS.table
    statement = sa.select(*plans.TAGS.columns).where(table.c.resource_id.in_(uuids)).order_by(table.c.tag)
    found = _grouped(plans.TAGS, connection.execute(statement), "resource_id")
    for instance in instances:
        instance.tags = plans.TAGS.wrap(found.get(instance.uuid, []))


def _load_faults(connection: sa.Connection, instances: Sequence[Any], uuids: Sequence[str]) -> None:
    table = plans.FAULTS.table
    newest = (
        sa.select(sa.func.max(table.c.id))
        .where(table.c.instance_uuid.in_(uuids), table.c.deleted == 0)
        .group_by(table.c.instance_uuid)
    )
    statement = sa.select(*plans.FAULTS.columns).where(table.c.id.in_(newest))
    found = _grouped(plans.FAULTS, connection.execute(statement), "instance_uuid")
    for instance in instances:
        instance.fault = next(iter(found.get(instance.uuid, ())), None)


def _load_pci_devices(connection: sa.Connection, instances: Sequence[Any], uuids: Sequence[str]) -> None:
    table = plans.PCI_DEVICES.table
    statement = sa.select(*plans.PCI_DEVICES.columns).where(
        table.c.instance_uuid.in_(uuids), table.c.deleted == 0
    )
    found = _grouped(plans.PCI_DEVICES, connection.execute(statement), "instance_uuid")
    for instance in instances:
        instance.pci_devices = plans.PCI_DEVICES.wrap(found.get(instance.uuid, []))


def _load_security_groups(connection: sa.Connection, instances: Sequence[Any], uuids: Sequence[str]) -> None:
    table, link = plans.SECURITY_GROUPS.table, table_of(rows.SecurityGroupInstanceAssociation)
    statement = (
        sa.select(*plans.SECURITY_GROUPS.columns, link.c.instance_uuid)
        .join(link, link.c.security_group_id == table.c.id)
        .where(link.c.instance_uuid.in_(uuids), link.c.deleted == 0, table.c.deleted == 0)
    )
    found = _grouped(plans.SECURITY_GROUPS, connection.execute(statement), "instance_uuid")
    for instance in instances:
        instance.security_groups = plans.SECURITY_GROUPS.wrap(found.get(instance.uuid, []))


def _load_services(connection: sa.Connection, instances: Sequence[Any], _uuids: Sequence[str]) -> None:
    table = plans.SERVICES.table
    hosts = sorted({instance.host for instance in instances if instance.host})
    statement = sa.select(*plans.SERVICES.columns).where(
        table.c.host.in_(hosts), table.c.binary == "nova-compute", table.c.deleted == 0
    )
    found = _grouped(plans.SERVICES, connection.execute(statement), "host")
    for instance in instances:
        instance.services = plans.SERVICES.wrap(list(found.get(instance.host, ())))


def _load_ec2_ids(connection: sa.Connection, instances: Sequence[Any], uuids: Sequence[str]) -> None:
    servers, images = plans.EC2_INSTANCES.table, plans.EC2_IMAGES.table
    ids = dict(rows_of(connection, sa.select(servers.c.uuid, servers.c.id).where(servers.c.uuid.in_(uuids))))
    refs = {ref for one in instances for ref in (one.image_ref, one.kernel_id, one.ramdisk_id) if ref}
    known = sa.select(images.c.uuid, images.c.id).where(images.c.uuid.in_(sorted(refs)))
    image_ids = dict(rows_of(connection, known))

    def name(prefix: str, number: int | None) -> str | None:
        return None if number is None else f"{prefix}-{number:08x}"

    for instance in instances:
        instance.ec2_ids = objects.EC2Ids(
            instance_id=name("i", ids.get(instance.uuid, instance.id)),
            ami_id=name("ami", image_ids.get(instance.image_ref)),
            kernel_id=name("aki", image_ids.get(instance.kernel_id)),
            ramdisk_id=name("ari", image_ids.get(instance.ramdisk_id)),
        )
        instance.ec2_ids.obj_reset_changes()


_Load = Callable[[sa.Connection, Sequence[Any], Sequence[str]], None]
_ROWS: Final[Mapping[str, _Load]] = {
    "ec2_ids": _load_ec2_ids,
    "fault": _load_faults,
    "pci_devices": _load_pci_devices,
    "security_groups": _load_security_groups,
    "services": _load_services,
    "tags": _load_tags,
}


def _grouped(plan: Plan[Any], found: Iterable[Any], owner: str) -> dict[Any, list[Any]]:
    grouped: dict[Any, list[Any]] = {}
    for row in found:
        values = values_of(row)
        grouped.setdefault(values[owner], []).append(plan.to_object(values))
    return grouped
