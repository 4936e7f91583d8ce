"""Compare WSGI servers for openkeel-api: requests a second, processor time a request, memory.

    python benchmarks/api_servers.py [SERVER...]

Needs falcon, orjson and the servers to be compared (gunicorn, cheroot, granian, waitress) installed. Each
serves one small falcon application in one process with 16 threads: `/list` answers 20 KB of JSON, `/wait`
spends 20 ms as if the database were asked. 16 connections of one client ask, kept alive, then each request
on a connection of its own. Processor time a request is the figure to trust on a machine that does other
things as well.
"""

import http.client
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

import falcon
import orjson

THREADS = 16
SECONDS = 6.0
HERE = Path(__file__).resolve()


class _List:
    rows = tuple(
        {"id": f"{number:036d}", "name": f"server-{number}", "status": "ACTIVE"} for number in range(220)
    )

    def on_get(self, _request: falcon.Request, response: falcon.Response) -> None:
        response.data = orjson.dumps({"servers": self.rows})


class _Wait:
    def on_get(self, _request: falcon.Request, response: falcon.Response) -> None:
        time.sleep(0.02)
        response.data = b"{}"


def application() -> Any:
    """What is served."""
    app = falcon.App()
    app.add_route("/list", _List())
    app.add_route("/wait", _Wait())
    return app


def serve(server: str, port: int) -> None:
    """Run one of the servers until a signal ends it."""
    {"gunicorn": _gunicorn, "cheroot": _cheroot, "granian": _granian, "waitress": _waitress}[server](port)


def _gunicorn(port: int) -> None:
    from gunicorn.app.base import BaseApplication

    class App(BaseApplication):
        def load_config(self) -> None:
            settings = {"worker_class": "gthread", "threads": THREADS, "keepalive": 75, "loglevel": "error"}
            for name, value in {**settings, "bind": f"127.0.0.1:{port}"}.items():
                self.cfg.set(name, value)

        def load(self) -> Any:
            return application()

    App().run()


def _cheroot(port: int) -> None:
    from cheroot.wsgi import Server

    with suppress(KeyboardInterrupt):
        Server(("127.0.0.1", port), application(), numthreads=THREADS, max=THREADS).start()


def _granian(port: int) -> None:
    from granian import Granian
    from granian.constants import Interfaces

    Granian(
        "api_servers:application",
        factory=True,
        address="127.0.0.1",
        port=port,
        interface=Interfaces.WSGI,
        blocking_threads=THREADS,
        log_enabled=False,
    ).serve()


def _waitress(port: int) -> None:
    import waitress

    logging.getLogger("waitress").setLevel(logging.ERROR)
    waitress.serve(application(), host="127.0.0.1", port=port, threads=THREADS, _quiet=True)


@dataclass
class Result:
    """Of one way of asking."""

    requests_s: float
    cpu_us: float
    p99_ms: float


def family(pid: int) -> Iterator[int]:
    """A process and all below it."""
    yield pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield from family(int(child))


def cpu_s(pid: int) -> float:
    """Processor time of the family."""
    ticks = 0
    for each in family(pid):
        fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def memory_mib(pid: int) -> float:
    """Memory of the family, shared pages counted once (Pss)."""
    total = 0
    for each in family(pid):
        for line in Path(f"/proc/{each}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total / 1024


@contextmanager
def running(server: str) -> Iterator[tuple[int, int]]:
    """Pid and port of a server that answers."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    process = subprocess.Popen([sys.executable, HERE, "--serve", server, str(port)], cwd=HERE.parent)
    try:
        for _ in range(200):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.05)
        yield process.pid, port
    finally:
        process.send_signal(signal.SIGINT if server == "cheroot" else signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


def measure(pid: int, port: int, path: str, *, keep_alive: bool) -> Result:
    """Ask from 16 threads for a while."""
    took: list[float] = []
    end = time.monotonic() + SECONDS

    def ask() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        while (began := time.monotonic()) < end:
            connection.request("GET", path, headers={} if keep_alive else {"Connection": "close"})
            answer = connection.getresponse()
            answer.read()
            if answer.status != HTTPStatus.OK:
                raise SystemExit(f"{path} answered {answer.status}")
            took.append(time.monotonic() - began)
        connection.close()

    before, began = cpu_s(pid), time.monotonic()
    threads = [threading.Thread(target=ask) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    spent, elapsed = cpu_s(pid) - before, time.monotonic() - began
    took.sort()
    return Result(len(took) / elapsed, spent / len(took) * 1e6, took[int(len(took) * 0.99)] * 1000)


def main(servers: list[str]) -> None:
    """Print a table."""
    cases = (("/list", True), ("/list", False), ("/wait", True))
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")
    print(
        "| server | " + " | ".join(f"{path} {'kept' if kept else 'new'}" for path, kept in cases) + " | MiB |"
    )
    print("|---|" + "---|" * (len(cases) + 1))
    for server in servers:
        with running(server) as (pid, port):
            measure(pid, port, "/list", keep_alive=True)  # warm
            results = [measure(pid, port, path, keep_alive=kept) for path, kept in cases]
            cells = [
                f"{one.requests_s:.0f}/s, {one.cpu_us:.0f} us, p99 {one.p99_ms:.0f} ms" for one in results
            ]
            print(f"| {server} | {' | '.join(cells)} | {memory_mib(pid):.0f} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2], int(sys.argv[3]))
    else:
        main(sys.argv[1:] or ["gunicorn", "cheroot", "granian", "waitress"])
