"""Running commands with their output kept in one log per part."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


class CommandFailed(Exception):
    """A command ended with an exit code that was not expected."""


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without credentials and Python settings of the person's shell."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("OS_", "OVN_", "OVS_", "RABBITMQ_"))
        and name not in {"PYTHONPATH", "VIRTUAL_ENV"}
    }
    path = kept.get("PATH", "")
    return {
        **kept,
        "PATH": f"/usr/sbin:/sbin:/usr/bin:/bin:{path}",
        "PYTHONWARNINGS": "ignore",
        **(extra or {}),
    }


@dataclass(frozen=True)
class Shell:
    """Runs commands; what they print goes to `log`."""

    log: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    def run(
        self,
        *command: str | Path,
        environment: Mapping[str, str] | None = None,
        stdin: str | None = None,
        accept: Sequence[int] = (0,),
        cwd: Path | None = None,
    ) -> int:
        """Run to the end.

        Raises:
            CommandFailed: the exit code is not in `accept`.
        """
        words = [str(word) for word in command]
        with self.log.open("a") as out:
            out.write(f"$ {' '.join(words)}\n")
            out.flush()
            done = subprocess.run(
                words,
                env=clean_environment({**self.environment, **(environment or {})}),
                input=stdin,
                stdin=None if stdin is not None else subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
                cwd=cwd,
            )
        if done.returncode not in accept:
            raise CommandFailed(
                f"'{Path(words[0]).name} {' '.join(words[1:3])}' ended with {done.returncode}"
            )
        return done.returncode


def output(*command: str | Path, environment: Mapping[str, str] | None = None) -> str | None:
    """What a command prints, or None when it fails."""
    done = subprocess.run(
        [str(word) for word in command],
        env=clean_environment(environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout if done.returncode == 0 else None


def last_lines(path: Path, count: int) -> list[str]:
    """The end of a log, without reading all of it."""
    if not path.exists():
        return []
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 200 * count))
        return file.read().decode(errors="replace").splitlines()[-count:]
