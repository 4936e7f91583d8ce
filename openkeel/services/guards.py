"""What must hold before something is done to a server: one function per condition.

They are called in the order in which clients see the refusals. Contract: api_state_checks of
states.json (check_instance_lock, check_instance_host, check_instance_state).
"""

from openkeel import objects
from openkeel.common.context import Context
from openkeel.db.cells import CellStores
from openkeel.domain.errors import InstanceInvalidState, InstanceIsLocked, InstanceNotReady
from openkeel.domain.lifecycle import Rule
from openkeel.services.lookup import Located


def not_locked(ctx: Context, instance: objects.Instance) -> None:
    """A lock holds for everyone but admins. Raises: InstanceIsLocked."""
    if instance.locked and not ctx.is_admin:
        raise InstanceIsLocked(instance_uuid=instance.uuid)


def on_a_host(instance: objects.Instance) -> None:
    """Raises: InstanceNotReady."""
    if not instance.host:
        raise InstanceNotReady(instance_id=instance.uuid)


def in_state(instance: objects.Instance, rule: Rule, method: str) -> None:
    """The lifecycle table lets the action begin. Raises: InstanceInvalidState naming what is wrong."""
    facts = {"instance_uuid": instance.uuid, "method": method}
    if rule.vm is not None and instance.vm_state not in rule.vm:
        raise InstanceInvalidState(attr="vm_state", state=instance.vm_state, **facts)
    if rule.task is not None and instance.task_state not in rule.task:
        raise InstanceInvalidState(attr="task_state", state=instance.task_state, **facts)
    if rule.launched and instance.launched_at is None:
        raise InstanceInvalidState(
            f"Cannot '{method}' instance {instance.uuid} before it was ever active",
            attr="launched_at",
            state=None,
            **facts,
        )


def in_a_cell(server: Located) -> CellStores:
    """The stores of the server's cell. Raises: InstanceNotReady while it is still a build request."""
    if server.cell is None:
        raise InstanceNotReady(instance_id=server.uuid)
    return server.cell
