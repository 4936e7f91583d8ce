"""An in-memory broker: what a client sends, an endpoint in the same process gets."""

import threading
from collections.abc import Iterator

import oslo_messaging
import pytest
from oslo_config import cfg
from oslo_messaging._metrics.client import oslo_messaging_metrics
from oslo_messaging._tracing.client import oslo_messaging_tracing

from openkeel.common.context import Context
from openkeel.rpc.serializer import WireSerializer
from openkeel.rpc.server import RpcServer
from openkeel.rpc.transports import Transports


@pytest.fixture
def transport() -> Iterator[oslo_messaging.Transport]:
    conf = cfg.ConfigOpts()
    conf.register_opts(oslo_messaging_tracing, group="oslo_messaging_tracing")
    conf.register_opts(oslo_messaging_metrics, group="oslo_messaging_metrics")
    conf([], default_config_files=[])
    transports = Transports(conf)
    yield transports.get("fake://")
    transports.close()


@pytest.fixture(scope="session")
def ended():
    """Servers of all tests: each leaves its pool a second of idleness, which is waited out once."""
    servers = []
    yield servers
    waiters = [threading.Thread(target=server.wait, args=(10,)) for server in servers]
    for waiter in waiters:
        waiter.start()
    for waiter in waiters:
        waiter.join()


@pytest.fixture
def serve(transport, ended):
    """serve(endpoints, topics=..., server=...): start a server that ends with the test."""
    running = []

    def start(*endpoints, topics=("compute",), server="node-1", serializer=None):
        started = RpcServer(transport, topics, server, endpoints, serializer or WireSerializer())
        started.start()
        running.append(started)
        return started

    yield start
    for started in running:
        started.stop()
    ended.extend(running)


@pytest.fixture
def ctx() -> Context:
    return Context("user-1", "project-1", request_id="req-11111111-1111-1111-1111-111111111111")
