"""A daemon as a process: signals, and several workers where one is not enough.

One worker runs in the process itself, which spares the memory of a parent; several are forked and
looked after by cotyledon, which starts a dead worker again.
"""

import logging
import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Protocol

LOG = logging.getLogger(__name__)


class Daemon(Protocol):
    """What `run` runs. Built after the fork: threads and connections do not survive one."""

    def start(self) -> None:
        """Begin to work and return."""

    def stop(self) -> None:
        """Finish what was begun, as long as the daemon's own deadline allows, and return."""

    def reload(self) -> None:
        """The configuration may have changed (SIGHUP)."""


def run(
    name: str, build: Callable[[int], Daemon], workers: int = 1, *, reread: Callable[[], None] = lambda: None
) -> None:
    """Run until SIGTERM or SIGINT.

    `build` is called with the worker's number, from 0. `reread` is called at SIGHUP in every process,
    the parent of workers too: a worker that is started later must not know less than its siblings.
    """
    if workers <= 1:
        _run_here(name, build, reread)
    else:
        _run_workers(name, build, workers, reread)


def _run_here(name: str, build: Callable[[int], Daemon], reread: Callable[[], None]) -> None:
    asked_to_stop = threading.Event()
    asked_to_reload = threading.Event()
    started = threading.Event()

    def on_stop(_number: int, _frame: FrameType | None) -> None:
        # Asked twice: no patience left. Not up yet: what start does is safe to cut off, as by a kill.
        if asked_to_stop.is_set() or not started.is_set():
            _leave()
        asked_to_stop.set()

    def on_reload(_number: int, _frame: FrameType | None) -> None:
        asked_to_reload.set()

    signal.signal(signal.SIGTERM, on_stop)
    signal.signal(signal.SIGINT, on_stop)
    signal.signal(signal.SIGHUP, on_reload)
    daemon = build(0)
    daemon.start()
    started.set()
    LOG.info("%s is up", name)
    while not asked_to_stop.wait(timeout=1):
        if asked_to_reload.is_set():
            asked_to_reload.clear()
            reread()
            daemon.reload()
    LOG.info("%s is stopping", name)
    daemon.stop()
    LOG.info("%s has stopped", name)
    _leave()


def _leave() -> None:
    """End now. Work that outlasted its deadline is left to its recovery; its threads must not hold us."""
    logging.shutdown()
    os._exit(0)


def _run_workers(name: str, build: Callable[[int], Daemon], workers: int, reread: Callable[[], None]) -> None:
    import cotyledon

    class Worker(cotyledon.Service):
        """One forked worker."""

        name = "worker"

        def __init__(self, worker_id: int) -> None:
            super().__init__(cotyledon.types.WorkerId(worker_id))
            self._number = worker_id
            self._done = threading.Event()
            self._daemon: Daemon | None = None

        def run(self) -> None:
            self._daemon = build(self._number)
            self._daemon.start()
            LOG.info("%s worker %d is up", name, self._number)
            self._done.wait()

        def terminate(self) -> None:
            if self._daemon is not None:
                self._daemon.stop()
            self._done.set()

        def reload(self) -> None:
            reread()
            if self._daemon is not None:
                self._daemon.reload()

    manager = cotyledon.ServiceManager()
    manager.register_hooks(on_reload=reread)
    manager.add(Worker, workers=workers)
    manager.run()


def default_workers(asked: int | None, ceiling: int | None = None) -> int:
    """The number of workers: as asked, else one per processor (contract: conductor.workers)."""
    count = asked if asked and asked > 0 else len(os.sched_getaffinity(0))
    return min(count, ceiling) if ceiling else count


def thread_excepthook(args: Any) -> None:
    """Threads that die do so in the log."""
    LOG.error("thread %s died", args.thread, exc_info=(args.exc_type, args.exc_value, args.exc_traceback))
