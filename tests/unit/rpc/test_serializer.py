"""Objects and contexts survive the wire, also between versions."""

import json
from datetime import UTC, datetime

import pytest

from openkeel import objects
from openkeel.common.context import Context
from openkeel.objects.base import version_manifest
from openkeel.rpc.serializer import WireSerializer
from openkeel.rpc.unreadable import Unreadable

UUID = "11111111-2222-3333-4444-555555555555"


def there_and_back(value, serializer=None):
    serializer = serializer or WireSerializer()
    text = json.dumps(serializer.serialize_entity(None, value))
    return serializer.deserialize_entity(None, json.loads(text))


def test_objects_survive_inside_lists_and_dicts():
    instance = objects.Instance(
        uuid=UUID,
        launched_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        metadata={"a": "b"},
        flavor=objects.Flavor(name="m1", vcpus=2),
        access_ip_v4="10.0.0.1",
    )
    back = there_and_back({"instances": [instance], "n": (1, 2)})
    assert back["n"] == [1, 2]
    got = back["instances"][0]
    assert got.launched_at == instance.launched_at
    assert (got.flavor.vcpus, str(got.access_ip_v4), got.metadata) == (2, "10.0.0.1", {"a": "b"})
    assert got.obj_what_changed() == instance.obj_what_changed()


def test_sets_are_sent_as_lists():
    assert there_and_back({"x": {1}}) == {"x": [1]}


def test_the_context_has_novas_keys_and_comes_back():
    ctx = Context(
        "u", "p", is_admin=True, roles=["admin"], service_catalog=[{"type": "image"}, {"type": "x"}]
    )
    serializer = WireSerializer()
    values = json.loads(json.dumps(serializer.serialize_context(ctx)))
    back = serializer.deserialize_context(values)
    assert back.to_dict() == ctx.to_dict()
    assert values["service_catalog"] == [{"type": "image"}]


def primitive_of(version):
    return {
        "nova_object.name": "Instance",
        "nova_object.namespace": "nova",
        "nova_object.version": version,
        "nova_object.data": {"uuid": UUID, "from_the_future": 1},
        "nova_object.changes": [],
    }


def test_a_stable_branch_addition_is_read_as_the_version_below():
    got = WireSerializer().deserialize_entity(None, primitive_of("2.8.1"))
    assert got.uuid == UUID


def test_a_too_new_object_is_brought_down_by_whoever_knows_it():
    asked = []

    def conductor(_ctx, primitive, versions):
        asked.append((primitive["nova_object.version"], versions["Instance"]))
        return objects.Instance(uuid=primitive["nova_object.data"]["uuid"])

    got = WireSerializer(conductor).deserialize_entity(None, {"instance": primitive_of("2.99")})
    assert got["instance"].uuid == UUID
    assert asked == [("2.99", "2.8")]


def test_a_too_new_object_is_refused_where_nobody_can_be_asked():
    refused = "Object Instance version 2.99 cannot be read: Instance 2.99 is newer than 2.8"
    with pytest.raises(Unreadable, match=refused):
        WireSerializer().deserialize_entity(None, primitive_of("2.99"))


def test_older_peers_get_objects_without_what_they_do_not_know():
    instance = objects.Instance(uuid=UUID, compute_id=7, flavor=objects.Flavor(name="m1", description="d"))
    manifest = version_manifest("Instance") | {"Instance": "2.7", "Flavor": "1.1"}
    sent = instance.obj_to_primitive(target_version="2.7", version_manifest=manifest)
    assert sent["nova_object.version"] == "2.7"
    assert "compute_id" not in sent["nova_object.data"]
    assert sent["nova_object.data"]["flavor"]["nova_object.version"] == "1.1"
    assert "description" not in sent["nova_object.data"]["flavor"]["nova_object.data"]
