"""What a server wrote to its serial console."""

from openkeel.common.context import Context
from openkeel.domain.errors import InstanceNotReady
from openkeel.services import guards
from openkeel.services.lookup import Located
from openkeel.services.power import ComputeOf


class ConsoleService:
    """Asks hosts for console logs."""

    def __init__(self, compute_of: ComputeOf) -> None:
        self._compute_of = compute_of

    def output(self, ctx: Context, server: Located, length: int | None) -> str:
        """The last `length` lines; everything that is kept when None.

        Raises: InstanceNotReady; NotFound when there is no console; Unsupported; Unavailable, Timeout.
        """
        guards.on_a_host(server.instance)
        if server.cell is None:
            raise InstanceNotReady(instance_id=server.uuid)
        output = self._compute_of(server.cell).get_console_output(
            ctx, instance=server.instance, tail_length=length
        )
        return printable(output or "")


def printable(text: str) -> str:
    """Without characters that JSON readers of the past could not bear. Contract: os-getConsoleOutput."""
    return "".join(
        character
        for character in text
        if character in "\t\n\r" or ord(character) >= 0x20  # noqa: PLR2004
    )
