"""The pulse of a daemon outlives the outage of its store."""

import threading
from datetime import UTC, datetime

from openkeel.domain.errors import Timeout
from openkeel.rpc.heartbeat import ServiceRecord


class Store:
    """One row, and a database that can be away."""

    def __init__(self) -> None:
        self.row = None
        self.is_away = False
        self.saves = 0
        self.saved = threading.Event()

    def find(self, host, binary):
        return self.row

    def create(self, service):
        self.row = service

    def save(self, service):
        if self.is_away:
            raise Timeout
        self.saves += 1
        self.saved.set()

    def minimum_version(self, binary):
        return self.row.version


class Frozen:
    def now(self):
        return datetime(2026, 1, 2, tzinfo=UTC)


def test_an_outage_is_waited_out_and_reported_once(caplog):
    store = Store()
    record = ServiceRecord(store, "node-1", "nova-compute", "compute", 10, Frozen())
    record.register()
    store.is_away = True
    assert not record.beat()
    assert not record.beat()
    store.is_away = False
    assert record.beat()
    assert store.row.last_seen_up == Frozen().now()
    assert [r.message for r in caplog.records if r.levelname == "WARNING"] == [
        "nova-compute on node-1 cannot report that it is up: Gave up waiting."
    ]


def test_it_beats_in_a_thread_until_stopped():
    store = Store()
    record = ServiceRecord(store, "node-1", "nova-compute", "compute", 0.01, Frozen())
    record.start()
    assert store.saved.wait(5)
    record.stop()
    seen = store.saves
    store.saved.clear()
    assert not store.saved.wait(0.05)
    assert store.saves == seen
