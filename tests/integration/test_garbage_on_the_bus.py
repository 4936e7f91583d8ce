"""Garbage in a queue of a real RabbitMQ: its reader stays up, serves the next message, tells no secrets."""

import configparser
import json
import logging
import socket
import uuid

import kombu
import oslo_messaging
import pytest
from oslo_config import cfg
from oslo_messaging._metrics.client import oslo_messaging_metrics
from oslo_messaging._tracing.client import oslo_messaging_tracing

from openkeel.common.context import Context
from openkeel.conductor.object_endpoint import ObjectEndpoint
from openkeel.conductor.object_methods import Zones
from openkeel.rpc.serializer import WireSerializer
from openkeel.rpc.server import RpcServer
from openkeel.rpc.transports import EXCHANGE, Transports
from tests.integration.conftest import ROOT

SECRET = "hunter2-is-the-password"
CONF = ROOT / ".devstack" / "etc" / "openkeel" / "openkeel.conf"


@pytest.fixture(scope="module")
def url():
    """Where the devstack's broker is."""
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    if not parser.read(CONF):
        pytest.skip("no devstack was set up here")
    found = parser["DEFAULT"]["transport_url"]
    host, _, port = found.rpartition("@")[2].strip("/").partition(":")
    try:
        socket.create_connection((host, int(port)), timeout=1).close()
    except OSError:
        pytest.skip("the devstack's RabbitMQ does not run")
    return found


@pytest.fixture(scope="module")
def transport(url):
    conf = cfg.ConfigOpts()
    conf.register_opts(oslo_messaging_tracing, group="oslo_messaging_tracing")
    conf.register_opts(oslo_messaging_metrics, group="oslo_messaging_metrics")
    conf([], default_config_files=[])
    transports = Transports(conf)
    yield transports.get(url)
    transports.close()


@pytest.fixture(scope="module")
def topic(transport):
    """A queue of our own with a server on it that has the conductor's methods."""
    name = f"garbage-{uuid.uuid4()}"
    endpoint = ObjectEndpoint(None, None, None, Zones())
    server = RpcServer(transport, [name], "here", [endpoint], WireSerializer())
    server.start()
    yield name
    server.stop()
    assert server.wait(120)  # answers to nowhere are tried for a minute


@pytest.fixture(scope="module")
def publish(url, topic):
    with (
        kombu.Connection(url.replace("rabbit://", "amqp://") + "/") as connection,
        connection.channel() as channel,
    ):
        exchange = kombu.Exchange(EXCHANGE, type="topic", durable=False, passive=True)

        def send(body, content_type="application/json", content_encoding="utf-8"):
            kombu.Producer(channel).publish(
                body,
                exchange=exchange,
                routing_key=topic,
                content_type=content_type,
                content_encoding=content_encoding,
                declare=[],
            )

        yield send


def envelope(inner, version="2.0"):
    return json.dumps({"oslo.version": version, "oslo.message": inner})


def message(**parts):
    whole = {
        "method": "ping",
        "namespace": "baseapi",
        "version": "1.0",
        "args": {"arg": SECRET},
        "_unique_id": uuid.uuid4().hex,
        "_context_user_id": SECRET,
        **parts,
    }
    return envelope(json.dumps({key: value for key, value in whole.items() if value is not ...}))


GARBAGE = {
    "no text": b"\xff\xfe\x00" + SECRET.encode(),
    "no JSON": f"{{password: {SECRET}",
    "nothing": b"",
    "a number": "7",
    "a text": json.dumps(SECRET),
    "a list": json.dumps([SECRET]),
    "no envelope": json.dumps({"password": SECRET}),
    "a message that ends in the middle": envelope(message()[:120]),
    "an envelope that ends in the middle": message()[:90],
    "an envelope of the future": envelope("{}", version="9.0"),
    "an envelope without a version": json.dumps({"oslo.message": "{}"}),
    "a version that is none": envelope("{}", version="new"),
    "a message that is a list": envelope(json.dumps([SECRET])),
    "no method": message(method=...),
    "a method that is a number": message(method=7),
    "a method that is a dictionary": message(method={"a": SECRET}),
    "arguments that are a text": message(args=SECRET),
    "arguments that are a list": message(args=[SECRET]),
    "a version of a method that is none": message(version="new"),
    "a version of a method that is a list": message(version=[1, 0]),
    "a namespace that is a list": message(namespace=[SECRET]),
    "no id": message(_unique_id=...),
    "an id that is a list": message(_unique_id=[SECRET]),
    "a context that makes no sense": message(_context_timestamp=SECRET, _context_roles=7),
    "an answer to nowhere": message(_reply_q=f"reply_{SECRET}", _msg_id="1"),
    "an address for the answer that is a list": message(_reply_q=[SECRET], _msg_id={"a": 1}),
    "a time limit that is none": message(_timeout="soon"),
    "nesting without end": envelope("[" * 200_000),
    "an argument nested without end": envelope(
        '{"method": "ping", "namespace": "baseapi", "version": "1.0", "args": {"arg": %s}}'
        % ("[" * 900 + "]" * 900)
    ),
    "an object from Mars": message(
        namespace=None,
        version="3.0",
        method="object_backport_versions",
        args={
            "objinst": {
                "nova_object.name": "Martian",
                "nova_object.namespace": "nova",
                "nova_object.version": "1.0",
                "nova_object.data": {"password": SECRET},
            },
            "object_versions": {},
        },
    ),
}


@pytest.fixture
def ping(transport, topic):
    target = oslo_messaging.Target(topic=topic, namespace="baseapi", version="1.0")
    client = oslo_messaging.get_rpc_client(transport, target, serializer=WireSerializer())

    def call():
        return client.prepare(timeout=20).call(Context("u", "p"), "ping", arg="still there?")

    return call


@pytest.mark.parametrize("what", GARBAGE)
def test_garbage_is_survived_and_keeps_its_secrets(publish, ping, caplog, what):
    with caplog.at_level(logging.INFO):
        publish(GARBAGE[what])
        assert ping()["arg"] == "still there?"
    told = [record.getMessage() for record in caplog.records if SECRET in caplog.text]
    assert SECRET not in caplog.text, told


@pytest.mark.parametrize(
    ("content_type", "encoding"),
    [
        ("application/x-python-serialize", "binary"),
        ("application/martian", "utf-8"),
        ("application/json", "utf-99"),
    ],
)
def test_bodies_of_a_strange_kind_are_survived(publish, ping, caplog, content_type, encoding):
    with caplog.at_level(logging.INFO):
        publish(SECRET.encode(), content_type, encoding)
        assert ping()["arg"] == "still there?"
    assert SECRET not in caplog.text


def test_much_garbage_does_not_stop_the_daemon(publish, ping):
    for _ in range(20):
        for body in GARBAGE.values():
            publish(body)
    assert ping()["service"].startswith("garbage-")
