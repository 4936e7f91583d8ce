"""Writes down which disk is which device: on the server and on its block device mappings."""

from collections.abc import Sequence

from openkeel import objects
from openkeel.compute.records import loaded
from openkeel.domain.devices import device_names
from openkeel.virt.driver import DiskSpec

_KINDS = ("root", "ephemeral", "swap")


def name_devices(
    instance: objects.Instance,
    disks: Sequence[DiskSpec],
    bdms: Sequence[objects.BlockDeviceMapping],
) -> list[objects.BlockDeviceMapping]:
    """Set the names on the objects; returns the mappings that changed. Nothing is saved here."""
    names: dict[str, list[str]] = {kind: [] for kind in _KINDS}
    for disk, name in zip(disks, device_names(disk.bus for disk in disks), strict=True):
        names[disk.kind].append(name)
    for field, kind in (
        ("root_device_name", "root"),
        ("default_ephemeral_device", "ephemeral"),
        ("default_swap_device", "swap"),
    ):
        first = names[kind][0] if names[kind] else None
        if first and loaded(instance, field) != first:
            setattr(instance, field, first)
    changed = []
    for kind in _KINDS:
        for bdm, name in zip([bdm for bdm in bdms if _kind(bdm) == kind], names[kind], strict=False):
            if loaded(bdm, "device_name") != name:
                bdm.device_name = name
                changed.append(bdm)
    return changed


def _kind(bdm: objects.BlockDeviceMapping) -> str | None:
    if loaded(bdm, "destination_type") != "local":
        return None
    if loaded(bdm, "boot_index") == 0:
        return "root"
    if loaded(bdm, "source_type") != "blank":
        return None
    return "swap" if loaded(bdm, "guest_format") == "swap" else "ephemeral"
