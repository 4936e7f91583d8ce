"""Servers under their other name, which clients used to boot from volumes: /os-volumes_boot.

Every row is one of /servers with another path, until the name ended. Compat: only these actions ever
were there.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from openkeel.api.resources import servers
from openkeel.api.resources.server_actions import power
from openkeel.api.tables import Operation
from openkeel.api.versions import V

_ACTIONS: Final = frozenset({"os-start", "os-stop", "reboot"})


def _renamed() -> Iterator[Operation]:
    for row in (*servers.OPERATIONS, *power.OPERATIONS):
        if row.action is None or row.action in _ACTIONS:
            path = row.path.replace("/servers", "/os-volumes_boot", 1)
            yield replace(row, path=path, until=min(row.until, V.VOLUMES_BOOT_GONE))


OPERATIONS: Final = tuple(_renamed())
