"""supervisord: its configuration, made from the table, and the few calls we make to it."""

import http.client
import shlex
import socket
import time
import xmlrpc.client
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devstack.lib.ini import render
from devstack.lib.part import Part, Program
from devstack.lib.processes import end, with_environment
from devstack.lib.shell import CommandFailed, Shell
from devstack.lib.site import Site

RUNNING = ("STARTING", "RUNNING")
GIVEN_UP = ("FATAL", "EXITED", "UNKNOWN")
NO_SUCH_NAME, ALREADY_STARTED, NOT_RUNNING = 10, 60, 70


@dataclass(frozen=True)
class Process:
    """What supervisor knows of a program."""

    name: str
    group: str
    state: str
    pid: int
    spawn_error: str

    @property
    def alive(self) -> bool:
        return self.state in RUNNING


def configuration(site: Site, parts: Sequence[Part]) -> str:
    """supervisord.conf for every part that runs a program."""
    socket_path = site.run / "supervisor.sock"
    programs = {part.name: (part, part.program(site)) for part in parts if part.program}
    groups: dict[str, list[str]] = {}
    for part, _program in programs.values():
        groups.setdefault(part.group, []).append(part.name)
    sections: dict[str, Mapping[str, object]] = {
        "unix_http_server": {"file": socket_path, "chmod": "0700"},
        "rpcinterface:supervisor": {
            "supervisor.rpcinterface_factory": "supervisor.rpcinterface:make_main_rpcinterface"
        },
        "supervisord": {
            "logfile": site.log / "supervisord.log",
            "pidfile": site.run / "supervisord.pid",
            "childlogdir": site.log,
            "directory": site.root,
            "user": "root",
            "minfds": 4096,
        },
        "supervisorctl": {"serverurl": f"unix://{socket_path}"},
    }
    for name, (_part, program) in programs.items():
        sections[f"program:{name}"] = _program_section(site, name, program)
    for group, names in groups.items():
        sections[f"group:{group}"] = {"programs": names}
    return render(sections)


def _program_section(site: Site, name: str, program: Program) -> dict[str, object]:
    environment = {
        "TMPDIR": str(site.run / "tmp"),
        "SPT_NOENV": "1",  # setproctitle must not write over the environment, by which we know our own
        **program.environment,
    }
    return {
        "command": shlex.join(program.command).replace("%", "%%"),
        "environment": ",".join(f'{key}="{value}"' for key, value in environment.items()).replace("%", "%%"),
        "autostart": False,
        "autorestart": True,
        "startretries": 5,
        "stopsignal": "TERM",
        "stopwaitsecs": program.stop_seconds,
        "stopasgroup": program.stop_group,
        "killasgroup": True,
        "redirect_stderr": True,
        "stdout_logfile": site.log / f"{name}.log",
        "stdout_logfile_maxbytes": "50MB",
        "stdout_logfile_backups": 1,
    }


class _UnixTransport(xmlrpc.client.Transport):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def make_connection(self, host: Any) -> http.client.HTTPConnection:  # noqa: ARG002  the library's
        connection = http.client.HTTPConnection("localhost")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(str(self._path))
        return connection


class Supervisor:
    """The running supervisord of a site. Safe to use from several threads."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._socket = site.run / "supervisor.sock"
        self._configuration = site.etc / "supervisord.conf"

    def _call(self, method: str, *arguments: object) -> Any:
        with xmlrpc.client.ServerProxy("http://supervisor", _UnixTransport(self._socket)) as proxy:
            return getattr(proxy, f"supervisor.{method}")(*arguments)

    @property
    def running(self) -> bool:
        try:
            return bool(self._call("getPID"))
        except OSError:
            return False

    def ensure(self, parts: Sequence[Part]) -> None:
        """Start supervisord, or tell the running one about changed parts."""
        text = configuration(self._site, parts)
        changed = not self._configuration.exists() or self._configuration.read_text() != text
        self._configuration.write_text(text)
        if not self.running:
            self._launch()
        elif changed:
            self._reload()

    def _launch(self) -> None:
        self._end_orphans()
        shell = Shell(self._site.log / "supervisord.setup.log")
        shell.run(self._site.venv / "bin" / "supervisord", "-c", self._configuration, cwd=self._site.root)
        deadline = time.monotonic() + 20
        while not self.running:
            if time.monotonic() > deadline:
                raise CommandFailed("supervisord does not answer")
            time.sleep(0.1)

    def _reload(self) -> None:
        """Take over the new configuration; groups that changed are stopped and what ran is started again."""
        ran = [process for process in self.processes().values() if process.alive]
        ((added, changed, removed),) = self._call("reloadConfig")
        for group in (*changed, *removed):
            self._call("stopProcessGroup", group)
            self._call("removeProcessGroup", group)
        for group in (*changed, *added):
            self._call("addProcessGroup", group)
        for process in ran:
            if process.group in changed and process.name in self.processes():
                self.start(process.group, process.name)

    def processes(self) -> dict[str, Process]:
        """By part name; empty when supervisord is down."""
        try:
            found = self._call("getAllProcessInfo")
        except OSError:
            return {}
        return {
            info["name"]: Process(
                info["name"], info["group"], info["statename"], info["pid"], info["spawnerr"]
            )
            for info in found
        }

    def start(self, group: str, name: str) -> None:
        """Start without waiting."""
        self._tolerate(ALREADY_STARTED, "startProcess", f"{group}:{name}", False)

    def stop(self, group: str, name: str) -> None:
        """Stop and wait for the end."""
        self._tolerate(NOT_RUNNING, "stopProcess", f"{group}:{name}", True)

    def stop_group(self, group: str) -> None:
        self._tolerate(NO_SUCH_NAME, "stopProcessGroup", group, True)

    def shut_down(self) -> None:
        """Stop supervisord and everything it or a predecessor started, and wait for the end."""
        if self.running:
            self._call("shutdown")
            while self.running:
                time.sleep(0.1)
        self._end_orphans()

    def _end_orphans(self) -> None:
        """Those of a killed supervisord too: it names itself in the environment of its programs."""
        end(with_environment("SUPERVISOR_SERVER_URL", f"unix://{self._socket}"))

    def _tolerate(self, code: int, method: str, *arguments: object) -> None:
        try:
            self._call(method, *arguments)
        except xmlrpc.client.Fault as fault:
            if fault.faultCode != code:
                raise
