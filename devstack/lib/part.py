"""What a part is: a row that says what it needs, writes, does, runs, and when it is ready."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from devstack.lib.shell import Shell
from devstack.lib.site import Site


@dataclass(frozen=True)
class Program:
    """A process that supervisor keeps alive."""

    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    port: str | None = None
    """Name in `site.PORTS`, for the status table."""
    stop_seconds: int = 15
    stop_group: bool = False
    """Signal the whole process group, for programs that do not pass the signal on."""


@dataclass(frozen=True)
class Part:
    """One thing `up` brings up. Every field but name and group is optional.

    Order: `files` are written, `setup` runs when `setup_key` differs from the last success, `prepare`
    runs on every `up`, then the program is started (restarted when its command, files or code changed) and
    `ready` is asked until it says yes.
    """

    name: str
    group: str
    needs: tuple[str, ...] = ()
    files: Callable[[Site], Mapping[Path, str]] | None = None
    setup: Callable[[Site, Shell], None] | None = None
    setup_key: Callable[[Site], str] | None = None
    setup_marker: Callable[[Site], Path] | None = None
    """Where success is noted when not in the data folder (installed things outlive a reset)."""
    prepare: Callable[[Site, Shell], None] | None = None
    program: Callable[[Site], Program] | None = None
    code: Callable[[Site], Path] | None = None
    """Source that the program runs from the checkout."""
    ready: Callable[[Site], bool] | None = None
    ready_seconds: int = 180
    show: Callable[[Site], str] | None = None
    """What a person wants to see once all is up."""

    def marker(self, site: Site) -> Path:
        return self.setup_marker(site) if self.setup_marker else site.data / "done" / self.name

    def rendered(self, site: Site) -> Mapping[Path, str]:
        return self.files(site) if self.files else {}

    def digest(self, site: Site) -> str:
        """Changes when the running program no longer is what this row asks for."""
        program = self.program(site) if self.program else None
        told = [repr(program), *(f"{path}\n{text}" for path, text in sorted(self.rendered(site).items()))]
        return digest(*told, *([digest_files(self.code(site))] if self.code else []))


def digest(*texts: str) -> str:
    """A short name for some texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def digest_files(*paths: Path) -> str:
    """One digest over files and folders, for `setup_key`."""
    found = sorted(
        file
        for path in paths
        for file in (path.rglob("*") if path.is_dir() else [path])
        if file.is_file() and file.suffix != ".pyc"
    )
    return digest(*(f"{file.name}\n{file.read_text(errors='replace')}" for file in found))
