"""How long the node has been up (docs/kubevirt.md, 2.13).

Kubernetes does not tell, the node's kernel does; /proc/uptime and /proc/loadavg are not namespaced. A
compute in a pod of its node reads them; one that runs elsewhere would read another machine's, so the
kernel it runs on must be the one that the kubelet reported.
"""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
_MINUTE_S: Final = 60


def uptime_line(node_boot_id: str, now: datetime, proc: Path = PROC) -> str | None:
    """As the uptime command prints it; None on any other machine than the node."""
    try:
        boot_id = (proc / "sys/kernel/random/boot_id").read_text().strip()
        if not node_boot_id or boot_id.lower() != node_boot_id.lower():
            return None
        seconds = float((proc / "uptime").read_text().split()[0])
        loads = (proc / "loadavg").read_text().split()[:3]
    except OSError:
        return None
    return f" {now:%H:%M:%S} up {_since(seconds)},  0 users,  load average: {', '.join(loads)}"


def _since(seconds: float) -> str:
    up = timedelta(seconds=int(seconds))
    hours, minutes = divmod(up.seconds // _MINUTE_S, 60)
    days = f"{up.days} day{'' if up.days == 1 else 's'}, " if up.days else ""
    return f"{days}{hours:2}:{minutes:02}" if hours else f"{days}{minutes} min"
