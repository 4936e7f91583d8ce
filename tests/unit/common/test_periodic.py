"""Rows run again and again, survive their own failures and can be off."""

import threading
from datetime import UTC, datetime

import pytest

from openkeel.common.periodic import Periodic, PeriodicRunner, off_at_zero, spacing


class SteppingClock:
    """A clock that moves only when work takes time."""

    def __init__(self):
        self.seconds = 0.0

    def now(self):
        return datetime.fromtimestamp(self.seconds, UTC)

    def monotonic(self):
        return self.seconds

    def sleep(self, seconds):
        self.seconds += seconds


class Least:
    def uniform(self, low, high):
        return low


def waits(total):
    """A wait that ends the loop after `total` runs and remembers how long it was asked to wait."""
    asked = []

    def wait(seconds):
        asked.append(seconds)
        return len(asked) > total

    return wait, asked


@pytest.fixture
def clock():
    return SteppingClock()


def test_a_row_runs_from_start_to_start_at_its_interval(clock):
    row = Periodic("work", lambda: clock.sleep(3), every_s=10)
    wait, asked = waits(total=3)
    PeriodicRunner([row], clock=clock, randomness=Least()).loop(row, wait)
    assert asked == [0, 7, 7, 7]


def test_a_run_longer_than_the_interval_is_followed_at_once(clock):
    row = Periodic("slow", lambda: clock.sleep(25), every_s=10)
    wait, asked = waits(total=2)
    PeriodicRunner([row], clock=clock, randomness=Least()).loop(row, wait)
    assert asked == [0, 0, 0]


def test_a_failing_run_does_not_end_the_row(clock):
    runs = []

    def work():
        runs.append(clock.monotonic())
        raise RuntimeError

    row = Periodic("bad", work, every_s=10)
    wait, _ = waits(total=2)
    PeriodicRunner([row], clock=clock).loop(row, wait)
    assert len(runs) == 2


def test_the_first_run_is_spread_unless_it_comes_at_once(clock):
    class Most:
        def uniform(self, low, high):
            return high

    runner = PeriodicRunner([], fuzz_s=60, clock=clock, randomness=Most())
    for at_once, first in ((False, 60), (True, 0)):
        wait, asked = waits(total=0)
        runner.loop(Periodic("work", list, every_s=10, at_once=at_once), wait)
        assert asked == [first]


def test_a_row_without_interval_is_off(clock):
    runner = PeriodicRunner([Periodic("off", list, every_s=0), Periodic("on", list, every_s=1)], clock=clock)
    assert runner.names == ("on",)


@pytest.mark.parametrize(("option", "seconds"), [(0, 60), (-1, 0), (120, 120)])
def test_interval_options_mean_what_operators_know(option, seconds):
    assert spacing(option) == seconds


@pytest.mark.parametrize(("option", "seconds"), [(0, 0), (-1, 0), (120, 120)])
def test_some_options_are_off_at_zero(option, seconds):
    assert off_at_zero(option) == seconds


def test_start_runs_and_stop_ends_the_threads():
    ran = threading.Event()
    runner = PeriodicRunner([Periodic("work", ran.set, every_s=1000, at_once=True)])
    runner.start()
    assert ran.wait(10)
    runner.stop()
    assert not [thread for thread in threading.enumerate() if thread.name == "periodic-work"]
