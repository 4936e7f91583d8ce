"""Failures on order, for the fakes of outside services."""

import threading
from collections import defaultdict, deque


class Faults:
    """Errors that the next calls of a method raise before (or after) they do anything."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._before: dict[str, deque[Exception]] = defaultdict(deque)
        self._after: dict[str, deque[Exception]] = defaultdict(deque)

    def fail(self, method: str, error: Exception, *, times: int = 1, after: bool = False) -> None:
        """Let the next calls fail; with `after` the work is done and only the answer is lost."""
        with self._lock:
            (self._after if after else self._before)[method].extend([error] * times)

    def clear(self) -> None:
        """Let everything work again."""
        with self._lock:
            self._before.clear()
            self._after.clear()

    def before(self, method: str) -> None:
        """Raise what is ordered for the start of this call."""
        self._raise(self._before, method)

    def after(self, method: str) -> None:
        """Raise what is ordered for the end of this call."""
        self._raise(self._after, method)

    def _raise(self, ordered: dict[str, deque[Exception]], method: str) -> None:
        with self._lock:
            error = ordered[method].popleft() if ordered.get(method) else None
        if error is not None:
            raise error
