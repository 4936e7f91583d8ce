"""The list of tests that do not run: a regular expression and a reason a line."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SKIPS: Final = Path(__file__).with_name("skips.txt")


class BadSkip(Exception):
    """A line of the list without a reason, or that is no regular expression."""


@dataclass(frozen=True)
class Skip:
    """Tests that do not run, and why."""

    pattern: re.Pattern[str]
    reason: str


def parse(text: str) -> tuple[Skip, ...]:
    """Lines `regex  # reason`; empty lines and those that begin with # say nothing.

    Raises:
        BadSkip: names the line.
    """
    skips = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        expression, _, reason = (part.strip() for part in line.partition(" # "))
        if not reason:
            raise BadSkip(f"line {number} gives no reason: {line}")
        try:
            skips.append(Skip(re.compile(expression), reason))
        except re.error as error:
            raise BadSkip(f"line {number} is no regular expression: {error}") from error
    return tuple(skips)


def reasons(tests: Iterable[str], skips: Sequence[Skip]) -> dict[str, str]:
    """Every listed test and its reason; the first line that names it counts."""
    found = {}
    for test in tests:
        reason = next((skip.reason for skip in skips if skip.pattern.search(test)), None)
        if reason is not None:
            found[test] = reason
    return found


def idle(tests: Sequence[str], skips: Sequence[Skip]) -> list[str]:
    """Lines that name no test: they were mistyped, or Tempest dropped what they meant."""
    return [skip.pattern.pattern for skip in skips if not any(skip.pattern.search(test) for test in tests)]
