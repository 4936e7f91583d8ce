"""Bringing servers to rest that were left in the middle of something.

At the start, before the bus brings new work, every server of this host is looked at: what a kill cut
off is finished, repeated or taken back, as the lifecycle table says (`Rule.recover`). Later the same
look is taken now and then at servers that claim to be worked on while nobody does (an answer lost
for good, a message lost with its broker). All actions check the row again under the server's lock.

Guests are looked at as well: those of deleted servers, and those a build left behind whose server
went elsewhere, are removed.
"""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import timedelta
from typing import Final

from openkeel import objects
from openkeel.common.context import Context, admin_context
from openkeel.common.periodic import Periodic
from openkeel.common.undo import Undo
from openkeel.compute.boot import RULE as BUILD
from openkeel.compute.boot import Boot, tell_scheduler
from openkeel.compute.delete import Delete
from openkeel.compute.host import Host
from openkeel.compute.network import cached
from openkeel.compute.operation import EXPECTED_ATTRS, SUPERSEDED
from openkeel.compute.power import Power
from openkeel.compute.records import project_of
from openkeel.compute.rollback import undo_build
from openkeel.domain.errors import BuildAborted, InstanceNotFound
from openkeel.domain.lifecycle import LIFECYCLE, Action, Recover, Step
from openkeel.domain.states import PowerState, TaskState, VMState

LOG = logging.getLogger(__name__)

_AT_ONCE: Final = 10  # servers recovered side by side
_PATIENCE_S: Final = 60.0  # after this the bus is opened although some recoveries still run

# How long a server may stand in a task that nobody here works on before it counts as left behind.
_STALE: Final = {
    Recover.ERROR: timedelta(seconds=60),
    Recover.FINISH_DELETE: timedelta(seconds=300),
    Recover.RETRY: timedelta(seconds=600),
}


class Recovery:
    """Looks at the servers and guests of this host."""

    def __init__(self, host: Host, boot: Boot, delete: Delete, power: Power) -> None:
        self._host = host
        self._boot = boot
        self._delete = delete
        self._power = power

    def periodics(self) -> tuple[Periodic, ...]:
        """Servers left behind, and guests without a server."""
        intervals = self._host.settings.intervals
        return (
            Periodic("recover_stalled", self.recover_stalled, every_s=intervals.reconcile_s),
            Periodic(
                "running_deleted", self.remove_strangers, every_s=intervals.running_deleted_s, at_once=True
            ),
        )

    def at_start(self, patience_s: float = _PATIENCE_S) -> None:
        """Look at every server once; returns when all are at rest, or after `patience_s`."""
        instances = self._host.stores.instances.list_by_host(self._host.name)
        actions = [action for instance in instances if (action := self._remedy(instance))]
        if not actions:
            return
        LOG.info("%d instances were left in the middle of something", len(actions))
        pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="recovery")
        left = wait([pool.submit(action) for action in actions], timeout=patience_s).not_done
        pool.shutdown(wait=False)
        if left:
            LOG.warning("%d recoveries go on while new work begins", len(left))

    def recover_stalled(self) -> None:
        """Recover servers whose task nobody works on."""
        now = self._host.clock.now()
        for instance in self._host.stores.instances.list_by_host(self._host.name):
            action = _action_of(instance)
            patience = _STALE.get(LIFECYCLE[action].recover) if action else None
            since = instance.updated_at or instance.created_at
            if patience is None or since is None or now - since < patience:
                continue
            if self._boot.is_under_way(instance.uuid):
                continue
            remedy = self._remedy(instance)
            if remedy is not None:
                LOG.warning("instance %s stands in %s alone", instance.uuid, instance.task_state)
                self._host.tasks.side(remedy)

    # What to do with a server

    def _remedy(self, instance: objects.Instance) -> Callable[[], None] | None:
        ctx = admin_context()
        uuid, project_id = instance.uuid, project_of(instance)
        action = _action_of(instance)
        if action is None:
            return self._guarded(uuid, lambda: self._resume(uuid)) if self._wants_resume(instance) else None
        remedies: dict[Recover, Callable[[], None]] = {
            Recover.FINISH_DELETE: lambda: self._delete.remove(ctx, uuid, project_id),
            Recover.ERROR: lambda: self._settle_build(ctx, uuid),
            Recover.RETRY: lambda: self._repeat(ctx, uuid, action),
        }
        remedy = remedies.get(LIFECYCLE[action].recover)
        return None if remedy is None else self._guarded(uuid, remedy)

    def _repeat(self, ctx: Context, uuid: str, action: Action) -> None:
        match action:
            case Action.START:
                self._power.turn_on(ctx, uuid)
            case Action.STOP:
                self._power.turn_off(ctx, uuid)
            case Action.REBOOT_SOFT | Action.REBOOT_HARD:
                self._power.reboot(ctx, uuid, action)
            case _:
                LOG.error("nothing here repeats %s of instance %s", action, uuid)

    def _settle_build(self, ctx: Context, uuid: str) -> None:
        """A build that was cut off: active when all but the last step was done, else undone and error."""
        host = self._host
        with host.locks.hold(uuid):
            instance = host.stores.instances.get(uuid, EXPECTED_ATTRS)
            if instance.task_state not in BUILD.running() or self._boot.is_under_way(uuid):
                return
            if self._is_complete(ctx, instance):
                LOG.info("the build of instance %s was complete but for its record", uuid)
                instance.power_state = PowerState.RUNNING
                instance.launched_at = host.clock.now()
                host.stores.instances.move(instance, BUILD, Step.DONE)
                host.tracker.note_states(instance)
                tell_scheduler(host, ctx, instance)
                host.operations.notifier.ended(ctx, instance, Action.CREATE)
                return
            LOG.warning("the build of instance %s was cut off: undoing it", uuid)
            undo = Undo("build", uuid)
            undo_build(undo, host, ctx, instance)
            undo.unwind()
            instance.host = instance.node = instance.compute_id = None
            reason = "the compute service was restarted during the build"
            host.operations.fail(
                ctx, instance, Action.CREATE, BuildAborted(instance_uuid=uuid, reason=reason)
            )

    def _is_complete(self, ctx: Context, instance: objects.Instance) -> bool:
        if instance.task_state != TaskState.SPAWNING:
            return False
        if self._host.power_of(instance) is not PowerState.RUNNING:
            return False
        ports = {vif["id"] for vif in cached(instance)}
        active = set(self._host.network.active_ports(ctx, instance.uuid)) if ports else set()
        return ports <= active or not self._host.settings.vif_plugging_is_fatal

    def _wants_resume(self, instance: objects.Instance) -> bool:
        return (
            self._host.settings.resume_guests_on_start
            and instance.vm_state == VMState.ACTIVE
            and instance.task_state is None
            and self._host.power_of(instance) in {PowerState.SHUTDOWN, PowerState.CRASHED}
        )

    def _resume(self, uuid: str) -> None:
        """The node was restarted: what ran before shall run again."""
        host = self._host
        with host.locks.hold(uuid):
            instance = host.stores.instances.get(uuid, EXPECTED_ATTRS)
            if self._wants_resume(instance):
                host.driver.power.power_on(host.spec_of(instance))

    # Guests without a server

    def remove_strangers(self) -> None:
        """Remove guests of deleted servers (as the operator chose) and leftovers of builds."""
        host = self._host
        if host.settings.running_deleted_action == "noop":
            return
        known = set(host.stores.instances.uuids_by_host(host.name))
        strangers = [guest for guest in host.driver.lifecycle.list() if guest not in known]
        if not strangers:
            return
        gone = {"uuid": strangers, "deleted": True, "soft_deleted": False}
        deleted = {row.uuid: row for row in host.stores.instances.list_by_filters(gone)}
        for uuid in strangers:
            if uuid in deleted:
                self._guarded(uuid, lambda row=deleted[uuid]: self._treat_deleted(row))()  # type: ignore[misc]
            else:
                self._guarded(uuid, lambda uuid=uuid: self._treat_leftover(uuid))()  # type: ignore[misc]

    def _treat_deleted(self, row: objects.Instance) -> None:
        host, settings = self._host, self._host.settings
        patience = timedelta(seconds=settings.running_deleted_timeout_s)
        if patience and row.deleted_at is not None and host.clock.now() - row.deleted_at < patience:
            return
        LOG.warning("deleted instance %s still has a guest: %s", row.uuid, settings.running_deleted_action)
        match settings.running_deleted_action:
            case "reap":
                host.driver.lifecycle.destroy(row.uuid, project_of(row))
            case "shutdown":
                host.driver.power.power_off(row.uuid, project_of(row), grace_s=0)

    def _treat_leftover(self, uuid: str) -> None:
        """A guest whose server is not here: only a failed build of ours may have left it."""
        host = self._host
        with host.locks.hold(uuid):
            try:
                row = host.stores.instances.get(uuid)
            except InstanceNotFound:
                LOG.warning("guest of unknown instance %s is left alone", uuid)
                return
            if row.host == host.name or self._boot.is_under_way(uuid):
                return
            if row.vm_state in {VMState.BUILDING, VMState.ERROR}:
                LOG.warning("a build of instance %s left its guest here: removing it", uuid)
                host.driver.lifecycle.destroy(uuid, project_of(row))

    @staticmethod
    def _guarded(uuid: str, action: Callable[[], None]) -> Callable[[], None]:
        """One server's trouble is not the others'; the action has recorded its failure itself."""

        def run() -> None:
            try:
                action()
            except SUPERSEDED as overtaken:
                LOG.info("recovery of instance %s has nothing to do: %s", uuid, overtaken)
            except Exception:
                LOG.exception("recovery of instance %s failed", uuid)

        return run


def _action_of(instance: objects.Instance) -> Action | None:
    """The action that the server is in the middle of."""
    if instance.vm_state == VMState.DELETED:  # all but its row is gone
        return Action.DELETE
    if instance.task_state is None:
        return None
    return next((action for action, rule in LIFECYCLE.items() if instance.task_state in rule.running()), None)
