"""Disks get the names that guests will give them."""

import pytest

from openkeel import objects
from openkeel.compute.devices import name_devices
from openkeel.domain.devices import device_names
from openkeel.virt.driver import DiskSpec, ImageSpec


@pytest.mark.parametrize(
    ("buses", "names"),
    [
        ([], []),
        (["virtio", "virtio"], ["/dev/vda", "/dev/vdb"]),
        (["scsi", "virtio", "sata"], ["/dev/sda", "/dev/vda", "/dev/sdb"]),
    ],
)
def test_letters_count_by_prefix(buses, names):
    assert device_names(buses) == names


def test_the_twenty_seventh_disk_has_two_letters():
    assert device_names(["virtio"] * 28)[25:] == ["/dev/vdz", "/dev/vdaa", "/dev/vdab"]


def bdm(**more):
    return objects.BlockDeviceMapping(destination_type="local", device_name=None, **more)


def test_server_and_mappings_agree():
    instance = objects.Instance()
    root = bdm(source_type="image", boot_index=0)
    swap = bdm(source_type="blank", guest_format="swap", boot_index=-1)
    ephemeral = bdm(source_type="blank", boot_index=-1)
    disks = (
        DiskSpec("root", 0, 1, image=ImageSpec("i", "raw", "bare", 1, 0)),
        DiskSpec("ephemeral", 0, 1),
        DiskSpec("swap", 0, 1),
    )
    changed = name_devices(instance, disks, [root, swap, ephemeral])
    assert (root.device_name, ephemeral.device_name, swap.device_name) == ("/dev/vda", "/dev/vdb", "/dev/vdc")
    assert instance.root_device_name == "/dev/vda"
    assert (instance.default_ephemeral_device, instance.default_swap_device) == ("/dev/vdb", "/dev/vdc")
    assert len(changed) == 3
    assert name_devices(instance, disks, [root, swap, ephemeral]) == []
