"""A server that stops finishes what it took and leaves the rest to others: nothing is lost, nobody waits."""

import threading
import time
import uuid
from collections import Counter

import oslo_messaging
import pytest
from oslo_config import cfg
from oslo_messaging._metrics.client import oslo_messaging_metrics
from oslo_messaging._tracing.client import oslo_messaging_tracing

from openkeel.common.context import admin_context
from openkeel.rpc.serializer import WireSerializer
from openkeel.rpc.server import RpcServer
from openkeel.rpc.transports import Transports
from tests.fixtures.compute_world import eventually
from tests.fixtures.rabbitmq import rabbitmq_url

__all__ = ["rabbitmq_url"]

CALLERS = 6
RESTARTS = 5
# A stop waits for messages for up to 5 s (oslo.messaging) before it is noticed.
SOON_S = 15
WORK_S = 10


class Desk:
    """Counts what it is asked to do."""

    target = oslo_messaging.Target(version="1.0")

    def __init__(self):
        self.done = Counter()
        self.began_long_work = threading.Event()
        self.may_end = threading.Event()
        self._guard = threading.Lock()

    def do(self, _ctx, ticket):
        time.sleep(0.002)  # so that some calls are always under way
        with self._guard:
            self.done[ticket] += 1
        return ticket

    def do_long(self, _ctx):
        self.began_long_work.set()
        return self.may_end.wait(WORK_S)


class Office:
    """A topic on the real bus; its servers have connections of their own, as processes have."""

    def __init__(self, url):
        self._url = url
        self._conf = cfg.ConfigOpts()
        self._conf.register_opts(oslo_messaging_tracing, group="oslo_messaging_tracing")
        self._conf.register_opts(oslo_messaging_metrics, group="oslo_messaging_metrics")
        self._conf([], default_config_files=[])
        self._topic = f"test-{uuid.uuid4().hex}"
        self._open = []
        client = oslo_messaging.get_rpc_client(
            self._transport(),
            oslo_messaging.Target(topic=self._topic, version="1.0"),
            serializer=WireSerializer(),
        )
        self._asked = client.prepare(timeout=SOON_S)

    def _transport(self):
        self._open.append(Transports(self._conf))
        return self._open[-1].get(self._url)

    def serve(self, desk):
        server = RpcServer(self._transport(), (self._topic,), "here", (desk,), WireSerializer())
        server.start()
        return server

    def call(self, method, **arguments):
        return self._asked.call(admin_context(), method, **arguments)

    def cast(self, method, **arguments):
        self._asked.cast(admin_context(), method, **arguments)

    def close(self):
        for transports in self._open:
            transports.close()


@pytest.fixture
def office(rabbitmq_url):
    opened = Office(rabbitmq_url)
    yield opened
    opened.close()


def test_every_call_and_every_cast_during_restarts_is_done_once(office):
    desk = Desk()
    sent, unanswered = [], []
    is_over = threading.Event()

    def ask():
        while not is_over.is_set():
            called, cast = uuid.uuid4().hex, uuid.uuid4().hex
            sent.extend([called, cast])
            office.cast("do", ticket=cast)
            try:
                office.call("do", ticket=called)
            except oslo_messaging.MessagingTimeout:
                unanswered.append(called)

    server = office.serve(desk)
    callers = [threading.Thread(target=ask) for _ in range(CALLERS)]
    for caller in callers:
        caller.start()
    try:
        for _ in range(RESTARTS):
            time.sleep(0.3)  # of work
            server.stop()
            assert server.wait(WORK_S)
            server = office.serve(desk)
    finally:
        is_over.set()
        for caller in callers:
            caller.join()
    eventually(lambda: len(desk.done) == len(sent), within_s=SOON_S)
    server.stop()
    server.wait(WORK_S)
    assert not unanswered
    assert desk.done == Counter(sent)


def test_one_that_stops_while_it_works_gets_no_calls_any_more(office):
    busy, twin = Desk(), Desk()
    leaving = office.serve(busy)
    office.cast("do_long")
    assert busy.began_long_work.wait(SOON_S)
    leaving.stop()
    staying = office.serve(twin)
    tickets = [office.call("do", ticket=str(number)) for number in range(10)]
    busy.may_end.set()
    assert leaving.wait(WORK_S)
    staying.stop()
    staying.wait(WORK_S)
    assert twin.done == Counter(tickets)
    assert not busy.done
