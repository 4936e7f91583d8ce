"""The API in a WSGI server that is not ours: it looks at the same things, and may be forked once loaded."""

import signal
import subprocess
import sys
import urllib.request

import pytest

from tests.functional.daemons.conftest import ROOT, eventually
from tests.functional.daemons.test_reload import _status, _workers

MODULE = "openkeel.wsgi.osapi_compute"


@pytest.fixture
def environment(tmp_path, monkeypatch):
    monkeypatch.setenv("OS_NOVA_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


class Server:
    """gunicorn with two workers."""

    def __init__(self, site, *more):
        self.log = site.folder / "server.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "gunicorn", "--workers=2", f"--bind=127.0.0.1:{site.port}"),
                    *(*more, f"{MODULE}:application"),
                ],
                stdout=log,
                stderr=log,
                cwd=site.folder,
            )


@pytest.fixture
def serve(site, environment):
    started = []

    def serve(*more):
        started.append(Server(site, *more))
        eventually(lambda: _status(site, "/") == 200)
        return started[-1]

    yield serve
    for server in started:
        server.process.terminate()
        server.process.wait(60)


def test_a_value_that_makes_no_sense_is_named_when_the_module_is_loaded(site, environment):
    (site.folder / "openkeel.conf").write_text(site.options("report_interval = often"))
    done = subprocess.run(
        [sys.executable, "-c", f"import {MODULE}"], capture_output=True, text=True, timeout=150, check=False
    )
    assert done.returncode == 1
    assert "The API does not start: Value for option report_interval" in done.stdout + done.stderr


def test_a_server_that_loads_first_and_forks_then_is_served_by_each_fork(site, serve):
    (site.folder / "openkeel.conf").write_text(site.options())
    serve("--preload")
    assert {_status(site, "/healthcheck") for _ in range(8)} == {200}


def test_a_hangup_lets_new_workers_read_the_files_again(site, serve):
    options = site.folder / "openkeel.conf"
    options.write_text(site.options())
    server = serve()
    before = _workers(server)
    options.write_text(site.options(more="[api]\ncompute_link_prefix = http://new.example\n"))
    server.process.send_signal(signal.SIGHUP)
    eventually(lambda: len(_workers(server)) == 2 and not _workers(server) & before)
    eventually(lambda: _status(site, "/") == 200)
    with urllib.request.urlopen(f"http://127.0.0.1:{site.port}/", timeout=10) as answer:
        assert b"http://new.example" in answer.read()
