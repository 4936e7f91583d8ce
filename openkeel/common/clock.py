"""Time, injectable. Inside OpenKeel times are aware and in UTC; naive ones exist only at the edges."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """What code that needs the time asks for; tests hand in a frozen one."""

    def now(self) -> datetime:
        """The present as an aware UTC datetime."""

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back."""

    def sleep(self, seconds: float) -> None:
        """Wait."""


class SystemClock:
    """The clock of the machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)
