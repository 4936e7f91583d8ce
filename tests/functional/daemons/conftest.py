"""Daemons as processes of their own, on empty databases and without a message bus."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.fixtures.db import database_templates

__all__ = ["database_templates"]

ROOT = Path(__file__).parents[3]
RECORD = re.compile(r"^\S+ \S+ (\d+) ([A-Z]+) (.*)$", re.MULTILINE)


def eventually(holds, within_s=120):
    """Wait until something is so."""
    end = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.1)


class Program:
    """One program of OpenKeel with a folder for its files."""

    def __init__(self, name, folder):
        self.name = name
        self.folder = folder
        self.options = folder / "openkeel.conf"
        self.log = folder / "log"
        self.process = None

    def write(self, text):
        self.options.write_text(text)

    def run(self, *words):
        """Run to the end. Returns: exit code, what it said, what it complained about."""
        done = subprocess.run(
            self._command(*words), capture_output=True, text=True, timeout=150, check=False, cwd=self.folder
        )
        return done.returncode, done.stdout, done.stderr

    def start(self, *words):
        with (self.folder / "stderr").open("w") as complaints:
            self.process = subprocess.Popen(
                self._command(*words, f"--log-file={self.log}"),
                stdout=subprocess.DEVNULL,
                stderr=complaints,
                cwd=self.folder,
                start_new_session=True,  # a parent of workers signals its whole group
            )

    def hang_up(self):
        os.kill(self.process.pid, signal.SIGHUP)

    def stop(self):
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(30)
        finally:
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait(10)

    def records(self, level=None, text=""):
        """Lines of the log as (process, level, text)."""
        found = RECORD.findall(self.log.read_text()) if self.log.exists() else []
        return [row for row in found if (level is None or row[1] == level) and text in row[2]]

    def wait_for(self, text, times=1):
        """Wait until so many processes have logged something."""

        def logged():
            assert self.process.poll() is None, (self.folder / "stderr").read_text()
            return len({process for process, _, _ in self.records(text=text)}) >= times

        eventually(logged)

    def _command(self, *words):
        module = self.name.removeprefix("openkeel-")
        code = f"import sys; from openkeel.cmd.{module} import main; sys.exit(main())"
        return [sys.executable, "-c", code, f"--config-file={self.options}", *words]


@pytest.fixture
def program(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    started = []

    def program(name):
        started.append(Program(name, tmp_path))
        return started[-1]

    yield program
    for one in started:
        one.stop()


@pytest.fixture
def site(database_templates, tmp_path):
    """Options with which every controller can start."""
    for name in ("api", "cell1"):
        shutil.copy(database_templates[name].removeprefix("sqlite:///"), tmp_path / f"{name}.sqlite")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return Site(tmp_path, port)


class Site:
    """What stands in the option file, beside what a test adds."""

    def __init__(self, folder, port):
        self.folder = folder
        self.port = port
        self.policy = folder / "policy.yaml"

    def options(self, default="", more=""):
        return f"""\
[DEFAULT]
host = test
transport_url = fake:///
{default}
[database]
connection = sqlite:///{self.folder}/cell1.sqlite
[api_database]
connection = sqlite:///{self.folder}/api.sqlite
[openkeel_api]
listen = 127.0.0.1
listen_port = {self.port}
workers = 2
[oslo_policy]
policy_file = {self.policy}
[placement]
auth_type = none
endpoint_override = http://127.0.0.1:1
{more}
"""
