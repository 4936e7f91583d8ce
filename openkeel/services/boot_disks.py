"""The disks of a new server, from its image, its flavor and what the request says of them.

Disks live on the host (destination `local`). Volumes are another capability: a request for one is
refused in plain words.
"""

from collections.abc import Sequence
from typing import Any, Final

from openkeel import objects
from openkeel.domain.errors import Invalid, Unsupported
from openkeel.objects.enums import BlockDeviceType
from openkeel.services.boot_request import DiskRequest

SWAP: Final = "swap"
_DEVICE_TYPES: Final = frozenset(BlockDeviceType)
_ON_VOLUMES: Final = frozenset({"volume", "snapshot"})


def check(disks: Sequence[DiskRequest], image_id: str | None, flavor: Any, *, most: int = -1) -> None:
    """Refuse disks that make no sense or that this deployment cannot make.

    `most` is how many a server may have, those of its flavor among them; negative for any number.

    Raises: Invalid; Unsupported for volumes.
    """
    for disk in disks:
        if disk.is_legacy or disk.source_type in _ON_VOLUMES or disk.destination_type == "volume":
            raise Unsupported("Volumes are not available here: servers boot from an image to a local disk.")
        if disk.is_no_device:
            continue
        if disk.source_type is None:
            raise Invalid("A block device mapping needs a source_type.")
        if disk.device_type is not None and disk.device_type not in _DEVICE_TYPES:
            raise Invalid(f"A disk cannot be a device of type {disk.device_type}.")
        if disk.source_type == "image":
            _check_root(disk, image_id)
        elif disk.boot_index is not None and disk.boot_index >= 0:
            raise Invalid("Nothing boots from a blank disk.")
    roots = [disk for disk in disks if disk.source_type == "image"]
    if len(roots) > 1:
        raise Invalid("Only one disk can be made of the image.")
    _check_blanks([disk for disk in disks if disk.source_type == "blank"], flavor)
    count = sum(map(len, _chosen(disks, image_id, flavor)))
    if 0 <= most < count:
        raise Invalid(f"The server would have {count} disks on its host, {most} are allowed.")


def _check_root(disk: DiskRequest, image_id: str | None) -> None:
    if disk.boot_index != 0:
        raise Invalid("A local disk made of an image is the boot disk: its boot_index must be 0.")
    if disk.uuid is None:
        raise Invalid("A disk made of an image needs the image's uuid.")
    if disk.uuid != image_id:
        raise Invalid("The image of the boot disk must be the server's imageRef.")


def _check_blanks(disks: Sequence[DiskRequest], flavor: Any) -> None:
    swaps = [disk for disk in disks if disk.guest_format == SWAP]
    if len(swaps) > 1:
        raise Invalid("More than one swap drive was asked for.")
    if sum(disk.size or 0 for disk in swaps) > flavor.swap:
        raise Invalid("The swap drive is larger than the flavor allows.")
    if sum(disk.size or 0 for disk in disks if disk.guest_format != SWAP) > flavor.ephemeral_gb:
        raise Invalid("The ephemeral disks are larger than the flavor allows.")


def mappings(
    disks: Sequence[DiskRequest], image_id: str | None, flavor: Any, instance_uuid: str
) -> objects.BlockDeviceMappingList:
    """The disks of one server, the boot disk first: what is asked for, else what the flavor says.

    They have no uuid yet: the conductor gets one list for all servers of a boot, and makes rows of it.

    Contract: BlockDeviceMapping; sizes of swap are MiB, of others GiB.
    """
    root, ephemerals, swaps = _chosen(disks, image_id, flavor)
    made = [_mapping(instance_uuid, disk, image_id=image_id, boot_index=0) for disk in root]
    made += [_mapping(instance_uuid, disk, default_size=flavor.ephemeral_gb) for disk in ephemerals]
    made += [_mapping(instance_uuid, disk, default_size=flavor.swap) for disk in swaps]
    return objects.BlockDeviceMappingList(objects=made)


def _chosen(
    disks: Sequence[DiskRequest], image_id: str | None, flavor: Any
) -> tuple[list[DiskRequest], list[DiskRequest], list[DiskRequest]]:
    """The boot disk, ephemeral disks and swap."""
    asked = [disk for disk in disks if not disk.is_no_device]
    blanks = [disk for disk in asked if disk.source_type == "blank"]
    root = [disk for disk in asked if disk.source_type == "image"][:1]
    if image_id is None:
        root = []
    elif not root:
        root = [DiskRequest("image", boot_index=0, delete_on_termination=True)]
    ephemerals = [disk for disk in blanks if disk.guest_format != SWAP]
    if not ephemerals and flavor.ephemeral_gb:
        ephemerals = [DiskRequest("blank", size=flavor.ephemeral_gb, delete_on_termination=True)]
    swaps = [disk for disk in blanks if disk.guest_format == SWAP]
    if not swaps and flavor.swap:
        swaps = [DiskRequest("blank", size=flavor.swap, guest_format=SWAP, delete_on_termination=True)]
    return root, ephemerals, swaps


def _mapping(
    instance_uuid: str,
    disk: DiskRequest,
    *,
    image_id: str | None = None,
    boot_index: int = -1,
    default_size: int | None = None,
) -> objects.BlockDeviceMapping:
    return objects.BlockDeviceMapping(
        instance_uuid=instance_uuid,
        source_type=disk.source_type,
        destination_type="local",
        image_id=image_id,
        snapshot_id=None,
        volume_id=None,
        volume_size=disk.size or default_size,
        volume_type=None,
        no_device=False,
        delete_on_termination=True,  # a local disk ends with its server
        boot_index=boot_index,
        device_name=disk.device_name,
        device_type=disk.device_type or "disk",
        disk_bus=disk.disk_bus,
        guest_format=disk.guest_format,
        tag=disk.tag,
        attachment_id=None,
        connection_info=None,
        encrypted=False,
        encryption_secret_uuid=None,
        encryption_format=None,
        encryption_options=None,
    )
