"""Delete a server at once, where deletes are otherwise deferred."""

from typing import Final

from openkeel.api import forms
from openkeel.api.request import Request
from openkeel.api.resources.servers.handlers import load_server
from openkeel.api.schema import Body, Prop
from openkeel.api.tables import Operation
from openkeel.domain.lifecycle import Action
from openkeel.policies import deferred_delete as rules

FORCE_DELETE: Final = Body(Prop("forceDelete", forms.ANY, required=True))


def force_delete(request: Request) -> None:
    """Delete without waiting."""
    request.services.delete.delete(request.ctx, request.target, Action.FORCE_DELETE)


OPERATIONS: Final = (
    Operation(
        "POST",
        "/servers/{id}/action",
        force_delete,
        action="forceDelete",
        rule=rules.FORCE,
        target=load_server,
        body=FORCE_DELETE,
        status=202,
        faults=(409,),
    ),
)
