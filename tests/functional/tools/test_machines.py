"""Machine types, image properties and volumes of servers, from the command line.

The codes are what nova-manage 34.0.0 answered to the same words on the same rows.
"""

import json
from datetime import datetime

import pytest

from openkeel import objects
from openkeel.db.cells import ApiStores
from openkeel.db.session import Database, DatabaseSettings
from tests.fixtures.db import new_instance

VOLUME = "51111111-1111-1111-1111-111111111111"


@pytest.fixture
def server(deployment, cell, tmp_path):
    """Makes servers of the cell, mapped to it."""
    api = ApiStores(Database(DatabaseSettings(f"sqlite:///{tmp_path}/api.sqlite")))
    mapping = api.cell_mappings.get(deployment)

    def server(vm_state="stopped", **system_metadata):
        instance = new_instance(vm_state=vm_state, system_metadata=system_metadata)
        cell.instances.create(instance)
        api.instance_mappings.create(
            objects.InstanceMapping(
                instance_uuid=instance.uuid,
                project_id="project",
                user_id="user",
                cell_mapping=mapping,
                queued_for_delete=False,
            )
        )
        api.request_specs.create(
            objects.RequestSpec(
                instance_uuid=instance.uuid,
                image=objects.ImageMeta(properties=objects.ImageMetaProps(hw_disk_bus="virtio")),
            )
        )
        return instance.uuid

    server.api = api
    yield server
    api.database.dispose()


def test_a_server_says_what_machine_it_is(manage, server):
    assert manage("libvirt", "get_machine_type", server(image_hw_machine_type="pc")) == (0, "pc\n")
    assert manage("libvirt", "get_machine_type", server())[0] == 3
    assert manage("libvirt", "get_machine_type", "unknown")[0] == 2


@pytest.mark.parametrize(
    ("before", "wanted", "code"),
    [
        ("pc-q35-6.2", "pc-q35-7.2", 0),
        ("pc-q35-7.2", "pc-q35-6.0", 4),
        ("pc-q35-7.2", "pc", 4),
        ("pc-q35-7.2", "q35", 4),
        ("pc-q35-7.2", "nonsense", 5),
        ("pc", "pc-i440fx-7.2", 4),
        (None, "nonsense", 5),
        (None, "virt", 0),
        (None, "s390-ccw-virtio", 0),
    ],
)
def test_a_machine_is_only_exchanged_for_what_can_replace_it(manage, server, before, wanted, code):
    uuid = server(**({"image_hw_machine_type": before} if before else {}))
    assert manage("libvirt", "update_machine_type", uuid, wanted)[0] == code
    now = wanted if code == 0 else before
    assert manage("libvirt", "get_machine_type", uuid) == ((0, f"{now}\n") if now else (3, ""))
    assert manage("libvirt", "update_machine_type", uuid, wanted, "--force")[0] == 0
    assert manage("libvirt", "get_machine_type", uuid) == (0, f"{wanted}\n")


@pytest.mark.parametrize(
    ("vm_state", "code"), [("active", 3), ("stopped", 0), ("shelved", 0), ("shelved_offloaded", 0)]
)
def test_a_machine_is_exchanged_at_rest(manage, server, vm_state, code):
    uuid = server(vm_state)
    assert manage("libvirt", "update_machine_type", uuid, "q35")[0] == code
    assert manage("image_property", "set", uuid, "--property", "hw_cdrom_bus=sata")[0] == code


def test_servers_without_a_machine_type_are_listed_a_line_each(manage, server, deployment):
    assert manage("libvirt", "list_unset_machine_type")[0] == 0
    first, second = server(), server()
    server(image_hw_machine_type="q35")
    assert manage("libvirt", "list_unset_machine_type") == (3, f"{first}\n{second}\n")
    assert manage("libvirt", "list_unset_machine_type", "--cell-uuid", deployment)[0] == 3
    assert manage("libvirt", "list_unset_machine_type", "--cell-uuid", "unknown")[0] == 2


def test_image_properties_are_shown_and_set(manage, server):
    uuid = server(image_hw_disk_bus="virtio")
    assert manage("image_property", "show", uuid, "hw_disk_bus") == (0, "virtio\n")
    assert manage("image_property", "show", uuid, "hw_cdrom_bus")[0] == 3
    assert manage("image_property", "show", "unknown", "hw_disk_bus")[0] == 2
    words = ("--property", "hw_cdrom_bus=sata", "--property", "hw_disk_bus=scsi")
    assert manage("image_property", "set", uuid, *words)[0] == 0
    assert manage("image_property", "show", uuid, "hw_cdrom_bus") == (0, "sata\n")
    assert manage("image_property", "show", uuid, "hw_disk_bus") == (0, "scsi\n")
    properties = server.api.request_specs.get(uuid).image.properties
    assert (properties.hw_cdrom_bus, properties.hw_disk_bus) == ("sata", "scsi")


@pytest.mark.parametrize(
    ("word", "code"),
    [("hw_cdrom_bus", 4), ("hw_nonsense=1", 5), ("hw_disk_bus=nonsense", 6)],
)
def test_image_properties_that_mean_nothing_are_refused(manage, server, word, code):
    uuid = server(image_hw_disk_bus="virtio")
    assert manage("image_property", "set", uuid, "--property", word)[0] == code
    assert manage("image_property", "show", uuid, "hw_disk_bus") == (0, "virtio\n")


def test_a_volume_is_shown_as_its_server_knows_it(manage, server, cell):
    uuid = server()
    assert manage("volume_attachment", "show", uuid, VOLUME)[0] == 3
    assert manage("volume_attachment", "show", "unknown", VOLUME)[0] == 2
    cell.bdms.create(
        objects.BlockDeviceMapping(
            instance_uuid=uuid,
            uuid="41111111-1111-1111-1111-111111111111",
            source_type="volume",
            destination_type="volume",
            volume_id=VOLUME,
            device_name="/dev/vda",
            connection_info='{"driver_volume_type": "rbd", "data": {"name": "x"}}',
        )
    )
    code, out = manage("volume_attachment", "show", uuid, VOLUME)
    assert code == 0
    assert "| device_name            | /dev/vda " in out
    assert "rbd" in out
    code, out = manage("volume_attachment", "show", uuid, VOLUME, "--json")
    shown = json.loads(out)
    assert shown["device_name"] == "/dev/vda"
    assert json.loads(shown["connection_info"])["driver_volume_type"] == "rbd"
    assert datetime.fromisoformat(shown["created_at"]).tzinfo is None
    assert "instance" not in shown
    code, out = manage("volume_attachment", "show", uuid, VOLUME, "--connection_info")
    assert "| driver_volume_type | rbd " in out
    code, out = manage("volume_attachment", "show", uuid, VOLUME, "--connection_info", "--json")
    assert json.loads(out) == {"driver_volume_type": "rbd", "data": {"name": "x"}}
