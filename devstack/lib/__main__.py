"""The commands: up, down, restart, status, logs, openrc, reset."""

import argparse
import fcntl
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from devstack.lib.bringup import BringUp, PartFailed, explanation
from devstack.lib.order import UnknownPart, named, ordered, until, with_needs
from devstack.lib.part import Part
from devstack.lib.parts.table import PARTS
from devstack.lib.site import Site, SiteError
from devstack.lib.status import table
from devstack.lib.supervision import Supervisor
from devstack.lib.teardown import take_down, wipe


def main() -> int:
    """Run one command; its exit code."""
    parser = argparse.ArgumentParser(prog="devstack", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    up = commands.add_parser("up", help="bring everything, or a part of it, up")
    up.add_argument("--only", metavar="NAME,...", help="just these parts or groups, and what they need")
    up.add_argument("--until", metavar="NAME", help="the groups up to this group or part")
    commands.add_parser("down", help="stop everything")
    restart = commands.add_parser("restart", help="restart parts or groups")
    restart.add_argument("names", nargs="+", metavar="NAME")
    commands.add_parser("status", help="print the table of parts; exit code 1 when one is not running")
    logs = commands.add_parser("logs", help="print the log of a part")
    logs.add_argument("name", nargs="?")
    logs.add_argument("-f", "--follow", action="store_true")
    logs.add_argument("-n", "--lines", type=int, default=100)
    openrc = commands.add_parser("openrc", help='print the exports for a client: eval "$(devstack/openrc)"')
    openrc.add_argument("user", nargs="?", default="admin", choices=("admin", "demo"))
    commands.add_parser("reset", help="stop everything and wipe the data")
    arguments = parser.parse_args()
    actions: dict[str, Callable[[Site, argparse.Namespace], int]] = {
        "up": _up,
        "down": _down,
        "restart": _restart,
        "status": _status,
        "logs": _logs,
        "openrc": _openrc,
        "reset": _reset,
    }
    try:
        return actions[arguments.command](Site.load(), arguments)
    except (SiteError, UnknownPart) as error:
        print(error, file=sys.stderr)
        return 2


def _say(line: str) -> None:
    print(line, flush=True)


@contextmanager
def _alone(site: Site) -> Iterator[None]:
    """One command that changes things at a time."""
    site.home.mkdir(parents=True, exist_ok=True)
    with (site.home / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("another devstack command is under way: waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _up(site: Site, arguments: argparse.Namespace) -> int:
    parts = ordered(PARTS)
    if arguments.only:
        parts = with_needs(PARTS, named(PARTS, arguments.only.split(",")))
    elif arguments.until:
        parts = until(PARTS, arguments.until)
    with _alone(site):
        site.record()
        return _bring_up(site, parts)


def _bring_up(site: Site, parts: Sequence[Part]) -> int:
    began = time.monotonic()
    try:
        BringUp(site, PARTS, _say).run(parts)
    except PartFailed as failure:
        print(explanation(site, failure), file=sys.stderr)
        return 1
    for part in parts:
        if part.show:
            _say(part.show(site))
    _say(f"up after {time.monotonic() - began:.1f} s")
    return 0


def _down(site: Site, _arguments: argparse.Namespace) -> int:
    with _alone(site):
        take_down(site, PARTS, _say)
    return 0


def _restart(site: Site, arguments: argparse.Namespace) -> int:
    chosen = named(PARTS, arguments.names)
    supervisor = Supervisor(site)
    with _alone(site):
        for part in reversed([part for part in ordered(PARTS) if part in chosen and part.program]):
            supervisor.stop(part.group, part.name)
        return _bring_up(site, with_needs(PARTS, chosen))


def _status(site: Site, _arguments: argparse.Namespace) -> int:
    lines, healthy = table(site, PARTS)
    _say("\n".join(lines))
    return 0 if healthy else 1


def _logs(site: Site, arguments: argparse.Namespace) -> int:
    path = site.log / f"{arguments.name}.log"
    if not arguments.name or not path.exists():
        _say("\n".join(sorted(file.stem for file in site.log.glob("*.log"))))
        return 0 if not arguments.name else 2
    follow = ["-F"] if arguments.follow else []
    return subprocess.call(["tail", "-n", str(arguments.lines), *follow, str(path)])


def _openrc(site: Site, arguments: argparse.Namespace) -> int:
    exports = {**site.credentials(arguments.user), "KUBECONFIG": str(site.kubeconfig)}
    for name, value in exports.items():
        _say(f"export {name}={shlex.quote(value)}")
    _say(f'export PATH={shlex.quote(f"{site.venv}/bin:{site.bin}")}:"$PATH"')
    return 0


def _reset(site: Site, _arguments: argparse.Namespace) -> int:
    with _alone(site):
        take_down(site, PARTS, _say)
        wipe(site)
    return 0


if __name__ == "__main__":
    sys.exit(main())
