"""Taking a build back: one list of undos for a build that fails and for one that a kill cut off."""

from collections.abc import Callable

from openkeel import objects
from openkeel.common.context import Context
from openkeel.common.undo import Undo
from openkeel.compute.host import Host
from openkeel.compute.records import project_of
from openkeel.domain.states import TaskState


def undo_build(undo: Undo, host: Host, ctx: Context, instance: objects.Instance) -> None:
    """Register the undo of everything a build may have made on this host; run newest first.

    Each finds what it removes by the server's uuid and is fine when there is nothing.
    """
    # The scheduler made the allocation; who fails removes it, and the next host gets a new one.
    undo.add("allocation", host.placement.delete_allocations, instance.uuid)
    undo.add("claim", host.tracker.release, instance.uuid)
    undo.add("info cache", host.network.forget, instance)
    notifier = host.operations.notifier
    undo.add("guest, told", _tell, notifier.shut_down, ctx, instance)
    undo.add("ports", host.network.release, ctx, instance)
    undo.add("guest", host.driver.lifecycle.destroy, instance.uuid, project_of(instance))
    undo.add("guest, to be told", _tell, notifier.shutting_down, ctx, instance)


def _tell(
    tell: Callable[[Context, objects.Instance], None], ctx: Context, instance: objects.Instance
) -> None:
    """Compat: of an end of a guest only if there was one, or was to be one the next moment."""
    if instance.task_state == TaskState.SPAWNING:
        tell(ctx, instance)
