"""Nova's own environment: locked by `requirements.txt` here, installed below devstack's folder.

OpenKeel neither depends on it nor imports from it. `KEEL_NOVA_ENV` names another one that is there already.
"""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devstack.lib.shell import Shell, clean_environment
from devstack.lib.site import Site

VERSION: Final = "34.0.0"
REQUIREMENTS: Final = Path(__file__).with_name("requirements.txt")


@dataclass(frozen=True)
class NovaEnvironment:
    """A virtual environment that holds Nova."""

    folder: Path

    @classmethod
    def of(cls, site: Site) -> "NovaEnvironment":
        """The one that belongs to a devstack."""
        return cls(Path(os.environ.get("KEEL_NOVA_ENV") or site.home / "env" / "nova"))

    def program(self, name: str) -> Path:
        return self.folder / "bin" / name

    @property
    def paste_file(self) -> Path:
        """The pipeline of nova-api as Nova ships it."""
        return self.folder / "etc" / "nova" / "api-paste.ini"

    def version(self) -> str | None:
        """Nova's version; None when it is not there."""
        found = sorted(self.folder.glob("lib/python3*/site-packages/nova-*.dist-info"))
        return found[0].name.removeprefix("nova-").removesuffix(".dist-info") if found else None

    def lacks(self) -> str | None:
        """Why it cannot be used; None when it can."""
        version = self.version()
        if version is None:
            return f"nova is not installed in {self.folder}: run scripts/interop"
        if version != VERSION:
            return f"{self.folder} holds nova {version}, wanted is {VERSION}: run scripts/interop"
        missing = [name for name in ("nova-compute", "uwsgi") if not self.program(name).exists()]
        return f"{self.folder} lacks {', '.join(missing)}: run scripts/interop" if missing else None

    def install(self, site: Site) -> bool:
        """Install what is locked, unless it is there. Returns whether there was something to do."""
        note, wanted = self.folder / "interop.done", REQUIREMENTS.read_text()
        if self.lacks() is None and ("KEEL_NOVA_ENV" in os.environ or _text(note) == wanted):
            return False
        shell = Shell(site.log / "nova-environment.setup.log")
        uv = site.venv / "bin" / "uv"
        if not self.program("python").exists():
            shell.run(uv, "venv", "-q", "--python", site.venv / "bin" / "python", self.folder)
        python = self.program("python")
        shell.run(uv, "pip", "install", "-p", python, "--compile-bytecode", "-r", REQUIREMENTS)
        note.write_text(wanted)
        return True

    def manage(self, *words: str, files: tuple[Path, ...]) -> subprocess.CompletedProcess[str]:
        """Run nova-manage with these configuration files to its end, whatever its exit code."""
        options = [word for file in files for word in ("--config-file", str(file))]
        return subprocess.run(
            [str(self.program("nova-manage")), *options, *words],
            env=clean_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def main() -> int:
    """Install; what `scripts/interop` runs."""
    site = Site.load()
    environment = NovaEnvironment.of(site)
    fresh = environment.install(site)
    done = "installed" if fresh else "is"
    sys.stdout.write(f"nova {environment.version()} {done} in {environment.folder}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
