"""Named locks within one process: one per instance uuid, one for the host's resources."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class NamedLocks:
    """Locks made on demand and dropped when nobody holds or awaits them."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[str, tuple[threading.RLock, int]] = {}

    @contextmanager
    def hold(self, name: str) -> Iterator[None]:
        """Hold the lock `name` for the block; re-entrant in the same thread."""
        with self._guard:
            lock, users = self._locks.get(name, (threading.RLock(), 0))
            self._locks[name] = (lock, users + 1)
        try:
            with lock:
                yield
        finally:
            with self._guard:
                lock, users = self._locks.pop(name)
                if users > 1:
                    self._locks[name] = (lock, users - 1)
