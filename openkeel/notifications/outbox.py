"""Where notifications wait to be sent, so that nobody waits for their bus.

One thread sends, in order. While the bus is down notifications pile up to a limit, beyond which they are
lost, and counted: telling about the work must never stop the work. The log says how many are lost when
the first is, whenever there are twice as many, and at the end. The thread begins with the
first notification, so a process that forks before has none.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import Final

LOG = logging.getLogger(__name__)

LIMIT: Final = 10_000  # some megabytes: an hour of a busy cell

Sending = Callable[[], None]


class Outbox:
    """Takes notifications that are ready to go."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._waiting: queue.Queue[Sending | None] = queue.Queue(limit)
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._told_of = 0
        self.lost = 0  # that could not be made, kept or sent

    def put(self, sending: Sending) -> None:
        """Have it sent. Raises nothing."""
        if self._thread is None:
            self._begin()
        try:
            self._waiting.put_nowait(sending)
        except queue.Full:
            self.lose("the bus of notifications does not keep up")

    def lose(self, why: object) -> None:
        """Count one that is lost."""
        with self._guard:
            self.lost += 1
            tells = self.lost >= 2 * self._told_of
            if tells:
                self._told_of = self.lost
        if tells:
            LOG.warning("notifications lost since the start: %d; the last: %s", self.lost, why)

    def flush(self, timeout_s: float) -> bool:
        """Wait until all that was put is sent. Returns: whether it was in time."""
        deadline = time.monotonic() + timeout_s
        with self._waiting.all_tasks_done:
            while self._waiting.unfinished_tasks:
                left_s = deadline - time.monotonic()
                if left_s <= 0:
                    return False
                self._waiting.all_tasks_done.wait(left_s)
        return True

    def close(self, timeout_s: float = 5.0) -> None:
        """Send what is left, as far as there is time."""
        thread = self._thread
        is_sent = thread is None or self.flush(timeout_s)
        if self.lost:
            LOG.warning("notifications lost since the start: %d", self.lost)
        if thread is None:
            return
        if not is_sent:
            LOG.warning("%d notifications were not sent", self._waiting.qsize())
            return
        self._waiting.put(None)
        thread.join(timeout_s)
        self._thread = None

    def _begin(self) -> None:
        with self._guard:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="notifications", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            sending = self._waiting.get()
            try:
                if sending is None:
                    return
                sending()
            except Exception as error:
                LOG.exception("a notification could not be sent")
                self.lose(error)
            finally:
                self._waiting.task_done()
