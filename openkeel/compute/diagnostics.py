"""What the hypervisor measures of guests."""

from typing import NoReturn

from openkeel import objects
from openkeel.common.context import Context
from openkeel.common.periodic import Periodic
from openkeel.domain.errors import Unsupported


class Diagnostics:
    """Refuses: no driver of ours measures guests. Hosts of peers may."""

    def periodics(self) -> tuple[Periodic, ...]:
        """None."""
        return ()

    def get_diagnostics(self, ctx: Context, instance: objects.Instance) -> NoReturn:
        """Raises: Unsupported."""
        self.get_instance_diagnostics(ctx, instance)

    def get_instance_diagnostics(
        self,
        ctx: Context,  # noqa: ARG002 - part of every remote method
        instance: objects.Instance,
    ) -> NoReturn:
        """Raises: Unsupported."""
        raise Unsupported(f"This hypervisor does not measure guests such as {instance.uuid}.")
