"""What a run came to: a table by class, the reasons of what did not run, and the verdict."""

from collections import Counter
from collections.abc import Mapping, Sequence

from tests.tempest.outcomes import Outcome, class_of, without_tags


def table(outcomes: Sequence[Outcome]) -> list[str]:
    """Passed, failed and skipped by class."""
    groups: dict[str, Counter[str]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.group, Counter())[outcome.status] += 1
    lines = ["passed  failed skipped  class"]
    lines += [
        f"{count['ok']:6}  {count['FAILED']:6} {count['SKIPPED']:7}  {group}"
        for group, count in sorted(groups.items())
    ]
    return lines


def listed(reasons: Mapping[str, str]) -> list[str]:
    """How many tests did not run, by reason."""
    return [f"{count:6}  {reason}" for reason, count in Counter(reasons.values()).most_common()]


def faults(outcomes: Sequence[Outcome], chosen: Sequence[str]) -> list[str]:
    """All that is not as it must be: failures, skips without a line, and tests that told nothing."""
    told = {outcome.test for outcome in outcomes}
    unprepared = {outcome.group for outcome in outcomes if outcome.test.startswith("setUpClass")}
    lines = [
        f"{outcome.status}: {outcome.test} {outcome.reason}".rstrip()
        for outcome in outcomes
        if outcome.status != "ok"
    ]
    lines += [
        f"no outcome: {test}"
        for test in map(without_tags, chosen)
        if test not in told and class_of(test) not in unprepared
    ]
    return lines
