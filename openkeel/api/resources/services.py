"""Services: /os-services (listing; changes join with host administration)."""

from typing import Any, Final

from openkeel.api.request import Request
from openkeel.api.resources.times import with_microseconds
from openkeel.api.schema import Param, Query
from openkeel.api.tables import ABSENT, Behaviour, Field, Getter, Operation, Rendering, View, a
from openkeel.api.versions import V
from openkeel.policies import services as rules

# Fields


def _known(read: Any) -> Getter:
    """A field that only services of cells that answer have."""
    return lambda service, _: ABSENT if service.row is None else read(service)


def _status(service: Any, _: Rendering) -> str:
    if service.row is None:
        return "UNKNOWN"
    return "disabled" if service.row.disabled else "enabled"


SERVICE: Final = View(
    Field("id", get=_known(lambda service: service.row.id), until=V.UUID_SERVICES),
    Field("id", get=_known(lambda service: service.row.uuid), since=V.UUID_SERVICES),
    Field("binary", get=a("binary")),
    Field("host", get=a("host")),
    Field("zone", get=_known(lambda service: service.zone)),
    Field("status", get=_status),
    Field("state", get=_known(lambda service: "up" if service.is_up else "down")),
    Field(
        "updated_at",
        get=_known(lambda service: with_microseconds(service.row.last_seen_up or service.row.updated_at)),
    ),
    Field("disabled_reason", get=_known(lambda service: service.row.disabled_reason)),
    Field("forced_down", get=_known(lambda service: bool(service.row.forced_down)), since=V.FORCED_DOWN),
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
