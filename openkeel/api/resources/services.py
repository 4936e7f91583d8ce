"""Services: /os-services.

Until 2.52 a service is changed by a word in the place of its id, with its host in the body.
"""

from collections.abc import Callable
from typing import Any, Final

from oslo_utils import uuidutils

from openkeel.api import forms
from openkeel.api.answer_types import UUID, WHOLE
from openkeel.api.errors import Fault
from openkeel.api.request import Request
from openkeel.api.resources.times import with_microseconds
from openkeel.api.schema import Body, Param, Prop, Query
from openkeel.api.tables import ABSENT, ALWAYS, Behaviour, Field, Operation, Rendering, View, a, itself
from openkeel.api.versions import V
from openkeel.domain.errors import Invalid
from openkeel.policies import services as rules
from openkeel.services.host_admin import ServiceChange

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


def _if_said(name: str) -> Field:
    return Field(name, get=lambda answer, _: answer.get(name, ABSENT), optional_since=ALWAYS)


CHANGED_BY_NAME: Final = View(
    Field("host"),
    Field("binary"),
    *(_if_said(name) for name in ("status", "disabled_reason", "forced_down")),
)
CHANGED: Final = View(
    Field("service", get=itself, view=CHANGED_BY_NAME, until=V.UUID_SERVICES),
    Field("service", get=itself, view=SERVICE, since=V.UUID_SERVICES),
)

# Bodies and queries

UPDATE: Final = Body(
    Prop("host", forms.HOST_NAME, required=True, until=V.UUID_SERVICES),
    Prop("binary", forms.string(minLength=1, maxLength=255), required=True, until=V.UUID_SERVICES),
    Prop("disabled_reason", forms.string(minLength=1, maxLength=255)),
    Prop("forced_down", forms.BOOLEAN, since=V.FORCED_DOWN),
    Prop("status", forms.enum("enabled", "disabled"), since=V.UUID_SERVICES),
)
LIST: Final = Query(Param("host"), Param("binary"), strict_since=V.STRICT_QUERIES)

CAN_FORCE_DOWN: Final = Behaviour("services can be forced down", since=V.FORCED_DOWN)
BY_UUID: Final = Behaviour("services are known by uuid", since=V.UUID_SERVICES)
PARTIAL: Final = Behaviour("services of cells that are down are listed", since=V.DOWN_CELLS)

# Handlers


def list_services(request: Request) -> Any:
    """Services of all cells."""
    return request.services.hosts.services(
        request.query.last("host"), request.query.last("binary"), partial=request.has(PARTIAL)
    )


def _enable(_: Request) -> tuple[ServiceChange, dict[str, Any]]:
    return ServiceChange(disabled=False), {"status": "enabled"}


def _disable(_: Request) -> tuple[ServiceChange, dict[str, Any]]:
    return ServiceChange(disabled=True), {"status": "disabled"}


def _disable_with_reason(request: Request) -> tuple[ServiceChange, dict[str, Any]]:
    reason = request.body.get("disabled_reason")
    if reason is None:
        raise Invalid("disabled_reason is missing.")
    change = ServiceChange(disabled=True, reason=reason)
    return change, {"status": "disabled", "disabled_reason": reason}


def _force_down(request: Request) -> tuple[ServiceChange, dict[str, Any]]:
    if not request.has(CAN_FORCE_DOWN):
        raise Fault(404, "There is no such change of a service in this version.")
    if "forced_down" not in request.body:
        raise Invalid("forced_down is missing.")
    forced_down = forms.to_bool(request.body["forced_down"])
    return ServiceChange(forced_down=forced_down), {"forced_down": forced_down}


_CHANGES: Final = {
    "enable": _enable,
    "disable": _disable,
    "disable-log-reason": _disable_with_reason,
    "force-down": _force_down,
}


def _change_by_name(request: Request) -> Any:
    """Change the compute of a host as the word in the path says."""
    make = _CHANGES.get(request.params["id"])
    if make is None:
        raise Fault(404, f"There is no change of services called {request.params['id']}.")
    change, answer = make(request)
    host, binary = request.body["host"], request.body["binary"]
    request.services.host_admin.change_by_name(request.ctx, host, binary, change)
    return {"host": host, "binary": binary, **answer}


def _key(request: Request) -> int | str:
    given = request.params["id"]
    if request.has(BY_UUID):
        if not uuidutils.is_uuid_like(given):
            raise Invalid(f"{given} is no uuid.")
        return given
    try:
        return int(given)
    except ValueError:
        raise Invalid(f"The id of a service is a whole number, not {given}.") from None


def update(request: Request) -> Any:
    """Change a compute."""
    if not request.has(BY_UUID):
        return _change_by_name(request)
    uuid = _key(request)
    body = request.body
    status, reason = body.get("status"), body.get("disabled_reason")
    if status is None and "forced_down" not in body:
        raise Invalid("Say what shall change: status, forced_down or both.")
    if reason is not None and status != "disabled":
        raise Invalid("A disabled_reason is for services that shall be disabled.")
    change = ServiceChange(
        disabled=None if status is None else status == "disabled",
        reason=reason,
        forced_down=forms.to_bool(body["forced_down"]) if "forced_down" in body else None,
    )
    return request.services.host_admin.change(request.ctx, uuid, change)


def delete(request: Request) -> None:
    """Delete a service, a compute with all that is known of its host."""
    request.services.host_admin.delete(request.ctx, _key(request))


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
    Operation(
        "PUT",
        "/os-services/{id}",
        update,
        rule=rules.UPDATE,
        body=UPDATE,
        view=CHANGED,
        behaviours=(BY_UUID, CAN_FORCE_DOWN),
    ),
    Operation(
        "DELETE",
        "/os-services/{id}",
        delete,
        rule=rules.DELETE,
        status=204,
        faults=(409,),
        behaviours=(BY_UUID,),
    ),
)
