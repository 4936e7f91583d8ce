"""`python -m devstack.cluster`: run one stand-in cluster in the foreground."""

import argparse
import asyncio
import logging
import secrets
import signal
from pathlib import Path

from devstack.cluster.kubeconfig import write_kubeconfig
from devstack.cluster.seed import NodeSize
from devstack.cluster.server import HOST, Settings, serve
from devstack.cluster.timings import Timings
from devstack.cluster.write_checks import STRICT, WARN


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m devstack.cluster", description=__doc__)
    parser.add_argument(
        "--data", type=Path, required=True, help="folder that keeps the objects over restarts"
    )
    parser.add_argument("--port", type=int, required=True, help="port on 127.0.0.1")
    parser.add_argument("--nodes", default="node-1,node-2", help="names of the nodes, with commas between")
    parser.add_argument("--kubeconfig", type=Path, help="write a kubeconfig here once the server listens")
    parser.add_argument(
        "--ovs-run-dir", default="", help="folder of a node's db.sock, {node} stands for its name"
    )
    parser.add_argument("--require-token", action="store_true", help="refuse requests without the token")
    parser.add_argument(
        "--field-validation",
        choices=(STRICT, WARN),
        default=STRICT,
        help="unknown fields where the client says nothing",
    )
    parser.add_argument(
        "--history", type=int, default=2000, help="changes of a kind that watches can go back"
    )
    parser.add_argument("--bookmark-interval", type=float, default=60.0, help="seconds between bookmarks")
    parser.add_argument("--node-cpus", type=int, default=16)
    parser.add_argument("--node-memory", default="64Gi")
    parser.add_argument("--node-disk", default="500Gi")
    parser.add_argument("--node-pods", type=int, default=1000)
    parser.add_argument(
        "--timings", type=Timings.parse, default=Timings(), help="like boot=5,shutdown=2 (seconds)"
    )
    return parser


def _token(data: Path) -> str:
    """The cluster's token, made once."""
    path = data / "token"
    if not path.exists():
        data.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(24))
    return path.read_text().strip()


async def _run(settings: Settings) -> None:
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    server = loop.create_task(serve(settings, ready))
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.cancel)
    started = loop.create_task(ready.wait())
    await asyncio.wait({server, started}, return_when=asyncio.FIRST_COMPLETED)
    started.cancel()
    if settings.kubeconfig and ready.is_set():
        write_kubeconfig(settings.kubeconfig, f"http://{HOST}:{settings.port}", settings.token)
    try:
        await server
    except asyncio.CancelledError:
        logging.getLogger(__name__).info("stopped")


def main() -> None:
    """Read the arguments and serve until a signal."""
    arguments = _parser().parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    size = NodeSize(arguments.node_cpus, arguments.node_memory, arguments.node_disk, arguments.node_pods)
    settings = Settings(
        data=arguments.data,
        port=arguments.port,
        nodes=tuple(filter(None, arguments.nodes.split(","))),
        kubeconfig=arguments.kubeconfig,
        ovs_run_dir=arguments.ovs_run_dir,
        token=_token(arguments.data),
        token_required=arguments.require_token,
        validation=arguments.field_validation,
        history=arguments.history,
        bookmark_s=arguments.bookmark_interval,
        size=size,
        timings=arguments.timings,
    )
    asyncio.run(_run(settings))


if __name__ == "__main__":
    main()
