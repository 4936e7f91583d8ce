"""Taking everything down, and wiping the data."""

import shutil
from collections.abc import Callable, Sequence

from devstack.lib.part import Part
from devstack.lib.parts.nodes import remove_namespaces
from devstack.lib.site import Site
from devstack.lib.supervision import Supervisor


def take_down(site: Site, parts: Sequence[Part], say: Callable[[str], None]) -> None:
    """Stop the groups, last first, then supervisord and what was left behind (RabbitMQ's epmd)."""
    supervisor = Supervisor(site)
    running = {process.group for process in supervisor.processes().values() if process.alive}
    for group in reversed(list(dict.fromkeys(part.group for part in parts))):
        if group in running:
            supervisor.stop_group(group)
            say(f"{group} stopped")
    supervisor.shut_down()
    remove_namespaces(site)


def wipe(site: Site) -> None:
    """Forget all data, logs and configurations; the installed environments stay."""
    for folder in (site.data, site.log, site.etc, site.run):
        shutil.rmtree(folder, ignore_errors=True)
