"""Keeping what we say of a guest's power and what the guest does together.

The driver's watch tells of changes; each makes us look at that guest after a moment, so that the
off-and-on of a reboot passes unseen. The periodic looks at all. A guest that went off by itself is
stopped properly; a guest that runs although its server is stopped is stopped again.
"""

import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from openkeel import objects
from openkeel.common.context import admin_context
from openkeel.common.periodic import Periodic
from openkeel.compute.host import Host
from openkeel.compute.operation import SUPERSEDED
from openkeel.compute.power import Power
from openkeel.compute.records import project_of
from openkeel.domain.errors import KeelError
from openkeel.domain.lifecycle import LIFECYCLE, Action
from openkeel.domain.states import PowerState, VMState
from openkeel.virt.driver import GuestEvent

LOG = logging.getLogger(__name__)

_OFF: Final = frozenset({PowerState.SHUTDOWN, PowerState.CRASHED})


class PowerSync:
    """Lifecycle events and the periodic look."""

    def __init__(self, host: Host, power: Power) -> None:
        self._host = host
        self._power = power

    def periodics(self) -> tuple[Periodic, ...]:
        """Look at all guests."""
        every = self._host.settings.intervals.sync_power_state_s
        return (Periodic("sync_power_states", self.sync_all, every_s=every, at_once=True),)

    def on_event(self, event: GuestEvent) -> None:
        """The driver saw a guest change: look at it soon. Called in the watch's thread."""
        settings = self._host.settings
        if settings.handle_lifecycle_events:
            self._host.tasks.later(settings.lifecycle_event_delay_s, self.sync, event.instance_uuid)

    def sync_all(self) -> None:
        """Look at every guest of this host, several at a time."""
        instances = self._host.stores.instances.list_by_host(self._host.name)
        resting = [instance.uuid for instance in instances if instance.task_state is None]
        with ThreadPoolExecutor(max(1, self._host.settings.sync_power_state_pool), "power-sync") as pool:
            list(pool.map(self.sync, resting))

    def sync(self, instance_uuid: str) -> None:
        """Look at one guest and act. Raises nothing."""
        try:
            if not self._resting(instance_uuid):  # do not queue up behind a build
                return
            with self._host.locks.hold(instance_uuid):
                row = self._resting(instance_uuid)
                if row is not None:
                    self._compare(row)
        except SUPERSEDED as overtaken:
            LOG.info("power of instance %s is in other hands: %s", instance_uuid, overtaken)
        except KeelError as error:
            LOG.warning("power of instance %s was not looked at: %s", instance_uuid, error)

    def _resting(self, instance_uuid: str) -> objects.Instance | None:
        """The server's row, if it is here and nothing is being done to it."""
        row: objects.Instance = self._host.stores.instances.get(instance_uuid)
        return row if row.host == self._host.name and row.task_state is None else None

    def _compare(self, row: objects.Instance) -> None:
        power = self._host.power_of(row)
        if power is PowerState.NOSTATE and row.vm_state == VMState.ACTIVE:
            # Starting up, moving, or lost: nothing that stopping would mend.
            LOG.warning("instance %s should run, but its guest's state is unknown", row.uuid)
        if row.power_state != power:
            row.power_state = power
            self._host.stores.instances.save(row, expected_task_state=None)
        if row.vm_state == VMState.ACTIVE and power in _OFF:
            LOG.info("instance %s went off by itself: stopping it", row.uuid)
            self._stop(row, begin=True)
        elif row.vm_state == VMState.STOPPED and power is PowerState.RUNNING:
            LOG.warning("instance %s runs although it is stopped: turning it off", row.uuid)
            self._turn_off_again(row)

    def _stop(self, row: objects.Instance, *, begin: bool) -> None:
        ctx = admin_context()
        actions = self._host.stores.actions
        actions.start(ctx, row.uuid, LIFECYCLE[Action.STOP].name)
        self._power.turn_off(ctx, row.uuid, is_clean=False, begin=begin)

    def _turn_off_again(self, row: objects.Instance) -> None:
        grace_s = self._host.settings.shutdown_timeout_s
        self._host.driver.power.power_off(row.uuid, project_of(row), grace_s=grace_s)
        row.power_state = self._host.power_of(row)
        self._host.stores.instances.save(row, expected_task_state=None)
