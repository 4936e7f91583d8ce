"""Availability zones: /os-availability-zone."""

from collections.abc import Callable
from typing import Any, Final

from openkeel.api.answer_types import NULL
from openkeel.api.request import Request
from openkeel.api.resources.times import with_microseconds
from openkeel.api.schema import Query
from openkeel.api.tables import Field, Operation, Rendering, View, a
from openkeel.api.versions import V
from openkeel.policies import availability_zones as rules

# Fields


def _state(zone: Any, _: Rendering) -> dict[str, bool]:
    return {"available": zone.is_available}


def _service(service: Any) -> dict[str, Any]:
    row = service.row
    return {
        "available": service.is_up,
        "active": not row.disabled,
        "updated_at": with_microseconds(row.last_seen_up or row.updated_at),
    }


def _hosts(zone: Any, _: Rendering) -> Any:
    if not zone.is_available:
        return None
    return {
        host: {service.binary: _service(service) for service in services}
        for host, services in zone.hosts.items()
    }


_NAME: Final = (Field("zoneName", get=a("name")), Field("zoneState", get=_state, shape=(".available",)))

ZONE: Final = View(*_NAME, Field("hosts", get=lambda _zone, _rendering: None, type=NULL))
ZONE_IN_DETAIL: Final = View(
    *_NAME,
    Field(
        "hosts",
        get=_hosts,
        shape=(".*", ".*.*", ".*.*.available", ".*.*.active", ".*.*.updated_at"),
    ),
)

# Handlers


def _list(*, internal: bool) -> Callable[[Request], Any]:
    return lambda request: request.services.availability_zones.list(internal=internal)


# Operations

_NOTHING: Final = Query(strict_since=V.FLAVOR_NAME_FILTER, since=V.BASE)

OPERATIONS: Final = (
    Operation(
        "GET",
        "/os-availability-zone",
        _list(internal=False),
        rule=rules.LIST,
        query=_NOTHING,
        view=ZONE.list("availabilityZoneInfo"),
    ),
    Operation(
        "GET",
        "/os-availability-zone/detail",
        _list(internal=True),
        rule=rules.DETAIL,
        query=_NOTHING,
        view=ZONE_IN_DETAIL.list("availabilityZoneInfo"),
    ),
)
