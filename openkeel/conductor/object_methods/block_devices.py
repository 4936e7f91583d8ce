"""Remotable methods of disks and volumes."""

from typing import Any, Final

from openkeel import objects
from openkeel.common.context import Context
from openkeel.conductor.object_methods.remotable import Methods, OnClass, Stores, flat, rows_of
from openkeel.domain.errors import VolumeBDMNotFound


def _get_by_volume(
    stores: Stores,
    _ctx: Context,
    volume_id: str,
    instance_uuid: str | None = None,
    expected_attrs: Any = None,
) -> Any:
    return stores.cell.bdms.get_by_volume(
        volume_id, instance_uuid, with_instance="instance" in (expected_attrs or ())
    )


def _all_of_volume(stores: Stores, _ctx: Context, volume_id: str, use_slave: bool = False) -> Any:  # noqa: ARG001 wire
    found = stores.cell.bdms.list_by_volume(volume_id)
    if not found:  # Compat: peers tell a volume without attachments by this
        raise VolumeBDMNotFound(volume_id=volume_id)
    return found


METHODS: Final[Methods] = {
    **rows_of(lambda s: s.cell.bdms, "BlockDeviceMapping", "create", "save", "destroy", "update_or_create"),
    ("BlockDeviceMapping", "get_by_volume"): OnClass(
        lambda s, ctx, volume_id, expected_attrs=None: _get_by_volume(
            s, ctx, volume_id, expected_attrs=expected_attrs
        )
    ),
    ("BlockDeviceMapping", "get_by_volume_and_instance"): OnClass(
        lambda s, ctx, volume_id, instance_uuid, expected_attrs=None: _get_by_volume(
            s, ctx, volume_id, instance_uuid, expected_attrs
        )
    ),
    ("BlockDeviceMapping", "get_by_volume_id"): OnClass(_get_by_volume),
    ("BlockDeviceMappingList", "get_by_instance_uuid"): OnClass(
        lambda s, ctx, instance_uuid, use_slave=False: s.cell.bdms.list(instance_uuid)
    ),
    ("BlockDeviceMappingList", "get_by_instance_uuids"): OnClass(
        lambda s, ctx, instance_uuids, use_slave=False: objects.BlockDeviceMappingList(
            objects=flat(s.cell.bdms.list_by_instances(instance_uuids))
        )
    ),
    ("BlockDeviceMappingList", "get_by_volume"): OnClass(_all_of_volume),
}
