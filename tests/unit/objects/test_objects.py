"""Objects carry data under Nova's names and versions, and nothing else."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from oslo_versionedobjects import base as ovo
from oslo_versionedobjects import fields as ovo_fields

from openkeel import objects
from openkeel.objects import enums
from openkeel.objects.base import CannotBackport, NotLoaded, NovaObject, version_manifest

SHARED = Path(os.environ.get("OPENKEEL_SHARED", Path(__file__).parents[4] / "shared"))
UUID = "11111111-2222-3333-4444-555555555555"


@pytest.fixture
def contract():
    path = SHARED / "contracts" / "objects.json"
    if not path.exists():
        pytest.skip("the contract facts are not beside the repository")
    return json.loads(path.read_text())


def ours():
    return {
        name: classes[0]
        for name, classes in ovo.VersionedObjectRegistry.obj_classes().items()
        if issubclass(classes[0], NovaObject) and classes[0].__module__.startswith("openkeel.objects.")
    }


def test_every_object_of_the_contract_is_there_in_its_version(contract):
    assert {name: cls.VERSION for name, cls in ours().items()} == {
        row["object"]: row["version"] for row in contract["objects"]
    }
    for name in ours():
        assert getattr(objects, name) is ours()[name]


def test_an_object_holds_the_same_objects_as_novas(contract):
    for row in contract["objects"]:
        assert version_manifest(row["object"]) == row["tree_versions"], row["object"]


def test_defaults_and_dict_access_are_novas(contract):
    for row in contract["objects"]:
        cls = ours()[row["object"]]
        assert issubclass(cls, ovo.VersionedObjectDictCompat) == row["dict_compat"], row["object"]
    for row in contract["fields"]:
        field = ours()[row["object"]].fields[row["field"]]
        has_default = field.default is not ovo_fields.UnspecifiedDefault
        assert has_default == row["has_default"], (row["object"], row["field"])


def test_reading_what_was_not_loaded_names_it():
    with pytest.raises(NotLoaded) as caught:
        _ = objects.Instance(uuid=UUID).host
    assert str(caught.value) == "Instance.host was not loaded"


def test_values_made_in_memory_have_their_defaults():
    group = objects.RequestGroup(resources={"VCPU": 1})
    assert (group.use_same_provider, group.required_traits, group.resources) == (True, set(), {"VCPU": 1})


def test_unknown_values_are_refused():
    with pytest.raises(ValueError, match="floppy_disk"):
        objects.BlockDeviceMapping(device_type="floppy_disk")
    bdm = objects.BlockDeviceMapping(source_type=enums.BlockDeviceSourceType.IMAGE)
    assert type(bdm.source_type) is str


def test_naive_times_are_taken_as_utc():
    instance = objects.Instance(launched_at=datetime(2026, 1, 2))  # noqa: DTZ001
    assert instance.launched_at == datetime(2026, 1, 2, tzinfo=UTC)


def test_the_envelope_is_novas(contract):
    primitive = objects.Tag(resource_id=UUID, tag="a").obj_to_primitive()
    assert sorted(primitive) == sorted(contract["_meta"]["serialised_envelope_keys"])
    assert primitive["nova_object.namespace"] == "nova"


def test_fields_disappear_below_the_version_that_brought_them():
    migration = objects.Migration(uuid=UUID, user_id="u", dest_compute_id=3)
    sent = migration.obj_to_primitive(target_version="1.7")
    assert sent["nova_object.data"] == {"uuid": UUID, "user_id": "u"}
    assert "uuid" not in migration.obj_to_primitive(target_version="1.4")["nova_object.data"]


def test_a_value_that_an_older_peer_does_not_know_is_not_sent():
    props = objects.ImageMetaProps(hw_vif_model="igb")
    with pytest.raises(CannotBackport, match="hw_vif_model=igb"):
        props.obj_to_primitive(target_version="1.38")
    assert objects.ImageMetaProps(hw_vif_model="virtio").obj_to_primitive(target_version="1.38")


def test_older_peers_know_a_groups_policy_as_one_of_several():
    group = objects.InstanceGroup(name="g", policy="affinity")
    sent = group.obj_to_primitive(target_version="1.10")["nova_object.data"]
    assert sent == {"name": "g", "policies": ["affinity"]}


def test_older_peers_get_pinned_cpus_with_the_others():
    cell = objects.InstanceNUMACell(id=0, cpuset=set(), pcpuset={1}, cpu_policy="dedicated", memory=1)
    sent = cell.obj_to_primitive(target_version="1.4")["nova_object.data"]
    assert list(sent["cpuset"]) == [1]
    assert "pcpuset" not in sent


def test_a_vtpm_secret_is_not_dropped_on_the_way():
    data = objects.LibvirtLiveMigrateData(vtpm_secret_uuid=UUID)
    with pytest.raises(CannotBackport, match="vTPM"):
        data.obj_to_primitive(target_version="1.13")


def test_lists_are_brought_down_with_what_is_in_them():
    flavors = objects.FlavorList(objects=[objects.Flavor(name="m1", description="d")])
    manifest = version_manifest("FlavorList") | {"Flavor": "1.1"}
    sent = flavors.obj_to_primitive(target_version="1.1", version_manifest=manifest)
    assert sent["nova_object.data"]["objects"][0]["nova_object.data"] == {"name": "m1"}
