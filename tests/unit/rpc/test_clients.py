"""Typed clients over an in-memory broker."""

import threading

import oslo_messaging
import pytest

from openkeel import objects
from openkeel.domain import errors
from openkeel.rpc.client import Timeouts
from openkeel.rpc.compute import ComputeClient
from openkeel.rpc.scheduler import SchedulerClient
from openkeel.rpc.serializer import WireSerializer

UUID = "11111111-2222-3333-4444-555555555555"


class Computes:
    """An endpoint that remembers what arrived."""

    target = oslo_messaging.Target(version="6.5")

    def __init__(self) -> None:
        self.arrived = []
        self.something = threading.Event()

    def start_instance(self, ctx, instance):
        self.arrived.append(("start_instance", ctx, instance))
        self.something.set()

    def external_instance_event(self, ctx, instances, events):
        self.arrived.append(("external_instance_event", ctx, (instances, events)))
        self.something.set()

    def get_console_output(self, ctx, instance, tail_length):
        if tail_length == 0:
            raise errors.InstanceNotReady(instance_id=instance.uuid)
        if tail_length == -1:
            raise RuntimeError("password=hunter2")
        if tail_length == -2:
            raise errors.Unsupported("no console here")
        return "login:" * tail_length

    def get_host_uptime(self, ctx):
        return "up 3 days"


class Schedulers:
    target = oslo_messaging.Target(version="4.5")

    def __init__(self) -> None:
        self.news = []
        self.something = threading.Event()

    def select_destinations(
        self,
        ctx,
        request_spec=None,
        filter_properties=None,
        spec_obj=None,
        instance_uuids=None,
        return_objects=False,
        return_alternates=False,
    ):
        if spec_obj.num_instances > 1:
            raise errors.NoValidHost(reason="2 hosts are too small")
        return [[objects.Selection(service_host="node-1", nodename="node-1")] for _ in instance_uuids]

    def sync_instance_info(self, ctx, host_name, instance_uuids):
        self.news.append((host_name, instance_uuids))
        self.something.set()


@pytest.fixture
def client(transport):
    return ComputeClient(transport, WireSerializer(), timeouts=Timeouts(answer_s=5, long_s=5))


def server_row(**values):
    return objects.Instance(**{"uuid": UUID, "host": "node-1", **values})


def test_a_cast_brings_context_and_object_to_the_servers_own_host(serve, client, ctx):
    computes = Computes()
    serve(computes)
    client.start_instance(ctx, instance=server_row(vm_state="stopped"))
    assert computes.something.wait(5)
    _, arrived_ctx, instance = computes.arrived[0]
    assert (arrived_ctx.user_id, arrived_ctx.project_id) == ("user-1", "project-1")
    assert arrived_ctx.request_id == ctx.request_id
    assert (instance.uuid, instance.vm_state) == (UUID, "stopped")
    assert instance.obj_what_changed() == {"uuid", "host", "vm_state"}


def test_a_call_returns_the_answer(serve, client, ctx):
    serve(Computes())
    assert client.get_host_uptime(ctx, host="node-1") == "up 3 days"
    assert client.get_console_output(ctx, instance=server_row(), tail_length=2) == "login:login:"


def test_errors_come_back_as_the_kind_that_was_raised(serve, client, ctx):
    serve(Computes())
    with pytest.raises(errors.InstanceNotReady) as caught:
        client.get_console_output(ctx, instance=server_row(), tail_length=0)
    assert caught.value.facts == {"instance_id": UUID}
    assert str(caught.value) == f"Instance {UUID} is not ready"


def test_unexpected_errors_do_not_tell_secrets(serve, client, ctx):
    serve(Computes())
    with pytest.raises(errors.Internal, match="Unexpected RuntimeError") as caught:
        client.get_console_output(ctx, instance=server_row(), tail_length=-1)
    assert "hunter2" not in repr(caught.value)


def test_what_a_driver_cannot_do_stays_unsupported(serve, client, ctx):
    serve(Computes())
    with pytest.raises(errors.Unsupported, match="no console here"):
        client.get_console_output(ctx, instance=server_row(), tail_length=-2)


def test_a_server_on_no_host_cannot_be_asked(client, ctx):
    with pytest.raises(errors.ComputeServiceUnavailable):
        client.start_instance(ctx, instance=server_row(host=None))


def test_silence_becomes_a_timeout(transport, ctx):
    client = ComputeClient(transport, WireSerializer(), timeouts=Timeouts(answer_s=1))
    with pytest.raises(errors.Timeout):
        client.get_host_uptime(ctx, host="nowhere")


@pytest.mark.parametrize(
    ("cap", "topic"), [(None, "compute-alt"), ("6.5", "compute-alt"), ("6.4", "compute")]
)
def test_events_take_the_second_queue_where_the_peers_have_one(serve, transport, ctx, cap, topic):
    computes = Computes()
    serve(computes, topics=(topic,))
    client = ComputeClient(transport, WireSerializer(), version_cap=cap)
    event = objects.InstanceExternalEvent(
        instance_uuid=UUID, name="network-vif-plugged", status="completed", tag="port"
    )
    client.external_instance_event(ctx, instances=[server_row()], events=[event], host="node-1")
    assert computes.something.wait(5)
    _, _, (instances, events) = computes.arrived[0]
    assert (instances[0].uuid, events[0].name) == (UUID, "network-vif-plugged")


def test_peers_of_another_major_version_are_not_spoken_to(transport, ctx):
    client = ComputeClient(transport, WireSerializer(), version_cap="4.17")
    with pytest.raises(errors.Unsupported):
        client.start_instance(ctx, instance=server_row())


def test_scheduling_returns_selections_or_the_reason_why_not(serve, transport, ctx):
    serve(Schedulers(), topics=("scheduler",))
    client = SchedulerClient(transport, WireSerializer(), timeouts=Timeouts(answer_s=5, long_s=5))
    found = client.select_destinations(
        ctx, spec_obj=objects.RequestSpec(num_instances=1), instance_uuids=[UUID], return_alternates=True
    )
    assert found[0][0].service_host == "node-1"
    with pytest.raises(errors.NoValidHost) as caught:
        client.select_destinations(ctx, spec_obj=objects.RequestSpec(num_instances=2), instance_uuids=[UUID])
    assert caught.value.facts == {"reason": "2 hosts are too small"}


def test_news_reach_every_scheduler(serve, transport, ctx):
    first, second = Schedulers(), Schedulers()
    serve(first, topics=("scheduler",), server="a")
    serve(second, topics=("scheduler",), server="b")
    SchedulerClient(transport, WireSerializer()).sync_instance_info(
        ctx, host_name="node-1", instance_uuids={UUID}
    )
    assert first.something.wait(5)
    assert second.something.wait(5)
    assert first.news == second.news == [("node-1", [UUID])]


def test_every_daemon_answers_a_ping(serve, transport, ctx):
    serve(topics=("compute",))
    target = oslo_messaging.Target(topic="compute", namespace="baseapi", version="1.0")
    client = oslo_messaging.get_rpc_client(transport, target, serializer=WireSerializer())
    answer = client.prepare(timeout=5).call(ctx, "ping", arg="hello")
    assert answer == {"service": "compute", "arg": "hello"}


def test_private_names_are_not_served(serve, transport, ctx):
    serve(Computes())
    target = oslo_messaging.Target(topic="compute", version="6.0")
    client = oslo_messaging.get_rpc_client(transport, target, serializer=WireSerializer())
    with pytest.raises(oslo_messaging.NoSuchMethod):
        client.prepare(timeout=5).call(ctx, "_endpoint")


def test_a_stopping_server_finishes_what_it_took(serve, client, ctx):
    may_end, done = threading.Event(), []

    class Slow(Computes):
        def start_instance(self, ctx, instance):
            super().start_instance(ctx, instance)
            may_end.wait(10)
            done.append(instance.uuid)

    computes = Slow()
    server = serve(computes)
    client.start_instance(ctx, instance=server_row())
    assert computes.something.wait(5)
    server.stop()
    assert not server.wait(0.1)
    may_end.set()
    assert server.wait(10)
    assert done == [UUID]
