"""Passwords that guests told for their owners: /servers/{server_id}/os-server-password."""

from typing import Any, Final

from openkeel.api.request import Request
from openkeel.api.resources.server_metadata import load
from openkeel.api.schema import Query
from openkeel.api.tables import Field, Operation, View
from openkeel.api.versions import V
from openkeel.policies import server_password as rules

# Fields

PASSWORD: Final = View(Field("password", get=lambda password, _: password))

# Bodies and queries

NOTHING: Final = Query(strict_since=V.FLAVOR_NAME_FILTER, since=V.BASE)

# Handlers

_NEEDED: Final = ("system_metadata",)


def load_for_reading(request: Request) -> Any:
    """The server with no more than its password."""
    return request.services.server_lookup.get(request.ctx, request.params["server_id"], _NEEDED)


def show(request: Request) -> Any:
    """The password, encrypted for the owner."""
    return request.services.server_password.show(request.target)


def clear(request: Request) -> None:
    """Forget the password here; the guest keeps it."""
    request.services.server_password.clear(request.target)


# Operations

_PATH: Final = "/servers/{server_id}/os-server-password"

OPERATIONS: Final = (
    Operation("GET", _PATH, show, rule=rules.SHOW, target=load_for_reading, query=NOTHING, view=PASSWORD),
    Operation("DELETE", _PATH, clear, rule=rules.CLEAR, target=load, status=204, faults=(409,)),
)
