"""What a boot sends is what a conductor, ours or Nova's, can read."""

import inspect

from openkeel.rpc.compute import ComputeClient
from openkeel.rpc.conductor import ComputeTaskClient
from openkeel.rpc.serializer import WireSerializer
from tests.fixtures.server_world import Compute


def over_the_wire(value):
    serializer = WireSerializer()
    return serializer.deserialize_entity(None, serializer.serialize_entity(None, value))


def test_the_order_of_a_boot_survives_the_wire(world):
    world.conductor.waits = True
    world.boot(
        "web",
        networks=[{"uuid": world.network, "fixed_ip": "10.0.0.9"}],
        metadata={"a": "b"},
        tags=["t"],
        accessIPv4="192.0.2.1",
        trusted_image_certificates=["c"],
    )
    ((_, order),) = world.conductor.orders
    accepted = inspect.signature(ComputeTaskClient.schedule_and_build_instances).parameters
    assert set(order) == set(accepted) - {"self", "ctx"}
    received = over_the_wire(order)
    (build_request,), (spec,) = received["build_requests"], received["request_specs"]
    instance = build_request.instance
    assert instance.uuid == spec.instance_uuid == build_request.instance_uuid
    assert (instance.vm_state, instance.task_state) == ("building", "scheduling")
    assert instance.metadata == {"a": "b"}
    assert instance.flavor.flavorid == spec.flavor.flavorid == "1"
    assert instance.trusted_certs.ids == ["c"]
    assert str(received["requested_networks"][0].address) == "10.0.0.9"
    assert received["block_device_mapping"][0].source_type == "image"
    assert [tag.tag for tag in received["tags"]] == ["t"]
    assert received["image"]["properties"] == {}
    assert None not in received["image"].values()
    # Whoever creates the row finds every column that the API knows set.
    unset = [
        name
        for name in (
            "host",
            "node",
            "launched_at",
            "display_name",
            "system_metadata",
            "pci_requests",
            "hidden",
        )
        if not instance.obj_attr_is_set(name)
    ]
    assert unset == []


def test_the_stand_in_for_computes_takes_what_the_client_takes():
    for name, method in inspect.getmembers(Compute, inspect.isfunction):
        if name.startswith("_"):
            continue
        real = inspect.signature(getattr(ComputeClient, name)).parameters
        assert set(inspect.signature(method).parameters) <= set(real), name
