"""Work done again and again: rows that say what and how often, and the runner that does it.

A periodic looks at the whole state, takes no hint and is idempotent, so it does not matter when it
runs. Every row has a thread of its own and therefore never overlaps itself, and a slow one delays
no other. A failure is logged and the next run comes as usual. Each run is timed.
"""

import logging
import random
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Protocol

from openkeel.common.clock import Clock, SystemClock

LOG = logging.getLogger(__name__)

TICK_S: Final = 60.0  # what an interval option of 0 means, as operators know it from Nova


class _Randomness(Protocol):
    def uniform(self, low: float, high: float, /) -> float: ...


@dataclass(frozen=True, slots=True)
class Periodic:
    """One row. Off when `every_s` is 0; `at_once` runs it at the start without the random delay."""

    name: str
    run: Callable[[], object]
    every_s: float
    at_once: bool = False

    @property
    def is_on(self) -> bool:
        """Whether it runs at all."""
        return self.every_s > 0


def spacing(option: float, *, tick_s: float = TICK_S) -> float:
    """Seconds between runs for an interval option: 0 is every tick, a negative one is off (0)."""
    if option < 0:
        return 0.0
    return float(option) or tick_s


def off_at_zero(option: float) -> float:
    """Seconds between runs for an option whose 0 means off."""
    return max(0.0, float(option))


class Wait(Protocol):
    """Wait until told to stop or the seconds are over: True when told to stop."""

    def __call__(self, seconds: float, /) -> bool: ...


class PeriodicRunner:
    """Runs the rows that are on, each in its own thread, from start() to stop()."""

    def __init__(
        self,
        periodics: Iterable[Periodic],
        *,
        fuzz_s: float = 60.0,
        clock: Clock | None = None,
        randomness: _Randomness | None = None,
    ) -> None:
        """Spread first runs over `fuzz_s` seconds, so that many hosts do not ask at the same moment."""
        self._periodics = tuple(row for row in periodics if row.is_on)
        self._fuzz_s = fuzz_s
        self._clock = clock or SystemClock()
        self._randomness = randomness or random.SystemRandom()
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []

    @property
    def names(self) -> tuple[str, ...]:
        """Rows that run."""
        return tuple(row.name for row in self._periodics)

    def start(self) -> None:
        """Begin; returns at once."""
        self._stopping.clear()
        for row in self._periodics:
            thread = threading.Thread(
                target=self.loop, args=(row, self._stopping.wait), name=f"periodic-{row.name}", daemon=True
            )
            self._threads.append(thread)
            thread.start()

    def stop(self, timeout_s: float = 10.0) -> None:
        """Start no more runs and wait for those under way, all together at most `timeout_s`."""
        self._stopping.set()
        deadline = self._clock.monotonic() + timeout_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - self._clock.monotonic()))
            if thread.is_alive():
                LOG.warning("%s did not end in time", thread.name)
        self._threads.clear()

    def loop(self, row: Periodic, wait: Wait) -> None:
        """Run one row until `wait` says stop."""
        delay = 0.0 if row.at_once else self._randomness.uniform(0, self._fuzz_s)
        while not wait(delay):
            took = self.run_once(row)
            # Counted from start to start; a run longer than the interval is followed by the next
            # one at once, and the missed ones are dropped.
            delay = max(0.0, row.every_s - took)

    def run_once(self, row: Periodic) -> float:
        """Run one row now and return the seconds it took."""
        started = self._clock.monotonic()
        try:
            row.run()
        except Exception:
            LOG.exception("periodic %s failed", row.name)
        took = self._clock.monotonic() - started
        if took > row.every_s:
            LOG.warning("periodic %s took %.1f s, longer than its interval", row.name, took)
        else:
            LOG.debug("periodic %s took %.3f s", row.name, took)
        return took
