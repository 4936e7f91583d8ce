"""Waiting for Neutron to say that the wires of a guest are plugged.

Contract: external events network-vif-plugged and network-vif-unplugged, tag = port id.

A build listens from before its ports are bound, so no event comes too early; an event may come
twice or in a wrong order, so it only marks the port. Whoever waits also looks at the ports
themselves now and then: an event lost on its way costs seconds, not the build.
"""

import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Final

from openkeel.domain.errors import InstanceDeleting, Timeout, VirtualInterfaceCreateFailed

POLL_S: Final = 15.0  # how long a lost event may go unnoticed


class Plugging:
    """What is known of the wires of one guest."""

    def __init__(self, instance_uuid: str) -> None:
        self._instance_uuid = instance_uuid
        self._changed = threading.Condition()
        self._plugged: set[str] = set()
        self._failed: set[str] = set()
        self._cancelled = False

    def mark(self, port_id: str, *, plugged: bool, failed: bool = False) -> None:
        """Note what an event said."""
        with self._changed:
            self._failed.discard(port_id)
            if failed:
                self._failed.add(port_id)
            elif plugged:
                self._plugged.add(port_id)
            else:
                self._plugged.discard(port_id)
            self._changed.notify_all()

    def cancel(self) -> None:
        """Whoever waits shall give up: the server is being deleted."""
        with self._changed:
            self._cancelled = True
            self._changed.notify_all()

    def wait(
        self,
        port_ids: Collection[str],
        timeout_s: float,
        active_ports: Callable[[], Collection[str]],
        poll_s: float = POLL_S,
    ) -> None:
        """Wait until all these ports are plugged. `active_ports` asks Neutron itself.

        Raises: InstanceDeleting; VirtualInterfaceCreateFailed when Neutron reports a failure;
        Timeout with the ports that are missing.
        """
        deadline = time.monotonic() + timeout_s
        while missing := self._missing(port_ids):
            left = deadline - time.monotonic()
            with self._changed:
                if left > 0 and self._changed.wait_for(
                    lambda: self._is_decided(port_ids),
                    timeout=min(left, poll_s),
                ):
                    continue
            active = active_ports()
            with self._changed:
                self._plugged.update(active)
            if left <= 0 and (missing := self._missing(port_ids)):
                what = ", ".join(sorted(missing))
                raise Timeout(f"Ports not plugged after {timeout_s:.0f} s: {what}", ports=sorted(missing))

    def _is_decided(self, port_ids: Collection[str]) -> bool:
        return self._cancelled or not self._failed.isdisjoint(port_ids) or self._plugged.issuperset(port_ids)

    def _missing(self, port_ids: Collection[str]) -> set[str]:
        with self._changed:
            if self._cancelled:
                raise InstanceDeleting(instance_uuid=self._instance_uuid)
            if failed := self._failed.intersection(port_ids):
                raise VirtualInterfaceCreateFailed(ports=sorted(failed))
            return set(port_ids) - self._plugged


class Waiters:
    """Who listens for which server."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._listening: dict[str, Plugging] = {}

    @contextmanager
    def listen(self, instance_uuid: str) -> Iterator[Plugging]:
        """Collect the events of a server for the time of the block. One listener per server."""
        plugging = Plugging(instance_uuid)
        with self._guard:
            self._listening[instance_uuid] = plugging
        try:
            yield plugging
        finally:
            with self._guard:
                self._listening.pop(instance_uuid, None)

    def mark(self, instance_uuid: str, port_id: str, *, plugged: bool, failed: bool = False) -> bool:
        """Pass on an event; whether anybody listens."""
        with self._guard:
            plugging = self._listening.get(instance_uuid)
        if plugging is None:
            return False
        plugging.mark(port_id, plugged=plugged, failed=failed)
        return True

    def cancel(self, instance_uuid: str) -> bool:
        """Make whoever waits for this server give up; whether anybody does."""
        with self._guard:
            plugging = self._listening.get(instance_uuid)
        if plugging is None:
            return False
        plugging.cancel()
        return True
