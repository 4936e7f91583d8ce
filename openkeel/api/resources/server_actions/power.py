"""Start, stop and reboot a server."""

from typing import Final

from openkeel.api import forms
from openkeel.api.request import Request
from openkeel.api.resources.servers.handlers import load_server
from openkeel.api.schema import Body, Object, Prop
from openkeel.api.tables import Operation
from openkeel.policies import servers as rules

PATH: Final = "/servers/{id}/action"

START: Final = Body(Prop("os-start", forms.ANY, required=True))
STOP: Final = Body(Prop("os-stop", forms.ANY, required=True))
REBOOT: Final = Body(
    Prop(
        "reboot",
        Object(Prop("type", forms.enum("HARD", "Hard", "hard", "SOFT", "Soft", "soft"), required=True)),
        required=True,
    )
)


def start(request: Request) -> None:
    """Start the guest."""
    request.services.power.start(request.ctx, request.target)


def stop(request: Request) -> None:
    """Shut the guest down."""
    request.services.power.stop(request.ctx, request.target)


def reboot(request: Request) -> None:
    """Reboot the guest, softly or hard."""
    is_hard = request.body["reboot"]["type"].upper() == "HARD"
    request.services.power.reboot(request.ctx, request.target, is_hard=is_hard)


OPERATIONS: Final = (
    Operation(
        "POST",
        PATH,
        start,
        action="os-start",
        rule=rules.START,
        target=load_server,
        body=START,
        status=202,
        faults=(409,),
    ),
    Operation(
        "POST",
        PATH,
        stop,
        action="os-stop",
        rule=rules.STOP,
        target=load_server,
        body=STOP,
        status=202,
        faults=(409,),
    ),
    Operation(
        "POST",
        PATH,
        reboot,
        action="reboot",
        rule=rules.REBOOT,
        target=load_server,
        body=REBOOT,
        status=202,
        faults=(409,),
    ),
)
