"""Locks, and states set by hand: facts in the server's row that no host is asked about."""

from collections.abc import Mapping
from typing import Final

from openkeel import objects
from openkeel.common.context import Context
from openkeel.domain import storable
from openkeel.domain.states import VMState
from openkeel.notifications.notifier import Notifications
from openkeel.services import guards
from openkeel.services.lookup import Located

LOCKED_REASON: Final = "locked_reason"  # in the system metadata
OWNER: Final = "owner"
ADMIN: Final = "admin"


class AdminStateService:
    """The use cases of locking and of resetting states. All raise InstanceNotReady."""

    def __init__(self, notifications: Notifications | None = None) -> None:
        self._notifications = notifications or Notifications()

    def lock(self, ctx: Context, server: Located, reason: str | None = None) -> None:
        """Refuse changes from now on, except by administrators.

        An owner's lock does not replace an administrator's, nor a new reason the one that is given.
        """
        storable.check("Reasons", [reason or ""])
        instance, cell = server.instance, guards.in_a_cell(server)
        if instance.locked and _side(ctx, instance) == OWNER:
            return
        cell.actions.start(ctx, server.uuid, "lock")
        instance.locked = True
        instance.locked_by = _side(ctx, instance)
        if reason:
            _keep(instance, {LOCKED_REASON: reason})
        cell.instances.save(instance)
        self._notifications.servers(cell).locked(ctx, instance)

    def needs_override(self, ctx: Context, server: Located) -> bool:
        """Whether somebody else locked the server: an administrator, seen from its owner, or the reverse."""
        locked_by = server.instance.locked_by
        return bool(locked_by) and locked_by != _side(ctx, server.instance)

    def unlock(self, ctx: Context, server: Located) -> None:
        """Allow changes again, whoever locked the server."""
        instance, cell = server.instance, guards.in_a_cell(server)
        cell.actions.start(ctx, server.uuid, "unlock")
        instance.locked = False
        instance.locked_by = None
        _keep(instance, {LOCKED_REASON: None})
        cell.instances.save(instance)
        self._notifications.servers(cell).unlocked(ctx, instance)

    def reset_state(self, ctx: Context, server: Located, vm_state: VMState) -> None:
        """Say that the server is active or in error, whatever it was, and that nothing is under way."""
        instance, cell = server.instance, guards.in_a_cell(server)
        cell.actions.start(ctx, server.uuid, "resetState")
        instance.vm_state = vm_state
        instance.task_state = None
        cell.instances.save(instance)
        cell.actions.finish(ctx, server.uuid)


def _side(ctx: Context, instance: objects.Instance) -> str:
    return OWNER if instance.project_id == ctx.project_id else ADMIN


def _keep(instance: objects.Instance, changes: Mapping[str, str | None]) -> None:
    """Change system metadata; None takes a key away."""
    kept = {**instance.system_metadata, **changes}
    instance.system_metadata = {key: value for key, value in kept.items() if value is not None}
