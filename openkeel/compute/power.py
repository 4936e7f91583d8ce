"""Turning guests on and off, and rebooting them.

Contract: task states powering-on, powering-off, rebooting and what lies between. The API made the
begin move; a message that comes twice finds the task gone and does nothing.
"""

import logging
from typing import Any, Final

from openkeel import objects
from openkeel.common.context import Context
from openkeel.common.periodic import Periodic
from openkeel.compute.host import Host
from openkeel.compute.operation import cast
from openkeel.compute.records import project_of
from openkeel.domain.lifecycle import Action
from openkeel.domain.states import PowerState, TaskState
from openkeel.virt.driver import DriverError, GuestNotFound

LOG = logging.getLogger(__name__)

_BETWEEN: Final = {
    Action.REBOOT_SOFT: (TaskState.REBOOT_PENDING, TaskState.REBOOT_STARTED),
    Action.REBOOT_HARD: (TaskState.REBOOT_PENDING_HARD, TaskState.REBOOT_STARTED_HARD),
}


class Power:
    """Start, stop, reboot."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def periodics(self) -> tuple[Periodic, ...]:
        """None: `power_sync` looks after the states."""
        return ()

    @cast
    def start_instance(self, ctx: Context, instance: objects.Instance) -> None:
        """Turn the guest on."""
        self.turn_on(ctx, instance.uuid)

    @cast
    def stop_instance(self, ctx: Context, instance: objects.Instance, clean_shutdown: bool = True) -> None:
        """Turn the guest off; a clean shutdown gives it time to do so itself."""
        self.turn_off(ctx, instance.uuid, is_clean=clean_shutdown)

    @cast
    def reboot_instance(
        self,
        ctx: Context,
        instance: objects.Instance,
        block_device_info: Any,  # noqa: ARG002 - the disks are read anew
        reboot_type: str,
    ) -> None:
        """Reboot the guest, by asking it or by force."""
        action = Action.REBOOT_SOFT if reboot_type == "SOFT" else Action.REBOOT_HARD
        self.reboot(ctx, instance.uuid, action)

    def turn_on(self, ctx: Context, instance_uuid: str) -> None:
        """Raises: what the driver raises, after it was recorded."""
        host = self._host
        with host.operations(ctx, instance_uuid, Action.START, event="compute_start_instance") as instance:
            try:
                host.driver.power.power_on(host.spec_of(instance))
            except GuestNotFound:
                # Stopped servers may lose their guest object (a cluster restored from backup, say);
                # the disks decide whether it can be made again.
                host.driver.lifecycle.spawn(host.spec_of(instance))
            instance.power_state = host.power_of(instance)
        host.tracker.note_states(instance)

    def turn_off(
        self, ctx: Context, instance_uuid: str, *, is_clean: bool = True, begin: bool = False
    ) -> None:
        """With `begin` nobody asked for it: the guest went off by itself. Raises: as the driver."""
        host = self._host
        grace_s = host.settings.shutdown_timeout_s if is_clean else 0
        with host.operations(
            ctx, instance_uuid, Action.STOP, event="compute_stop_instance", begin=begin
        ) as instance:
            try:
                host.driver.power.power_off(instance.uuid, project_of(instance), grace_s=grace_s)
            except GuestNotFound:
                LOG.warning("instance %s to be stopped has no guest", instance.uuid)
            instance.power_state = PowerState.SHUTDOWN
        host.tracker.note_states(instance)

    def reboot(self, ctx: Context, instance_uuid: str, action: Action) -> None:
        """Reboot; a guest that cannot be asked is rebooted by force. Raises: as the driver."""
        host = self._host
        with host.operations(
            ctx, instance_uuid, action, event="compute_reboot_instance", tells_itself=True
        ) as instance:
            pending, started = _BETWEEN[action]
            self._advance(instance, pending)
            host.operations.notifier.started(ctx, instance, action)
            spec = host.spec_of(instance)
            self._advance(instance, started)
            if action is Action.REBOOT_HARD or not self._ask_to_reboot(instance):
                host.driver.power.reboot_hard(spec)
            instance.power_state = host.power_of(instance)
        host.tracker.note_states(instance)

    def _ask_to_reboot(self, instance: objects.Instance) -> bool:
        try:
            return self._host.driver.power.reboot_soft(instance.uuid, project_of(instance))
        except DriverError as error:
            LOG.info("instance %s cannot be asked to reboot: %s", instance.uuid, error)
            return False

    def _advance(self, instance: objects.Instance, task: TaskState) -> None:
        before = instance.task_state
        if before == task:  # a reboot that is repeated after a restart
            return
        instance.task_state = task
        self._host.stores.instances.save(instance, expected_task_state=before)
