"""Tempest's own environment: locked by `requirements.txt` here, installed below devstack's folder."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devstack.lib.shell import Shell
from devstack.lib.site import Site

REQUIREMENTS: Final = Path(__file__).with_name("requirements.txt")


@dataclass(frozen=True)
class TempestEnvironment:
    """A virtual environment that holds Tempest, and the folder where it runs."""

    folder: Path
    workspace: Path

    @classmethod
    def of(cls, site: Site) -> "TempestEnvironment":
        """The one that belongs to a devstack."""
        return cls(site.home / "env" / "tempest", site.data / "tempest")

    def program(self, name: str) -> Path:
        return self.folder / "bin" / name

    def install(self, site: Site) -> None:
        """Install what is locked and prepare the workspace of stestr, unless both are there."""
        note, wanted = self.folder / "tempest.done", REQUIREMENTS.read_text()
        shell = Shell(site.log / "tempest-environment.setup.log")
        if not note.exists() or note.read_text() != wanted:
            uv = site.venv / "bin" / "uv"
            if not self.program("python").exists():
                shell.run(uv, "venv", "-q", "--python", site.venv / "bin" / "python", self.folder)
            python = self.program("python")
            shell.run(uv, "pip", "sync", "-p", python, "--compile-bytecode", REQUIREMENTS)
            note.write_text(wanted)
        self._workspace(shell)

    def _workspace(self, shell: Shell) -> None:
        packages = next(self.folder.glob("lib/python3*/site-packages"))
        self.workspace.mkdir(parents=True, exist_ok=True)
        (self.workspace / ".stestr.conf").write_text(
            f"[DEFAULT]\ntest_path={packages}/tempest/test_discover\ntop_dir={packages}\n"
            "group_regex=([^\\.]*\\.)*\n"  # a class stays in one process: its fixtures are costly
        )
        if not (self.workspace / ".stestr").exists():
            shell.run(self.program("stestr"), "init", cwd=self.workspace)
