"""Services: /os-services (listing; changes join with host administration)."""

from collections.abc import Callable
from typing import Any, Final

from openkeel.api.answer_types import UUID, WHOLE
from openkeel.api.request import Request
from openkeel.api.resources.times import with_microseconds
from openkeel.api.schema import Param, Query
from openkeel.api.tables import ABSENT, Behaviour, Field, Operation, Rendering, View, a
from openkeel.api.versions import V
from openkeel.policies import services as rules

# Fields


def _known(name: str, read: Callable[[Any], Any], **more: Any) -> Field:
    """A field that only services of cells that answer have."""
    return Field(
        name,
        get=lambda service, _: ABSENT if service.row is None else read(service),
        optional_since=V.DOWN_CELLS,
        **more,
    )


def _status(service: Any, _: Rendering) -> str:
    if service.row is None:
        return "UNKNOWN"
    return "disabled" if service.row.disabled else "enabled"


SERVICE: Final = View(
    _known("id", lambda service: service.row.id, until=V.UUID_SERVICES, type=WHOLE),
    _known("id", lambda service: service.row.uuid, since=V.UUID_SERVICES, type=UUID),
    Field("binary", get=a("binary")),
    Field("host", get=a("host")),
    _known("zone", lambda service: service.zone),
    Field("status", get=_status),
    _known("state", lambda service: "up" if service.is_up else "down"),
    _known(
        "updated_at",
        lambda service: with_microseconds(service.row.last_seen_up or service.row.updated_at),
    ),
    _known("disabled_reason", lambda service: service.row.disabled_reason),
    _known("forced_down", lambda service: bool(service.row.forced_down), since=V.FORCED_DOWN),
)

# Bodies and queries

LIST: Final = Query(Param("host"), Param("binary"), strict_since=V.STRICT_QUERIES)

PARTIAL: Final = Behaviour("services of cells that are down are listed", since=V.DOWN_CELLS)

# Handlers


def list_services(request: Request) -> Any:
    """Services of all cells."""
    return request.services.hosts.services(
        request.query.last("host"), request.query.last("binary"), partial=request.has(PARTIAL)
    )


# Operations

OPERATIONS: Final = (
    Operation(
        "GET",
        "/os-services",
        list_services,
        rule=rules.LIST,
        query=LIST,
        view=SERVICE.list("services"),
        behaviours=(PARTIAL,),
    ),
)
