"""From records to a guest: disks, NICs, image properties, names."""

import pytest

from openkeel import objects
from openkeel.compute.guest_spec import guest_spec, hypervisor_name, image_given, image_remembered
from openkeel.objects.network_info import NetworkInfo
from openkeel.virt.driver import DiskSpec

IMAGE_ID = "11111111-1111-1111-1111-111111111111"
UUID = "22222222-2222-2222-2222-222222222222"


def server(**values):
    flavor = objects.Flavor(
        vcpus=2, memory_mb=1024, root_gb=values.pop("root_gb", 10), ephemeral_gb=0, swap=0,
        extra_specs={"hw:cpu_policy": "shared"},
    )  # fmt: skip
    return objects.Instance(
        **{
            "id": 42,
            "uuid": UUID,
            "project_id": "p",
            "user_id": "u",
            "display_name": None,
            "hostname": "host",
            "image_ref": IMAGE_ID,
            "config_drive": "",
            "user_data": None,
            "key_data": None,
            "flavor": flavor,
            "metadata": {"a": "b"},
            "system_metadata": {},
            **values,
        }
    )


def image(**properties):
    return image_given(
        {"id": IMAGE_ID, "disk_format": "qcow2", "container_format": "bare", "properties": properties}
    )


def spec(instance, picture, bdms=(), nics=(), **options):
    options.setdefault("name_template", "instance-%08x")
    return guest_spec(instance, picture, NetworkInfo(nics), bdms, **options)


def bdm(**values):
    return objects.BlockDeviceMapping(**values)


ROOT = {"source_type": "image", "destination_type": "local", "boot_index": 0, "disk_bus": None}
SWAP = {"source_type": "blank", "destination_type": "local", "guest_format": "swap", "volume_size": 512}
EPHEMERAL = {
    "source_type": "blank", "destination_type": "local", "guest_format": "ext4", "volume_size": 3,
    "disk_bus": "scsi",
}  # fmt: skip
VOLUME = {"source_type": "volume", "destination_type": "volume", "boot_index": 0}


def test_disks_are_root_then_ephemeral_then_swap_each_in_its_own_unit():
    disks = spec(server(), image(hw_disk_bus="sata"), [bdm(**SWAP), bdm(**ROOT), bdm(**EPHEMERAL)]).disks
    assert [(disk.kind, disk.size_mib, disk.bus) for disk in disks] == [
        ("root", 10240, "sata"),
        ("ephemeral", 3072, "scsi"),
        ("swap", 512, "sata"),
    ]


def test_a_root_disk_of_no_size_has_the_images_own():
    [root] = spec(server(root_gb=0), image()).disks
    assert root == DiskSpec("root", 0, 0, image=image(), boot_index=0)


def test_a_server_that_boots_from_a_volume_has_no_local_root():
    assert spec(server(image_ref=""), None, [bdm(**VOLUME)]).disks == ()


def test_nics_carry_what_neutrons_binding_said():
    vif = {
        "id": "port",
        "address": "fa:16:3e:00:00:01",
        "type": "ovs",
        "vnic_type": "normal",
        "details": {"port_filter": True},
        "network": {"id": "net", "bridge": None, "meta": {"mtu": 1442}},
    }
    [nic] = spec(server(), image(hw_vif_model="e1000"), nics=[vif]).nics
    assert (nic.port_id, nic.mac_address, nic.network_id) == ("port", "fa:16:3e:00:00:01", "net")
    assert (nic.bridge, nic.mtu, nic.model, nic.details) == ("br-int", 1442, "e1000", {"port_filter": True})


def test_image_properties_choose_the_machine():
    made = spec(server(), image(hw_firmware_type="uefi", hw_machine_type="q35"))
    assert (made.firmware, made.machine_type) == ("uefi", "q35")
    assert made.flavor_extra_specs == {"hw:cpu_policy": "shared"}


@pytest.mark.parametrize(
    ("asked", "options", "properties", "wanted"),
    [
        ("", {}, {}, False),
        ("True", {}, {}, True),
        (None, {"force_config_drive": True}, {}, True),
        ("", {}, {"img_config_drive": "mandatory"}, True),
        ("", {}, {"img_config_drive": "optional"}, False),
    ],
)
def test_a_config_drive_is_asked_for_or_ordered(asked, options, properties, wanted):
    assert spec(server(config_drive=asked), image(**properties), **options).config_drive is wanted


@pytest.mark.parametrize(
    ("template", "name"),
    [
        ("instance-%08x", "instance-0000002a"),
        ("%(uuid)s", UUID),
        ("%(hostname)s-%(id)d", "host-42"),
        ("%(nonsense)s", UUID),
    ],
)
def test_the_operator_chooses_the_hypervisors_name(template, name):
    assert hypervisor_name(server(), template) == name


def test_the_remembered_image_equals_the_given_one_but_for_its_size():
    kept = {
        "image_disk_format": "qcow2",
        "image_container_format": "bare",
        "image_min_disk": "1",
        "image_min_ram": "0",
        "image_base_image_ref": IMAGE_ID,
        "image_hw_disk_bus": "scsi",
        "image_empty": None,
        "boot_roles": "member",
    }
    found = image_remembered(server(system_metadata=kept))
    assert (found.id, found.disk_format, found.min_disk_gib, found.size_bytes) == (IMAGE_ID, "qcow2", 1, None)
    assert found.properties == {"hw_disk_bus": "scsi"}


def test_a_server_without_image_remembers_none():
    assert image_remembered(server(image_ref="")) is None
    assert image_given({}) is None


def test_files_and_password_are_handed_on():
    made = spec(server(), image(), admin_password="pw", injected_files=[["/etc/motd", "aGk="]])
    assert (made.admin_password, made.injected_files) == ("pw", (("/etc/motd", "aGk="),))
