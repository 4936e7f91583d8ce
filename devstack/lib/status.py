"""The status table."""

from collections.abc import Sequence
from pathlib import Path

from devstack.lib.part import Part
from devstack.lib.processes import memory_mib, parents, tree
from devstack.lib.site import Site
from devstack.lib.supervision import Supervisor

ROW = "{:<34} {:<9} {:>7} {:>6} {:>8} {:>8}"


def table(site: Site, parts: Sequence[Part]) -> tuple[list[str], bool]:
    """Lines to print, and whether every program runs."""
    processes, parent_of = Supervisor(site).processes(), parents()
    lines, healthy, total_rss, total_pss = (
        [ROW.format("PART", "STATE", "PID", "PORT", "RSS MiB", "PSS MiB")],
        True,
        0.0,
        0.0,
    )
    for part in parts:
        if not part.program:
            continue
        port = part.program(site).port
        process = processes.get(part.name)
        alive = process is not None and process.alive
        healthy = healthy and alive
        rss, pss = memory_mib(tree(process.pid, parent_of)) if process and alive else (0.0, 0.0)
        total_rss, total_pss = total_rss + rss, total_pss + pss
        state = process.state.lower() if process else "stopped"
        lines.append(
            ROW.format(
                f"{part.group}/{part.name}",
                state,
                process.pid if process and alive else "-",
                site.port(port) if port else "-",
                f"{rss:.0f}",
                f"{pss:.0f}",
            )
        )
    own = _supervisord_pid(site)
    rss, pss = memory_mib({own} if own else ())
    lines.append(
        ROW.format(
            "supervisord", "running" if own else "stopped", own or "-", "-", f"{rss:.0f}", f"{pss:.0f}"
        )
    )
    lines.append(ROW.format("all together", "", "", "", f"{total_rss + rss:.0f}", f"{total_pss + pss:.0f}"))
    return lines, healthy


def _supervisord_pid(site: Site) -> int | None:
    path = site.run / "supervisord.pid"
    if not path.exists():
        return None
    pid = int(path.read_text())
    return pid if Path(f"/proc/{pid}").exists() else None
