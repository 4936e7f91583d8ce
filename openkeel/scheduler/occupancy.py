"""Which server is on which host, as computes tell it by fanout."""

import threading
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping


class Occupancy:
    """A map in memory, eventually right.

    What it does not know is asked from the cells. Computes send all their servers now and then (`sync`),
    which mends what was missed; a compute checks the rules of server groups once more itself.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hosts: dict[str, str] = {}
        self._servers: dict[str, set[str]] = defaultdict(set)

    def put(self, host: str, instance_uuids: Iterable[str]) -> None:
        """These servers are on the host."""
        with self._lock:
            for uuid in instance_uuids:
                self._drop(uuid)
                self._hosts[uuid] = host
                self._servers[host].add(uuid)

    def remove(self, host: str, instance_uuid: str) -> None:
        """The server has left the host; fine when it was somewhere else already."""
        with self._lock:
            if self._hosts.get(instance_uuid) == host:
                self._drop(instance_uuid)

    def sync(self, host: str, instance_uuids: Collection[str]) -> None:
        """Exactly these servers are on the host."""
        with self._lock:
            for uuid in self._servers[host] - set(instance_uuids):
                self._drop(uuid)
        self.put(host, instance_uuids)

    def hosts_of(self, instance_uuids: Iterable[str]) -> Mapping[str, str]:
        """The hosts of those among these servers that are known."""
        with self._lock:
            return {uuid: self._hosts[uuid] for uuid in instance_uuids if uuid in self._hosts}

    def _drop(self, uuid: str) -> None:
        host = self._hosts.pop(uuid, None)
        if host is not None:
            self._servers[host].discard(uuid)
