"""Time for the controllers: the real loop, or (in tests) a clock that is moved by hand."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Clock(Protocol):
    def monotonic(self) -> float: ...

    def wall(self) -> float:
        """Seconds since the epoch."""
        ...

    def call_soon(self, function: Callable[[], None]) -> None: ...

    def call_later(self, delay_s: float, function: Callable[[], None]) -> None: ...


class LoopClock:
    """The asyncio loop this is built in."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()

    def monotonic(self) -> float:
        return self._loop.time()

    def wall(self) -> float:
        return time.time()

    def call_soon(self, function: Callable[[], None]) -> None:
        self._loop.call_soon(function)

    def call_later(self, delay_s: float, function: Callable[[], None]) -> None:
        self._loop.call_later(delay_s, function)
