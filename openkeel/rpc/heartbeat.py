"""A daemon's row in the services table, and its pulse."""

import logging
import threading
from typing import Any, Final

from openkeel import objects
from openkeel.common.clock import Clock, SystemClock
from openkeel.domain.errors import AlreadyExists, KeelError
from openkeel.objects.stores import ServiceStore
from openkeel.rpc.versions import SERVICE_VERSION

LOG = logging.getLogger(__name__)

_NEW: Final = "New here: [DEFAULT] enable_new_services leaves it to an operator to enable it."


class ServiceRecord:
    """Registers the daemon and beats until stopped; outages of the store are waited out.

    Args:
        binary: As Nova calls the daemon (nova-compute...): clients filter by it.
        interval_s: Seconds between two beats.
        begins_disabled: whether a new row waits for an operator to enable it.
    """

    def __init__(
        self,
        store: ServiceStore,
        host: str,
        binary: str,
        topic: str,
        interval_s: float,
        clock: Clock | None = None,
        *,
        begins_disabled: bool = False,
    ) -> None:
        self._store = store
        self._host = host
        self._binary = binary
        self._topic = topic
        self._interval_s = interval_s
        self._clock = clock or SystemClock()
        self._begins_disabled = begins_disabled
        self._row: Any = None
        self._is_lost = False
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def register(self) -> Any:
        """Find the row or create it, and note our version in it. Returns the Service."""
        row = self._store.find(self._host, self._binary)
        if row is None:
            row = objects.Service(
                host=self._host,
                binary=self._binary,
                topic=self._topic,
                report_count=0,
                disabled=self._begins_disabled,
                disabled_reason=_NEW if self._begins_disabled else None,
                forced_down=False,
                version=SERVICE_VERSION,
            )
            try:
                self._store.create(row)
            except AlreadyExists:  # a twin of ours was faster
                row = self._store.find(self._host, self._binary)
        elif row.version != SERVICE_VERSION:
            row.version = SERVICE_VERSION
            self._store.save(row)
        self._row = row
        return row

    def start(self) -> None:
        """Register if that is still to be done, and beat in a thread of its own, the first time at once."""
        if self._row is None:
            self.register()
        self._thread = threading.Thread(target=self._run, name=f"heartbeat-{self._binary}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Beat no more."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def beat(self) -> bool:
        """Write one pulse. Returns whether it could be written; never raises."""
        row = self._row
        try:
            row.report_count = (row.report_count or 0) + 1
            row.last_seen_up = self._clock.now()
            self._store.save(row)
        except KeelError as error:
            self._lost(error)
        except Exception as error:  # the pulse must outlive whatever a database or broker throws
            LOG.debug("heartbeat", exc_info=True)
            self._lost(error)
        else:
            if self._is_lost:
                LOG.info("%s on %s can report again", self._binary, self._host)
            self._is_lost = False
        return not self._is_lost

    def _lost(self, error: Exception) -> None:
        if not self._is_lost:  # once per outage
            LOG.warning("%s on %s cannot report that it is up: %s", self._binary, self._host, error)
        self._is_lost = True

    def _run(self) -> None:
        while True:
            self.beat()
            if self._stop.wait(self._interval_s):
                return
