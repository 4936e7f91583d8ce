"""Work of this host that outlives the message that asked for it: threads we know of and wait for.

Builds have a pool of their own, as wide as `max_concurrent_builds`: a build that waits for its turn
holds no thread. Everything else (helpers of a build, delayed looks at a guest) goes to the second
pool. `drain` is the graceful end: builds that wait for their turn see that we are closing and go to
another host, what runs is awaited.
"""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Final, Protocol, TypeVar

LOG = logging.getLogger(__name__)

_T = TypeVar("_T")

_UNLIMITED: Final = 1024  # threads are made on demand only, so a high bound costs nothing
_SIDE_WORKERS: Final = 64


class Tasks(Protocol):
    """Where a capability puts work."""

    @property
    def is_closing(self) -> bool:
        """Whether the daemon is about to stop: begin nothing long."""

    def build(self, function: Callable[..., _T], /, *args: Any) -> "Future[_T]":
        """Run a build when its turn comes."""

    def side(self, function: Callable[..., _T], /, *args: Any) -> "Future[_T]":
        """Run a helper now."""

    def later(self, delay_s: float, function: Callable[..., object], /, *args: Any) -> None:
        """Run something after a while; dropped when the daemon stops before."""

    def drain(self, timeout_s: float) -> bool:
        """Take nothing more and wait; whether everything ended in time."""


class ThreadTasks:
    """Tasks on native threads."""

    def __init__(self, *, max_concurrent_builds: int = 10) -> None:
        """A `max_concurrent_builds` of 0 means no limit."""
        self._builds = ThreadPoolExecutor(max_concurrent_builds or _UNLIMITED, thread_name_prefix="build")
        self._side = ThreadPoolExecutor(_SIDE_WORKERS, thread_name_prefix="side")
        self._running: set[Future[Any]] = set()
        self._timers: set[threading.Timer] = set()
        self._guard = threading.Lock()
        self._is_open = True

    @property
    def is_closing(self) -> bool:
        return not self._is_open

    def build(self, function: Callable[..., _T], /, *args: Any) -> "Future[_T]":
        return self._track(self._builds.submit(function, *args))

    def side(self, function: Callable[..., _T], /, *args: Any) -> "Future[_T]":
        return self._track(self._side.submit(function, *args))

    def later(self, delay_s: float, function: Callable[..., object], /, *args: Any) -> None:
        def due() -> None:
            with self._guard:
                self._timers.discard(timer)
                if not self._is_open:
                    return
            self.side(function, *args).add_done_callback(_log_failure)

        timer = threading.Timer(delay_s, due)
        timer.daemon = True
        with self._guard:
            if not self._is_open:
                return
            self._timers.add(timer)
        timer.start()

    def drain(self, timeout_s: float) -> bool:
        with self._guard:
            self._is_open = False
            timers, self._timers = self._timers, set()
        for timer in timers:
            timer.cancel()
        with self._guard:
            running = set(self._running)
        if running:
            LOG.info("waiting at most %.0f s for %d tasks", timeout_s, len(running))
        left = wait(running, timeout=timeout_s).not_done
        self._builds.shutdown(wait=False, cancel_futures=True)
        self._side.shutdown(wait=False, cancel_futures=True)
        if left:
            LOG.warning("%d tasks did not end in time", len(left))
        return not left

    def _track(self, future: "Future[_T]") -> "Future[_T]":
        with self._guard:
            self._running.add(future)
        future.add_done_callback(self._forget)
        return future

    def _forget(self, future: "Future[Any]") -> None:
        with self._guard:
            self._running.discard(future)


def _log_failure(future: "Future[Any]") -> None:
    if not future.cancelled() and (error := future.exception()) is not None:
        LOG.error("a task failed", exc_info=error)
