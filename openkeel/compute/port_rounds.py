"""Rounds through the ports of this host's servers, one server at a time.

Neutron tells of what changes, so rounds are off by default: they find what it told nobody of. Contract: the
option heal_instance_info_cache_interval.
"""

import logging

from openkeel.common.context import admin_context
from openkeel.common.periodic import Periodic
from openkeel.compute.host import Host
from openkeel.domain.errors import InstanceNotFound, KeelError
from openkeel.domain.states import TaskState, VMState

LOG = logging.getLogger(__name__)

# Whoever builds or deletes a server writes its ports himself.
_BUSY: frozenset[str | None] = frozenset({VMState.BUILDING, VMState.DELETED, VMState.SOFT_DELETED})


class PortRounds:
    """Compares what is remembered of a server's ports with what Neutron says."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._left: list[str] = []

    def periodics(self) -> tuple[Periodic, ...]:
        """The next server, again and again."""
        every = self._host.settings.intervals.port_rounds_s
        return (Periodic("heal_instance_info_cache", self.heal_next, every_s=every),)

    def heal_next(self) -> None:
        """Read the ports of the next server of the round; a new round begins with the servers there are."""
        host = self._host
        if not self._left:
            self._left = list(reversed(host.stores.instances.uuids_by_host(host.name)))
        while self._left:
            uuid = self._left.pop()
            try:
                instance = host.stores.instances.get(uuid, ["info_cache"])
                if instance.vm_state in _BUSY or instance.task_state == TaskState.DELETING:
                    continue
                host.network.refresh(admin_context(), instance)
            except InstanceNotFound:
                continue
            except KeelError as error:
                LOG.warning("ports of instance %s could not be read: %s", uuid, error)
            return
