"""Databases of its own on devstack's MariaDB, made by Nova; and the daemons of either kind on them."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from devstack.lib.parts.mariadb import create_database, query
from devstack.lib.parts.openkeel import CONTROLLER
from devstack.lib.probes import answers
from devstack.lib.shell import Shell
from devstack.lib.site import NODES, Site
from tests.interop.nova_daemons import (
    NovaDaemon,
    Override,
    common_file,
    nova_api,
    nova_compute,
    nova_conductor,
    nova_scheduler,
    periodic_work,
    reported,
)
from tests.interop.nova_environment import NovaEnvironment

API: Final = "takeover_api"
CELL0: Final = "takeover_cell0"
CELL1: Final = "takeover_cell1"

_UNCHECKED: Final = Override("api", "response_validation", "ignore", "Nova takes three times as long with it")


@dataclass(frozen=True)
class Place:
    """One deployment beside OpenKeel's, on the same services and ports."""

    site: Site
    nova: NovaEnvironment

    @property
    def file(self) -> Path:
        """The options that name its databases."""
        return self.site.etc / "interop" / "takeover.conf"

    def _overrides(self) -> tuple[Override, ...]:
        why = "databases of its own"
        return (
            Override("api_database", "connection", self.site.database(API), why),
            Override("database", "connection", self.site.database(CELL1), why),
            Override("scheduler", "discover_hosts_in_cells_interval", -1, "hosts are discovered once"),
        )

    def make_databases(self) -> None:
        """Empty ones, with everything in them that nova-manage makes."""
        self.drop_databases()
        shutil.rmtree(self.site.data / "interop" / "takeover", ignore_errors=True)
        log = self.site.log / "interop"
        log.mkdir(parents=True, exist_ok=True)
        shell = Shell(log / "takeover-databases.log")
        for name in (API, CELL0, CELL1):
            create_database(self.site, shell, name)
        one = NovaDaemon(self.site, "takeover", lambda _files: (), (), lambda _began: True, self._overrides())
        one.write_files()
        self.manage("api_db", "sync")
        self.manage("cell_v2", "map_cell0", "--database_connection", self.site.database(CELL0))
        self.manage("db", "sync")
        self.manage("cell_v2", "create_cell", "--name", "cell1")

    def drop_databases(self) -> None:
        for name in (API, CELL0, CELL1):
            query(self.site, "mysql", f"DROP DATABASE IF EXISTS {name}")

    def manage(self, *words: str) -> str:
        """nova-manage on these databases."""
        done = self.nova.manage(*words, files=(common_file(self.site), self.file))
        assert done.returncode == 0, (words, done.stdout[-2000:], done.stderr[-2000:])
        return done.stdout

    # Daemons

    def nova_controllers(self) -> Sequence[NovaDaemon]:
        """In the order they start."""
        return (
            self._here(nova_conductor(self.nova, self.site), "nova-conductor"),
            self._here(nova_scheduler(self.nova, self.site), "nova-scheduler"),
            self._here(nova_api(self.nova, self.site).with_overrides(_UNCHECKED)),
        )

    def nova_computes(self) -> Sequence[NovaDaemon]:
        """One per node of the network, since only there ports can be bound."""
        return [self._compute(node) for node in NODES]

    def openkeel_controllers(self) -> Sequence[NovaDaemon]:
        """OpenKeel's in their places, with the same options."""
        return tuple(
            self._here(self._openkeel(name), binary)
            for name, binary in (
                ("openkeel-conductor", "nova-conductor"),
                ("openkeel-scheduler", "nova-scheduler"),
                ("openkeel-api", None),
            )
        )

    def _openkeel(self, name: str) -> NovaDaemon:
        return NovaDaemon(
            site=self.site,
            name=name,
            command=lambda files: (
                self.site.venv / "bin" / name,
                *(word for file in files for word in ("--config-file", str(file))),
            ),
            files=(common_file(self.site),),
            ready=lambda _began: answers(self.site.url("compute")),
        )

    def _compute(self, node: str) -> NovaDaemon:
        state = self.site.data / "interop" / "takeover" / node
        state.mkdir(parents=True, exist_ok=True)
        daemon = nova_compute(self.nova, self.site, node)
        own = Override("DEFAULT", "state_path", state, "OpenKeel's compute has its node's id in its own")
        more = (
            Override("DEFAULT", "cpu_allocation_ratio", 64, "the fake driver's nodes are small"),
            Override("DEFAULT", "ram_allocation_ratio", 8, "as above"),
        )
        here = self._here(daemon.with_overrides(own, *more, *periodic_work()), "nova-compute", node)
        rows = f"SELECT COUNT(*) FROM compute_nodes WHERE deleted = 0 AND host = '{node}'"
        has_node = lambda: query(self.site, CELL1, rows) not in {None, "0"}  # noqa: E731 - read in one place only
        return replace(here, ready=lambda began: here.ready(began) and has_node())

    def _here(self, daemon: NovaDaemon, binary: str | None = None, host: str = CONTROLLER) -> NovaDaemon:
        """The same on these databases, under another name."""
        here = daemon.with_overrides(*self._overrides()).called(f"{daemon.name}-takeover")
        if binary is None:
            return here
        return replace(here, ready=lambda began: reported(self.site, binary, host, began, CELL1))
