"""One suite on two subjects: the fake driver, and the KubeVirt driver on a stand-in cluster."""

import http.server
import subprocess
import sys
import threading
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from socket import create_server
from typing import Any

import pytest

from openkeel.virt.driver import Driver, GuestEvent
from openkeel.virt.fake import FakeHypervisor
from openkeel.virt.kubevirt.client import KubeClient, connect
from openkeel.virt.kubevirt.driver import build
from openkeel.virt.kubevirt.images import ImageSource
from openkeel.virt.kubevirt.settings import Settings

ROOT = Path(__file__).resolve().parents[3]
TOKEN = "a-token-only-the-importer-knows"


def free_port() -> int:
    with create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class ImageServer(http.server.ThreadingHTTPServer):
    """Serves any image to whoever has the token."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Images)
        self.served: list[str] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class _Images(http.server.BaseHTTPRequestHandler):
    server: ImageServer

    def do_GET(self) -> None:
        allowed = self.headers.get("X-Auth-Token") == TOKEN
        self.send_response(200 if allowed else 401)
        self.end_headers()
        if allowed:
            self.server.served.append(self.path)
            self.wfile.write(b"image" * 1000)

    def do_HEAD(self) -> None:
        self.send_response(405)
        self.end_headers()

    def log_message(self, *_arguments: Any) -> None:
        pass


@dataclass
class StandIn:
    """A cluster process of this test session."""

    kubeconfig: Path
    url: str
    process: "subprocess.Popen[bytes]"


@pytest.fixture(scope="session")
def stand_in(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cluster")
    port = free_port()
    kubeconfig = folder / "kubeconfig"
    log = (folder / "log").open("wb")
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "devstack.cluster",
            "--data",
            str(folder / "data"),
            "--port",
            str(port),
            "--nodes",
            "node-1,node-2",
            "--kubeconfig",
            str(kubeconfig),
            "--timings",
            "boot=0.2",
        ],
        cwd=ROOT,
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    deadline = time.monotonic() + 60
    while not kubeconfig.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            pytest.fail((folder / "log").read_text())
        time.sleep(0.05)
    url = f"http://127.0.0.1:{port}"
    urllib.request.urlopen(f"{url}/version", timeout=10).close()
    yield StandIn(kubeconfig, url, process)
    process.terminate()
    process.wait(20)
    log.close()


@pytest.fixture(scope="session")
def image_server():
    server = ImageServer()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@dataclass
class Subject:
    """A driver and what it told."""

    driver: Driver
    events: list[GuestEvent] = field(default_factory=list)

    def kinds(self) -> list[str]:
        return [str(event.kind) for event in self.events]


@pytest.fixture(params=["fake", "kubevirt"])
def subject(request):
    if request.param == "fake":
        driver = FakeHypervisor(node="node-1").driver()
    else:
        driver = kubevirt(request.getfixturevalue("stand_in"), request.getfixturevalue("image_server"))
    subject = Subject(driver)
    driver.host.start(subject.events.append)
    yield subject
    driver.host.stop()


def kubevirt(stand_in, image_server, node="node-1", **more):
    client = KubeClient(
        connect(str(stand_in.kubeconfig), None), timeout_s=10, retry_s=5, qps=more.pop("qps", 500)
    )
    settings = Settings(node_name=node, spawn_timeout_s=20, image_import_timeout_s=20, **more)
    return build(
        client,
        settings,
        lambda image: ImageSource(f"{image_server.url}/v2/images/{image}/file", {"X-Auth-Token": TOKEN}),
    )


def eventually(condition, within_s=10.0):
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, condition
        time.sleep(0.02)
