"""Hosts: /os-hosts, which ends at 2.42. Services and hypervisors say it better since."""

from collections.abc import Callable
from typing import Any, Final

from openkeel.api import forms
from openkeel.api.request import Request
from openkeel.api.schema import Body, Param, Prop, Query
from openkeel.api.tables import Field, Operation, RawView, View, a
from openkeel.api.versions import END, V
from openkeel.domain.errors import KeelError, Timeout, Unavailable, Unsupported
from openkeel.policies import hosts as rules

# Fields

HOST: Final = View(
    Field("host_name", get=a("host")),
    Field("service", get=lambda service, _: service.row.topic),
    Field("zone", get=a("zone")),
)
RESOURCES: Final = View(
    *(Field(name) for name in ("host", "project", "cpu", "memory_mb", "disk_gb")),
)
CHANGED: Final = RawView(".host", ".status", ".maintenance_mode")
POWERED: Final = RawView(".host", ".power_action")

# Bodies and queries

_SWITCH: Final = forms.enum("enable", "disable", "Enable", "Disable", "ENABLE", "DISABLE")
UPDATE: Final = Body(
    Prop("status", _SWITCH),
    Prop("maintenance_mode", _SWITCH),
    minProperties=1,
)
LIST: Final = Query(Param("zone"), strict_since=END)

# Handlers


def list_hosts(request: Request) -> Any:
    """Enabled services of all hosts."""
    return request.services.host_admin.list_hosts(request.query.last("zone"))


def show(request: Request) -> Any:
    """What a host has and what is used of it."""
    return request.services.host_admin.resources(request.params["id"])


def update(request: Request) -> Any:
    """Enable or disable a host, or take it into maintenance."""
    host, admin = request.params["id"], request.services.host_admin
    answer = {"host": host}
    if "status" in request.body:
        answer["status"] = admin.set_enabled(request.ctx, host, enabled=_is_on(request, "status"))
    if "maintenance_mode" in request.body:
        is_on = _is_on(request, "maintenance_mode")
        answer["maintenance_mode"] = admin.set_maintenance(request.ctx, host, is_on=is_on)
    return answer


def _is_on(request: Request, name: str) -> bool:
    return str(request.body[name]).lower() == "enable"


def _power(action: str) -> Callable[[Request], Any]:
    def power(request: Request) -> Any:
        host = request.params["id"]
        return {"host": host, "power_action": request.services.host_admin.power(request.ctx, host, action)}

    return power


# Operations

# Contract: a compute that does not answer is the client's mistake here.
_ERRORS: Final[dict[type[KeelError], int]] = {Unsupported: 501, Unavailable: 400, Timeout: 400}

OPERATIONS: Final = (
    Operation(
        "GET",
        "/os-hosts",
        list_hosts,
        until=V.HOSTS_GONE,
        rule=rules.LIST,
        query=LIST,
        view=HOST.list("hosts"),
    ),
    Operation(
        "GET",
        "/os-hosts/{id}",
        show,
        until=V.HOSTS_GONE,
        rule=rules.SHOW,
        view=RESOURCES.list("host", each="resource"),
    ),
    Operation(
        "PUT",
        "/os-hosts/{id}",
        update,
        until=V.HOSTS_GONE,
        rule=rules.UPDATE,
        body=UPDATE,
        view=CHANGED,
        errors=_ERRORS,
    ),
    *(
        Operation(
            "GET",
            f"/os-hosts/{{id}}/{action}",
            _power(action),
            until=V.HOSTS_GONE,
            rule=rule,
            view=POWERED,
            errors=_ERRORS,
        )
        for action, rule in (("reboot", rules.REBOOT), ("shutdown", rules.SHUTDOWN), ("startup", rules.START))
    ),
)
