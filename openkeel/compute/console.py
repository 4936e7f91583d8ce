"""What guests show."""

from typing import Final

from openkeel import objects
from openkeel.common.context import Context
from openkeel.common.periodic import Periodic
from openkeel.compute.host import Host
from openkeel.compute.records import project_of
from openkeel.domain.errors import ConsoleNotAvailable
from openkeel.virt.driver import GuestNotFound

MAX_BYTES: Final = 100 * 1024  # as much of a console log as operators know


class Console:
    """The serial console's log."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def periodics(self) -> tuple[Periodic, ...]:
        """None."""
        return ()

    def get_console_output(
        self,
        ctx: Context,  # noqa: ARG002 - part of every remote method
        instance: objects.Instance,
        tail_length: int | None,
    ) -> str:
        """The last `tail_length` lines, all that is kept when None. Raises: ConsoleNotAvailable."""
        try:
            output = self._host.driver.console.output(
                instance.uuid, project_of(instance), max_bytes=MAX_BYTES
            )
        except GuestNotFound as error:
            raise ConsoleNotAvailable(instance_id=instance.uuid) from error
        text = output.decode(errors="replace")
        if tail_length is None:
            return text
        # Compat: what comes after the last line's end counts as a line, be it empty.
        return "\n".join(text.split("\n")[-tail_length:]) if tail_length > 0 else ""
