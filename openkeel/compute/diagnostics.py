"""What the hypervisor measures of guests."""

from typing import NoReturn

from openkeel import objects
from openkeel.common.context import Context
from openkeel.common.periodic import Periodic
from openkeel.domain.errors import InstanceInvalidState, Unsupported
from openkeel.domain.states import PowerState


class Diagnostics:
    """Refuses: no driver of ours measures guests. Hosts of peers may."""

    def periodics(self) -> tuple[Periodic, ...]:
        """None."""
        return ()

    def get_diagnostics(self, ctx: Context, instance: objects.Instance) -> NoReturn:
        """Raises: InstanceInvalidState, Unsupported."""
        self.get_instance_diagnostics(ctx, instance)

    def get_instance_diagnostics(
        self,
        ctx: Context,  # noqa: ARG002 - part of every remote method
        instance: objects.Instance,
    ) -> NoReturn:
        """Raises: InstanceInvalidState, Unsupported."""
        # Contract: what is not running is refused before the hypervisor is asked.
        if instance.power_state != PowerState.RUNNING:
            raise InstanceInvalidState(
                attr="power_state",
                instance_uuid=instance.uuid,
                state=instance.power_state,
                method="get_diagnostics",
            )
        raise Unsupported(f"This hypervisor does not measure guests such as {instance.uuid}.")
