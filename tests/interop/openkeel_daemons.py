"""OpenKeel's daemons of devstack, one at a time, through devstack's supervisor."""

import time
from dataclasses import dataclass
from typing import Final

from devstack.lib.part import Part
from devstack.lib.parts.table import PARTS
from devstack.lib.site import NODES, Site
from devstack.lib.supervision import GIVEN_UP, Supervisor
from tests.interop.logs import Log

API: Final = "openkeel-api"
CONDUCTOR: Final = "openkeel-conductor"
SCHEDULER: Final = "openkeel-scheduler"
READY_SECONDS: Final = 300


def compute(node: str) -> str:
    """The part's name of the compute of a node."""
    return f"openkeel-compute-{node}"


ALL: Final = (CONDUCTOR, SCHEDULER, API, *(compute(node) for node in NODES))


@dataclass(frozen=True)
class OpenKeelDaemons:
    """Those of one devstack, by the names of its parts."""

    site: Site

    @property
    def _supervisor(self) -> Supervisor:
        return Supervisor(self.site)

    def lacks(self) -> str | None:
        """Why they cannot be used; None when all run."""
        known = self._supervisor.processes()
        still = [name for name in ALL if name not in known or not known[name].alive]
        return f"devstack does not run {', '.join(still)}: run devstack/up" if still else None

    def running(self, name: str) -> bool:
        process = self._supervisor.processes().get(name)
        return process is not None and process.alive

    def log(self, name: str) -> Log:
        return Log(name, self.site.log / f"{name}.log")

    def stop(self, name: str) -> None:
        """Stop it in order, and wait for the end."""
        self._supervisor.stop(_part(name).group, name)

    def start(self, name: str) -> None:
        """Start it and wait until it is ready, as `devstack/up` does; fine when it runs."""
        part = _part(name)
        if self.running(name):
            return
        (self.site.run / "started" / name).touch()  # since when a heartbeat counts
        self._supervisor.start(part.group, name)
        deadline = time.monotonic() + READY_SECONDS
        while not (part.ready and part.ready(self.site)):
            process = self._supervisor.processes().get(name)
            if process is None or process.state in GIVEN_UP or time.monotonic() > deadline:
                raise RuntimeError(f"{name} did not come back:\n{self.log(name).tail()}")
            time.sleep(0.5)

    def restart(self, name: str) -> None:
        self.stop(name)
        self.start(name)

    def start_all(self) -> None:
        """Everything back to where devstack had it."""
        for name in ALL:
            self.start(name)


def _part(name: str) -> Part:
    return next(part for part in PARTS if part.name == name)
