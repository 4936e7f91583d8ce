"""Memory of process trees, from /proc."""

from collections.abc import Iterable
from pathlib import Path

KIB_PER_MIB = 1024


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
