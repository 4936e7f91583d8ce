"""Nova's daemons, run on the configuration files of the OpenKeel daemons they stand in for.

What cannot be the same stands in one small file per daemon, read last: `Override` rows, each with its reason.
The processes carry KEEL_INTEROP in their environment, so that those of a killed run are found and ended.
"""

import contextlib
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from devstack.lib.ini import render
from devstack.lib.parts.mariadb import query
from devstack.lib.parts.openkeel import CELL1_DATABASE, CONTROLLER
from devstack.lib.probes import answers
from devstack.lib.processes import end, parents, tree, with_environment
from devstack.lib.shell import clean_environment
from devstack.lib.site import Site
from tests.interop.client import eventually
from tests.interop.logs import Log
from tests.interop.nova_environment import NovaEnvironment

MARK: Final = "KEEL_INTEROP"
READY_SECONDS: Final = 300
STOP_SECONDS: Final = 120.0


@dataclass(frozen=True)
class Override:
    """An option that Nova needs otherwise than OpenKeel's file says."""

    section: str
    option: str
    value: object
    reason: str


class DaemonFailed(Exception):
    """It ended or did not get ready; the text holds the end of its log."""


@dataclass(frozen=True)
class NovaDaemon:
    """One daemon: `start` returns when it is ready, `stop` when it is gone.

    Args:
        name: of its log, override file and pid file; unique within a run.
        command: made from the final list of configuration files.
        files: configuration files, in the order they are read.
        overrides: written to one more file, read last.
        ready: asked until it says yes; gets the unix time of the start.
    """

    site: Site
    name: str
    command: Callable[[Sequence[Path]], Sequence[str | Path]]
    files: tuple[Path, ...]
    ready: Callable[[float], bool]
    overrides: tuple[Override, ...] = ()
    environment: Callable[[Sequence[Path]], Mapping[str, str]] = field(default=lambda _files: {})

    def with_overrides(self, *more: Override) -> "NovaDaemon":
        """The same with further options of its own."""
        return replace(self, overrides=(*self.overrides, *more))

    def called(self, name: str) -> "NovaDaemon":
        return replace(self, name=name)

    @property
    def log(self) -> Log:
        return Log(self.name, self.site.log / "interop" / f"{self.name}.log")

    @property
    def _pid_file(self) -> Path:
        return self.site.run / "interop" / f"{self.name}.pid"

    @property
    def all_files(self) -> tuple[Path, ...]:
        return (*self.files, self._override_file)

    @property
    def _override_file(self) -> Path:
        return self.site.etc / "interop" / f"{self.name}.conf"

    def pid(self) -> int | None:
        """None when it does not run."""
        if not self._pid_file.exists():
            return None
        pid = int(self._pid_file.read_text())
        return pid if pid in with_environment(MARK, str(self.site.home)) else None

    def write_files(self) -> None:
        sections: dict[str, dict[str, object]] = {}
        for row in self.overrides:
            sections.setdefault(row.section, {})[row.option] = row.value
        reasons = "".join(f"# {row.section}.{row.option}: {row.reason}\n" for row in self.overrides)
        self._override_file.parent.mkdir(parents=True, exist_ok=True)
        self._override_file.write_text(reasons + render(sections))

    def start(self) -> None:
        """Start and wait until it is ready.

        Raises: DaemonFailed; it is stopped then.
        """
        self.write_files()
        self.log.path.parent.mkdir(parents=True, exist_ok=True)
        self._pid_file.parent.mkdir(parents=True, exist_ok=True)
        words = [str(word) for word in self.command(self.all_files)]
        extra = {MARK: str(self.site.home), "SPT_NOENV": "1", **self.environment(self.all_files)}
        began = time.time()
        with self.log.path.open("a") as out:
            process = subprocess.Popen(
                words,
                env=clean_environment(extra),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                cwd=self.site.run / "tmp",
            )
        self._pid_file.write_text(str(process.pid))
        try:
            self._await_ready(process, began)
        except BaseException:
            self.stop()
            raise

    def _await_ready(self, process: "subprocess.Popen[bytes]", began: float) -> None:
        while not self.ready(began):
            code = process.poll()
            if code is not None:
                raise DaemonFailed(f"{self.name} ended with {code}:\n{self.log.tail()}")
            if time.time() > began + READY_SECONDS:
                raise DaemonFailed(f"{self.name} was not ready in {READY_SECONDS} s:\n{self.log.tail()}")
            time.sleep(0.5)

    def stop(self) -> None:
        """Ask it to end, workers too, and wait; fine when it does not run."""
        pid = self.pid()
        if pid is not None:
            end(tree(pid, parents()) & with_environment(MARK, str(self.site.home)), STOP_SECONDS)
            with contextlib.suppress(ChildProcessError):  # started by another run
                os.waitpid(pid, 0)
        self._pid_file.unlink(missing_ok=True)


def end_strays(site: Site) -> None:
    """End every Nova daemon that a killed run left on this devstack."""
    end(with_environment(MARK, str(site.home)), STOP_SECONDS)


# The daemons


def common_file(site: Site) -> Path:
    """The configuration of every OpenKeel daemon."""
    return site.etc / "openkeel" / "openkeel.conf"


def compute_file(site: Site, node: str) -> Path:
    """What is different on one compute."""
    return site.etc / "openkeel" / f"compute-{node}.conf"


def reported(site: Site, binary: str, host: str, since: float, database: str = CELL1_DATABASE) -> bool:
    """The service's record was renewed after this unix time."""
    statement = (
        "SELECT COUNT(*) FROM services WHERE deleted = 0 "
        f"AND `binary` = '{binary}' AND host = '{host}' "
        f"AND COALESCE(last_seen_up, created_at) >= FROM_UNIXTIME({int(since)})"
    )
    return query(site, database, f"SET time_zone = '+00:00'; {statement}") not in {None, "0"}


def nova_conductor(nova: NovaEnvironment, site: Site, host: str = CONTROLLER) -> NovaDaemon:
    return _service(nova, site, "nova-conductor", host)


def nova_scheduler(nova: NovaEnvironment, site: Site, host: str = CONTROLLER) -> NovaDaemon:
    return _service(nova, site, "nova-scheduler", host)


def _service(nova: NovaEnvironment, site: Site, binary: str, host: str) -> NovaDaemon:
    beside = Override("DEFAULT", "host", host, "it runs beside another daemon of its kind")
    return NovaDaemon(
        site=site,
        name=binary if host == CONTROLLER else f"{binary}-{host}",
        command=lambda files: (nova.program(binary), *_options(files)),
        files=(common_file(site),),
        ready=lambda began: reported(site, binary, host, began),
        overrides=() if host == CONTROLLER else (beside,),
    )


def nova_compute(nova: NovaEnvironment, site: Site, node: str) -> NovaDaemon:
    """In place of openkeel-compute on one node, with Nova's fake driver.

    Of Nova's fake drivers it is the one whose node keeps its UUID over a restart
    (`predictable_uuid(node)`), without which Nova refuses to start a second time.
    """
    return NovaDaemon(
        site=site,
        name=f"nova-compute-{node}",
        command=lambda files: (nova.program("nova-compute"), *_options(files)),
        files=(common_file(site), compute_file(site, node)),
        ready=lambda began: (
            reported(site, "nova-compute", node, began)
            and query(
                site,
                CELL1_DATABASE,
                f"SELECT COUNT(*) FROM compute_nodes WHERE deleted = 0 AND host = '{node}'",
            )
            not in {None, "0"}
        ),
        overrides=(
            Override(
                "DEFAULT",
                "compute_driver",
                "fake.PredictableNodeUUIDDriver",
                "Nova knows no KubeVirt; OpenKeel has no such choice",
            ),
        ),
    )


def periodic_work(seconds: int = 10) -> tuple[Override, ...]:
    """Options with which a compute of Nova does its periodic work within a test, and tells of it."""
    options = (
        "update_resources_interval",
        "sync_power_state_interval",
        "heal_instance_info_cache_interval",
        "scheduler_instance_sync_interval",
        "instance_delete_interval",
    )
    soon = tuple(Override("DEFAULT", option, seconds, "periodic work within a test") for option in options)
    return (
        *soon,
        Override("DEFAULT", "sync_power_state_pool_size", 50, "it warns of a queue else"),
        Override("DEFAULT", "debug", True, "it tells of its periodic work at this level only"),
    )


def await_periodic_work(*computes: NovaDaemon) -> None:
    """All of it began and ended after this moment, on computes with the options of `periodic_work`."""
    tasks = (
        "update_available_resource",
        "_sync_power_states",
        "_heal_instance_info_cache",
        "_sync_scheduler_instance_info",
        "_run_pending_deletes",
    )
    since = {compute.name: compute.log.position() for compute in computes}
    for compute in computes:
        for task in tasks:
            began = f"Running periodic task ComputeManager.{task} "

            def again(log: Log = compute.log, since: int = since[compute.name], began: str = began) -> bool:
                return log.text(since).count(began) >= 2  # the first has ended when the second begins

            eventually(again, 300, f"{task} ran on {compute.name}")


def nova_api(nova: NovaEnvironment, site: Site) -> NovaDaemon:
    """The compute API behind uwsgi, as deployments of Nova run it."""
    return NovaDaemon(
        site=site,
        name="nova-api",
        command=lambda _files: (
            nova.program("uwsgi"),
            *("--http-socket", f"127.0.0.1:{site.port('compute')}"),
            *("--module", "nova.wsgi.osapi_compute:application"),
            *("--master", "--need-app", "--lazy-apps", "--processes", "2", "--threads", "1"),
            *("--enable-threads", "--die-on-term", "--thunder-lock", "--buffer-size", "65535"),
            *("--http-chunked-input", "--add-header", "Connection: close", "--disable-logging"),
            *("--worker-reload-mercy", "5", "--socket-timeout", "120"),
        ),
        files=(common_file(site),),
        ready=lambda _began: answers(site.url("compute")),
        environment=lambda files: {
            "OS_NOVA_CONFIG_DIR": str(common_file(site).parent),
            # The pipeline first, as Nova asks for; it lies in the environment, not below /etc/nova.
            "OS_NOVA_CONFIG_FILES": ";".join(str(file) for file in (nova.paste_file, *files)),
        },
    )


# Ours, where one is to run with other options than devstack gives it


def openkeel_conductor(site: Site) -> NovaDaemon:
    return _ours(
        site, "openkeel-conductor", lambda began: reported(site, "nova-conductor", CONTROLLER, began)
    )


def openkeel_api(site: Site) -> NovaDaemon:
    return _ours(site, "openkeel-api", lambda _began: answers(site.url("compute")))


def _ours(site: Site, binary: str, ready: Callable[[float], bool]) -> NovaDaemon:
    return NovaDaemon(
        site=site,
        name=binary,
        command=lambda files: (site.venv / "bin" / binary, *_options(files)),
        files=(common_file(site),),
        ready=ready,
    )


def _options(files: Sequence[Path]) -> list[str]:
    return [word for file in files for word in ("--config-file", str(file))]
