"""Install, configure, run, judge: see `scripts/tempest`."""

import argparse
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial

from devstack.lib.site import Site
from tests.tempest import cloud, report, skips
from tests.tempest.configuration import tempest_conf
from tests.tempest.environment import TempestEnvironment
from tests.tempest.outcomes import Outcome, Runner


def main(words: Sequence[str] | None = None) -> int:
    """0 when every test that ran passed and every test that did not is on the list with its reason."""
    parser = argparse.ArgumentParser(prog="scripts/tempest")
    parser.add_argument("expression", nargs="?", default=r"^tempest\.api\.compute\.")
    parser.add_argument("--listed", action="store_true", help="run the tests of skips.txt, and no others")
    asked = parser.parse_args(words)

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # networks are shared again at the end
    site = Site.load()
    environment = TempestEnvironment.of(site)
    environment.install(site)
    configuration = site.etc / "tempest" / "tempest.conf"
    configuration.parent.mkdir(exist_ok=True)
    configuration.write_text(tempest_conf(cloud.prepare(site), environment.workspace))
    runner = Runner(environment, configuration)

    tests = runner.tests(asked.expression)
    if not tests:
        parser.error(f"no test is called {asked.expression}")
    known = skips.parse(skips.SKIPS.read_text())
    reasons = skips.reasons(tests, known)
    chosen = [test for test in tests if (test in reasons) == asked.listed]
    outcomes: list[Outcome] = []
    shared = [test for test in chosen if cloud.ON_A_SHARED_NETWORK.search(test)]
    others = [test for test in chosen if test not in shared]
    rounds: tuple[tuple[list[str], Callable[[], AbstractContextManager[None]]], ...] = (
        (shared, nullcontext),
        (others, partial(cloud.nothing_shared, site)),
    )
    with (site.log / "tempest.txt").open("w") as said:
        for of_round, networks in rounds:
            if of_round:
                with networks():
                    for outcome in runner.run(of_round, said):
                        outcomes.append(outcome)
                        _say(outcome)

    idle = skips.idle(runner.tests(r"^tempest\.api\.compute\."), known)
    faults = [*report.faults(outcomes, chosen), *(f"skips.txt names no test: {line}" for line in idle)]
    passed = sum(outcome.status == "ok" for outcome in outcomes)
    lines = ["", *report.table(outcomes), "", "not run, by reason (tests/tempest/skips.txt)"]
    lines += [*report.listed({} if asked.listed else reasons), "", *faults]
    lines += [f"{passed} passed, {len(tests) - len(chosen)} listed, {len(faults)} not as they must be"]
    sys.stdout.write("\n".join(lines) + f"\nlogs: {site.log}/tempest.txt, tempest.log\n")
    return 1 if faults else 0


def _say(outcome: Outcome) -> None:
    sys.stdout.write(f"{outcome.status:7} {outcome.seconds:6.1f} s  {outcome.test} {outcome.reason}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
