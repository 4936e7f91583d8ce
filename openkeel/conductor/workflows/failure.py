"""How a boot that the conductor has in hand ends when it cannot go on.

The order matters, since this process may be killed between any two steps. What the server holds is
given back while it still looks unfinished, so that `stalled_builds` would find it; the fault is
there before the state that makes its owner look for it.
"""

import logging
import traceback
from collections.abc import Callable
from typing import Final

from openkeel import objects
from openkeel.clients.placement.interface import Placement
from openkeel.common.context import Context
from openkeel.db.cells import CellStores
from openkeel.domain.errors import InstanceNotFound, NotFound, StateConflict
from openkeel.domain.states import TaskState, VMState

LOG = logging.getLogger(__name__)

# Compat: what clients see in the server's action log.
SCHEDULING: Final = "conductor_schedule_and_build_instances"

_WAITING: Final = (TaskState.SCHEDULING, None)


def fault_of(instance_uuid: str, error: BaseException, host: str | None = None) -> objects.InstanceFault:
    """The fault that tells the owner what went wrong. Details are for administrators only."""
    details = "".join(traceback.format_exception(error)) if error.__traceback__ else ""
    return objects.InstanceFault(
        instance_uuid=instance_uuid, code=500, message=str(error)[:255], details=details, host=host
    )


def log_failure(ctx: Context, cell: CellStores, instance_uuid: str, event: str, error: BaseException) -> None:
    """A failed step in the server's action log, if this request has an action there."""
    cell.actions.event_start(ctx, instance_uuid, event, None)
    cell.actions.event_finish(ctx, instance_uuid, event, error=error)
    cell.actions.finish(ctx, instance_uuid)


def waits_for_a_host(instance: objects.Instance) -> bool:
    """Whether the server is in the conductor's hands: no host has taken it, nobody ends it."""
    return instance.host is None and instance.vm_state == VMState.BUILDING and instance.task_state in _WAITING


def is_ending_without_host(instance: objects.Instance) -> bool:
    """Whether the server is being deleted and no host has anything of it."""
    return instance.host is None and instance.task_state in {TaskState.DELETING, TaskState.SOFT_DELETING}


def save_waiting(cell: CellStores, instance: objects.Instance) -> None:
    """Save changes of a server that still waits for a host.

    Whoever claimed something for it before knows afterwards that an end of the server, which first takes
    the row out of this state, gives the claim back.

    Raises: InstanceNotFound; StateConflict when it does not wait any more.
    """
    cell.instances.save(instance, expected_vm_state=VMState.BUILDING, expected_task_state=_WAITING)


def fail_waiting(
    ctx: Context,
    cell: CellStores,
    placement: Placement,
    instance_uuid: str,
    error: BaseException,
    *,
    event: str = SCHEDULING,
) -> bool:
    """Give up a server that waits for a host in its cell: nothing held, a fault, state error.

    Returns: Whether it is in error now. It is not when it is gone, or in other hands: then what it holds
    is theirs.
    """
    try:
        instance = cell.instances.get(instance_uuid)
    except InstanceNotFound:
        attempt("allocations of deleted instance", instance_uuid, placement.delete_allocations)
        return False
    if is_ending_without_host(instance):
        # Its end gave back what it held before, which may have been before our claim.
        attempt("allocations of deleted instance", instance_uuid, placement.delete_allocations)
        return False
    if not waits_for_a_host(instance):
        LOG.info("instance %s is not given up: %s, %s", instance_uuid, instance.vm_state, instance.task_state)
        return False
    attempt("allocations of instance", instance_uuid, placement.delete_allocations)
    cell.faults.create(fault_of(instance_uuid, error))
    log_failure(ctx, cell, instance_uuid, event, error)
    instance.vm_state, instance.task_state = VMState.ERROR, None
    try:
        save_waiting(cell, instance)
    except (InstanceNotFound, StateConflict) as overtaken:
        LOG.info("instance %s is not set to error: %s", instance_uuid, overtaken)
        return False
    return True


def attempt(what: str, instance_uuid: str, step: Callable[[str], object]) -> None:
    """A step of an orderly end: its failure must not keep the others from being taken."""
    try:
        step(instance_uuid)
    except NotFound:
        LOG.debug("%s %s: gone already", what, instance_uuid)
    except Exception:
        LOG.exception("%s %s stay behind", what, instance_uuid)
