"""Where notifications wait to be sent, so that nobody waits for their bus.

One thread sends, in order. While the bus is down notifications pile up to a limit, beyond which they are
lost, and counted: telling about the work must never stop the work. The thread begins with the first
notification, so a process that forks before has none.
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
        self._is_full = False
        self.lost = 0  # that could not be made, kept or sent

    def put(self, sending: Sending) -> None:
        """Have it sent. Raises nothing."""
        if self._thread is None:
            self._begin()
        try:
            self._waiting.put_nowait(sending)
        except queue.Full:
            self.lose("the bus of notifications does not keep up")
        else:
            self._is_full = False

    def lose(self, why: str) -> None:
        """Count one that is lost; the log hears of it once in a row."""
        self.lost += 1
        if not self._is_full:
            LOG.warning("notifications are lost: %s", why)
        self._is_full = True

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
        if thread is None:
            return
        if not self.flush(timeout_s):
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
            except Exception:
                self.lost += 1
                LOG.exception("a notification could not be sent")
            finally:
                self._waiting.task_done()
