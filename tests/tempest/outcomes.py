"""One run of stestr, test by test."""

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

from devstack.lib.shell import clean_environment
from tests.tempest.environment import TempestEnvironment

PROCESSES: Final = 2
TEST_TIMEOUT_S: Final = 400
LINE: Final = re.compile(
    r"^\{\d+\} (?P<test>.+?)(?: \[(?P<seconds>[\d.]+)s\])?"
    r" \.\.\. (?P<status>ok|FAILED|SKIPPED)(?:: (?P<reason>.*))?$"
)
PREPARATION: Final = re.compile(r"^(?:setUp|tearDown)Class \((?P<group>.+)\)$")


@dataclass(frozen=True)
class Outcome:
    """How a test, or the preparation of a class, ended."""

    test: str
    status: str
    seconds: float
    reason: str

    @property
    def group(self) -> str:
        """The class that was run or prepared."""
        prepared = PREPARATION.match(self.test)
        return class_of(f"{prepared['group']}.all" if prepared else self.test)


def without_tags(test: str) -> str:
    """A test's name as stestr tells outcomes: what stands in brackets is left out."""
    return test.partition("[")[0]


def class_of(test: str) -> str:
    """The class of a test, without what all have in common."""
    return without_tags(test).rpartition(".")[0].removeprefix("tempest.api.compute.")


@dataclass(frozen=True)
class Runner:
    """Runs Tempest's tests with one configuration."""

    environment: TempestEnvironment
    configuration: Path

    def tests(self, expression: str) -> list[str]:
        """The names of the tests that an expression chooses."""
        listed = subprocess.run(
            [self._stestr, "list", expression],
            env=self._environment,
            cwd=self.environment.workspace,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
        )
        return [line for line in listed.stdout.splitlines() if line.startswith("tempest.")]

    def run(self, tests: Sequence[str], said: TextIO) -> Iterator[Outcome]:
        """Run these, two at a time. All that stestr says goes to `said`, every outcome is yielded at once."""
        chosen = self.environment.workspace / "chosen.txt"
        chosen.write_text("".join(f"{test}\n" for test in tests))
        command = [self._stestr, "run", "--load-list", str(chosen), "--concurrency", str(PROCESSES)]
        with subprocess.Popen(
            command,
            env=self._environment,
            cwd=self.environment.workspace,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            assert process.stdout is not None
            try:
                for line in process.stdout:
                    said.write(line)
                    if found := LINE.match(line):
                        seconds = float(found["seconds"] or 0)
                        yield Outcome(found["test"], found["status"], seconds, found["reason"] or "")
            finally:
                process.terminate()  # nobody reads on

    @property
    def _stestr(self) -> str:
        return str(self.environment.program("stestr"))

    @property
    def _environment(self) -> dict[str, str]:
        programs = self.environment.folder / "bin"
        cleaned = clean_environment()
        return {
            **cleaned,
            "PATH": f"{programs}{os.pathsep}{cleaned['PATH']}",
            "TEMPEST_CONFIG_DIR": str(self.configuration.parent),
            "TEMPEST_CONFIG": self.configuration.name,
            "OS_TEST_TIMEOUT": str(TEST_TIMEOUT_S),
            "PYTHONUNBUFFERED": "1",
        }
