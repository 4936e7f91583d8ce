"""Power: start, stop and reboot. Guard, move by compare-and-swap, log the action, cast to the host."""

from collections.abc import Callable

from openkeel import objects
from openkeel.common.context import Context
from openkeel.db.cells import CellStores
from openkeel.domain.errors import InstanceNotReady, KeelError
from openkeel.domain.lifecycle import LIFECYCLE, Action, Step
from openkeel.rpc.compute import ComputeClient
from openkeel.services import guards
from openkeel.services.lookup import Located

ComputeOf = Callable[[CellStores], ComputeClient]


class PowerService:
    """Tells hosts to run servers or not."""

    def __init__(self, compute_of: ComputeOf) -> None:
        self._compute_of = compute_of

    def start(self, ctx: Context, server: Located) -> None:
        """Raises: InstanceIsLocked, InstanceNotReady, InstanceInvalidState, StateConflict; Unavailable."""
        guards.not_locked(ctx, server.instance)
        guards.on_a_host(server.instance)
        self._begin(
            ctx,
            server,
            Action.START,
            "start",
            lambda compute, instance: compute.start_instance(ctx, instance=instance),
        )

    def stop(self, ctx: Context, server: Located) -> None:
        """Shut the guest down and turn it off. Raises: as `start`."""
        guards.not_locked(ctx, server.instance)
        guards.on_a_host(server.instance)
        self._begin(
            ctx,
            server,
            Action.STOP,
            "stop",
            lambda compute, instance: compute.stop_instance(ctx, instance=instance, clean_shutdown=True),
        )

    def reboot(self, ctx: Context, server: Located, *, is_hard: bool) -> None:
        """Let the guest reboot itself, or reset its machine. Raises: as `start`."""
        guards.not_locked(ctx, server.instance)
        action, reboot_type = (Action.REBOOT_HARD, "HARD") if is_hard else (Action.REBOOT_SOFT, "SOFT")
        self._begin(
            ctx,
            server,
            action,
            "reboot",
            lambda compute, instance: compute.reboot_instance(
                ctx, instance=instance, reboot_type=reboot_type
            ),
        )

    def _begin(
        self,
        ctx: Context,
        server: Located,
        action: Action,
        method: str,
        cast: Callable[[ComputeClient, objects.Instance], None],
    ) -> None:
        instance, cell, rule = server.instance, server.cell, LIFECYCLE[action]
        guards.in_state(instance, rule, method)
        if cell is None:
            raise InstanceNotReady(instance_id=instance.uuid)
        cell.instances.move(instance, rule, Step.BEGIN)
        cell.actions.start(ctx, instance.uuid, rule.name)
        try:
            cast(self._compute_of(cell), instance)
        except KeelError:
            # Nobody heard of it: the server must not wait for a host that was never asked.
            cell.instances.move(instance, rule, Step.FAILED)
            cell.actions.finish(ctx, instance.uuid)
            raise
