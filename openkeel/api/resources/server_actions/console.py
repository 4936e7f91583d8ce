"""Read what a server wrote to its console."""

from typing import Any, Final

from openkeel.api.request import Request
from openkeel.api.resources.servers.handlers import load_server
from openkeel.api.schema import Body, Leaf, Object, Prop
from openkeel.api.tables import Field, Operation, View
from openkeel.domain.errors import Unsupported
from openkeel.policies import console_output as rules

OUTPUT: Final = View(Field("output", get=lambda output, _: output))

_LENGTH: Final = Leaf({"type": ["integer", "string", "null"], "pattern": "^-?[0-9]+$", "minimum": -1})
GET_OUTPUT: Final = Body(
    Prop("os-getConsoleOutput", Object(Prop("length", _LENGTH)), required=True),
)


def get_output(request: Request) -> Any:
    """The last lines of the console."""
    given = request.body["os-getConsoleOutput"].get("length")
    # -1 is the old word for "everything"
    length = None if given is None or int(given) < 0 else int(given)
    return request.services.console.output(request.ctx, request.target, length)


OPERATIONS: Final = (
    Operation(
        "POST",
        "/servers/{id}/action",
        get_output,
        action="os-getConsoleOutput",
        rule=rules.CONSOLE_OUTPUT,
        target=load_server,
        body=GET_OUTPUT,
        view=OUTPUT,
        # Contract: a driver without consoles is a server without the feature.
        errors={Unsupported: 501},
        faults=(409,),
    ),
)
