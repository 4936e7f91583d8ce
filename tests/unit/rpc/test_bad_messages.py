"""Messages that make no sense: their sender is told what is wrong, the daemon serves the next one."""

import logging
import re

import oslo_messaging
import pytest

from openkeel import objects
from openkeel.compute.endpoint import ComputeEndpoint, FormerComputeEndpoint
from openkeel.conductor.object_endpoint import ObjectEndpoint
from openkeel.conductor.object_methods import Zones
from openkeel.domain import errors
from openkeel.rpc.client import Timeouts
from openkeel.rpc.conductor import ConductorClient
from openkeel.rpc.errors import from_wire
from openkeel.rpc.serializer import WireSerializer

UUID = "11111111-2222-3333-4444-555555555555"
SECRET = "hunter2-is-the-password"


def primitive(name="Instance", version="2.8", namespace="nova", **data):
    return {
        "nova_object.name": name,
        "nova_object.namespace": namespace,
        "nova_object.version": version,
        "nova_object.data": data,
    }


def nested(depth):
    value = SECRET
    for _ in range(depth):
        value = {"deeper": value}
    return value


@pytest.fixture
def ask(serve, transport, ctx):
    """ask(method, arguments...): the answer of a conductor, or the error that its caller gets."""
    serve(ObjectEndpoint(None, None, None, Zones()), topics=("conductor",), server="conductor-1")

    def call(method, *, namespace=None, version="3.0", **arguments):
        target = oslo_messaging.Target(topic="conductor", namespace=namespace, version=version)
        client = oslo_messaging.get_rpc_client(transport, target, serializer=WireSerializer())
        return client.prepare(timeout=10).call(ctx, method, **arguments)

    return call


BAD_OBJECTS = [
    (primitive(version="2.99", uuid=UUID), "Instance version 2.99 .* newer than 2.8"),
    (primitive(version="3.0"), "Instance version 3.0 .* newer than 2.8"),
    (
        primitive(flavor=primitive("Flavor", "7.0")),
        "Instance version 2.8 cannot be read: Flavor 7.0 is newer than 1.2",
    ),
    (primitive("Martian", "1.0", x=SECRET), "Object Martian version 1.0 .* no such object"),
    (primitive(namespace="mars"), "Object Instance .* namespace is mars"),
    (primitive(version="new"), "Object Instance version new"),
    (primitive(version=["2.8"]), "Object Instance version a list"),
    (primitive(version=None), "Object Instance version a NoneType"),
    (
        {"nova_object.name": "Instance", "nova_object.namespace": "nova"},
        "Instance version missing .* no version",
    ),
    ({**primitive(), "nova_object.data": SECRET}, "Instance .* it has no data"),
    ({**primitive(), "nova_object.name": {"a": SECRET}}, "Object a dict .* no such object"),
    ({**primitive(), "nova_object.name": "I" * 10_000}, r"Object I{60}\.\.\. version 2.8"),
    ({**primitive(), "nova_object.changes": 7}, "Instance version 2.8 .* list of changes"),
    (
        primitive(launched_at=SECRET),
        "Instance version 2.8 cannot be read: launched_at is not what it should be",
    ),
    (primitive(uuid=UUID, memory_mb=SECRET), "Instance version 2.8 cannot be read: memory_mb"),
    (primitive(flavor=primitive("Flavor", "1.2", memory_mb=SECRET)), "flavor.memory_mb is not"),
    (primitive(flavor=primitive("Tag", "1.1", tag=SECRET)), "cannot be read: flavor is not"),
    (primitive("ServiceList", "1.19", objects=[primitive("Service", "1.22", id=SECRET)]), "objects is not"),
]


@pytest.mark.parametrize(("sent", "told"), BAD_OBJECTS)
def test_an_object_that_cannot_be_read_is_refused_by_name(ask, caplog, sent, told):
    with caplog.at_level(logging.DEBUG), pytest.raises(Exception) as caught:  # noqa: PT011 as it arrives
        ask("object_backport_versions", objinst=sent, object_versions={"Instance": "2.8"})
    refused = from_wire(caught.value)
    assert isinstance(refused, errors.Invalid), refused
    assert re.search(told, str(refused)), refused
    ours = [record for record in caplog.records if record.name.startswith(("openkeel", "oslo_messaging.rpc"))]
    assert SECRET not in str(refused)
    assert all(SECRET not in record.getMessage() and not record.exc_info for record in ours)
    assert any(record.levelno == logging.WARNING for record in ours)
    assert ask("ping", namespace="baseapi", version="1.0", arg="still there?")["arg"] == "still there?"


def test_absurd_nesting_is_refused():
    with pytest.raises(errors.Invalid, match="nested too deep"):
        WireSerializer().deserialize_entity(None, nested(100_000))
    deep = primitive(flavor=nested(100_000))
    with pytest.raises(errors.Invalid, match=r"Instance version 2\.8 cannot be read: flavor"):
        WireSerializer().deserialize_entity(None, deep)


def test_an_object_that_is_no_object_is_refused(ask):
    for sent in (7, SECRET, None, [], {}):
        with pytest.raises(Exception, match="needs an object, not") as caught:
            ask("object_action", objinst=sent, objmethod="save", args=[], kwargs={})
        assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ({"objname": "Martian", "objmethod": "get"}, "There is no object Martian"),
        ({"objname": "Instance", "objmethod": "fly"}, "Instance.fly is not served"),
        ({"objname": "Instance", "objmethod": "save"}, "Instance.save is called on an object"),
        ({"objname": "Instance", "objmethod": "obj_name"}, "Instance.obj_name is not served"),
        ({"objname": ["Instance"], "objmethod": "x"}, "must be names"),
        ({"objname": "Instance", "objmethod": {"a": SECRET}}, "must be names"),
    ],
)
def test_a_method_that_is_not_there_is_named(ask, named, told):
    with pytest.raises(Exception, match=told):
        ask("object_class_action_versions", **named, object_versions={}, args=[], kwargs={})


@pytest.mark.parametrize(
    ("args", "kwargs", "told"),
    [
        ([], {}, r"Instance.get_by_uuid: missing a required argument: 'uuid'"),
        ([], {"uuid": UUID, "mode": SECRET}, r"unexpected keyword argument 'mode'"),
        ([1, 2, 3, 4, 5], {}, r"Instance.get_by_uuid: too many positional"),
        (7, {}, "arguments of Instance.get_by_uuid"),
        ([], [SECRET], "arguments of Instance.get_by_uuid"),
    ],
)
def test_arguments_that_do_not_fit_are_named(ask, args, kwargs, told):
    with pytest.raises(Exception, match=told) as caught:
        ask(
            "object_class_action_versions",
            objname="Instance",
            objmethod="get_by_uuid",
            object_versions={"Instance": "2.8"},
            args=args,
            kwargs=kwargs,
        )
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    "versions", [{}, [], None, {"Flavor": "1.2"}, {"Instance": "new"}, {"Instance": 2.8}]
)
def test_a_version_that_is_missing_or_none_is_named(ask, versions):
    with pytest.raises(Exception, match="version of Instance"):
        ask("object_backport_versions", objinst=primitive(uuid=UUID), object_versions=versions)


def test_calls_are_refused_as_by_a_server_of_novas(ask):
    """Classes, modules and texts as observed on nova 34.0.0."""
    with pytest.raises(oslo_messaging.UnsupportedVersion) as caught:
        ask("object_action", version="3.1")
    assert "Endpoint does not support RPC version 3.1. Attempted method: object_action" in str(caught.value)
    with pytest.raises(oslo_messaging.UnsupportedVersion):
        ask("ping", namespace="baseapi", version="1.2", arg=1)
    with pytest.raises(oslo_messaging.UnsupportedVersion):
        ask("pong", namespace="nope", version="1.0")
    with pytest.raises(oslo_messaging.NoSuchMethod) as caught:
        ask("pong", namespace="baseapi", version="1.0")
    assert "Endpoint does not support RPC method pong" in str(caught.value)
    with pytest.raises(oslo_messaging.NoSuchMethod):
        ask("_row", version="3.0")
    with pytest.raises(TypeError, match=r"ping\(\) missing a required argument: 'arg'"):
        ask("ping", namespace="baseapi", version="1.0")
    with pytest.raises(TypeError, match=r"ping\(\) got an unexpected keyword argument 'foo'"):
        ask("ping", namespace="baseapi", version="1.0", arg=1, foo=2)
    with pytest.raises(TypeError, match="missing a required argument: 'objinst'"):
        ask("object_action")
    assert ask("get_backdoor_port", namespace="baseapi", version="1.1") is None


def test_contexts_that_are_none_are_refused(serve, transport):
    class Bare(oslo_messaging.NoOpSerializer):
        def serialize_context(self, ctxt):
            return ctxt

    serve(topics=("conductor",), server="conductor-1")
    target = oslo_messaging.Target(topic="conductor", namespace="baseapi", version="1.0")
    client = oslo_messaging.get_rpc_client(transport, target, serializer=Bare()).prepare(timeout=10)
    for ctxt in ({"timestamp": SECRET}, {"service_catalog": [7]}, {"timestamp": [7]}):
        with pytest.raises(Exception, match="context of the message cannot be read") as caught:
            client.call(ctxt, "ping", arg=1)
        assert SECRET not in str(caught.value)
    assert client.call({}, "ping", arg=1) == {"service": "conductor", "arg": 1}
    assert client.call({"from_the_future": 1}, "ping", arg=1)["arg"] == 1


def test_an_answer_that_cannot_be_read_is_the_callers_error(serve, transport, ctx):
    class Confused:
        target = oslo_messaging.Target(version="3.0")

        def object_class_action_versions(self, ctx, **arguments):
            return primitive(launched_at=SECRET)

    serve(Confused(), topics=("conductor",), server="conductor-1")
    client = ConductorClient(transport, timeouts=Timeouts(answer_s=10))
    with pytest.raises(errors.Invalid, match="launched_at is not what it should be"):
        client.object_class_action_versions(ctx, "Instance", "get_by_uuid", {"Instance": "2.8"}, (), {})


def test_objects_from_the_future_are_brought_down_by_a_conductor(serve, transport, ctx):
    """What only a newer conductor can do, it is asked to, with the versions that are known here."""
    asked = []

    class Newer:
        target = oslo_messaging.Target(version="3.0")

        def object_backport_versions(self, ctx, objinst, object_versions):
            asked.append((objinst["nova_object.version"], object_versions["Instance"]))
            return primitive(uuid=UUID)

    class AsItCame(WireSerializer):
        def deserialize_entity(self, ctxt, entity):
            return entity

    class Computes:
        target = oslo_messaging.Target(version="6.5")

        def get_console_output(self, ctx, instance, tail_length):
            return instance.uuid

    serve(Newer(), topics=("conductor",), server="conductor-1", serializer=AsItCame())
    client = ConductorClient(transport, timeouts=Timeouts(answer_s=10))
    serve(Computes(), server="node-1", serializer=client.serializer)
    target = oslo_messaging.Target(topic="compute", version="6.0", server="node-1")
    caller = oslo_messaging.get_rpc_client(transport, target, serializer=WireSerializer())
    future = primitive(version="2.9", uuid=UUID, moons=2)
    answer = caller.prepare(timeout=10).call(ctx, "get_console_output", instance=future, tail_length=1)
    assert answer == UUID
    assert asked == [("2.9", "2.8")]


def test_peers_of_version_5_are_served(serve, transport, ctx):
    class Everything:
        def __getattr__(self, name):
            def method(ctx, **arguments):
                return sorted(arguments)

            method.__name__ = name
            return method

    served = ComputeEndpoint([Everything()])
    serve(served, FormerComputeEndpoint(served))
    arguments = dict.fromkeys(("instance", "image", "request_spec", "filter_properties"))
    for version, given in (("5.0", arguments), ("6.0", {**arguments, "accel_uuids": []})):
        target = oslo_messaging.Target(topic="compute", version=version, server="node-1")
        client = oslo_messaging.get_rpc_client(transport, target, serializer=WireSerializer())
        answer = client.prepare(timeout=10).call(ctx, "build_and_run_instance", **given)
        assert answer == sorted({*arguments, "accel_uuids"})
    target = oslo_messaging.Target(topic="compute", version="5.14", server="node-1")
    client = oslo_messaging.get_rpc_client(transport, target, serializer=WireSerializer())
    with pytest.raises(oslo_messaging.UnsupportedVersion):
        client.prepare(timeout=10).call(ctx, "start_instance", instance=objects.Instance(uuid=UUID))
