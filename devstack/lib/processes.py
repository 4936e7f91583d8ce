"""Finding, measuring and ending processes, through /proc."""

import contextlib
import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path

KIB_PER_MIB = 1024


def with_environment(variable: str, value: str) -> set[int]:
    """Processes that were started with this variable, and what they started."""
    wanted, found = f"{variable}={value}".encode(), set[int]()
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and wanted in (entry / "environ").read_bytes().split(b"\0"):
                found.add(int(entry.name))
        except OSError:
            continue
    return found - {os.getpid()}


def end(pids: Iterable[int], patience_s: float = 10) -> None:
    """Ask processes to stop, parents before children; kill those that still live when patience ends."""
    left, asked, deadline = set(pids), set[int](), time.monotonic() + patience_s
    while left and time.monotonic() < deadline:
        parent_of = parents()
        topmost = {pid for pid in left if parent_of.get(pid) not in left}
        _signal(topmost - asked, signal.SIGTERM)
        asked |= topmost
        time.sleep(0.1)
        left = {pid for pid in left if _lives(pid)}
    _signal(left, signal.SIGKILL)


def _signal(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _lives(pid: int) -> bool:
    """Neither gone nor a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def parents() -> dict[int, int]:
    """Every process and its parent."""
    found: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            found[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    return found


def tree(root: int, parent_of: dict[int, int]) -> set[int]:
    """A process and all below it."""
    found, grew = {root}, True
    while grew:
        more = {pid for pid, parent in parent_of.items() if parent in found} - found
        found, grew = found | more, bool(more)
    return found


def memory_mib(pids: Iterable[int]) -> tuple[float, float]:
    """Resident memory of some processes: as each sees it (RSS), and with shared pages counted once (PSS)."""
    rss = pss = 0
    for pid in pids:
        try:
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if line.startswith("Rss:"):
                    rss += int(line.split()[1])
                elif line.startswith("Pss:"):
                    pss += int(line.split()[1])
        except OSError:
            continue
    return rss / KIB_PER_MIB, pss / KIB_PER_MIB
