"""Floating addresses, a proxy to Neutron for old clients."""

from typing import Any, Final

from oslo_utils import uuidutils

from openkeel.api import forms
from openkeel.api.answer_types import UUID, or_null
from openkeel.api.request import Request
from openkeel.api.resources.servers.handlers import load_server
from openkeel.api.schema import Body, Object, OneOf, Prop, Query
from openkeel.api.tables import Answer, Field, Operation, View, itself
from openkeel.api.versions import END, V
from openkeel.domain.errors import Invalid
from openkeel.policies import floating_ip_pools
from openkeel.policies import floating_ips as rules

# Fields

POOL: Final = View(Field("name", get=itself))
FLOATING_IP: Final = View(
    Field("id"),
    Field("ip", get=lambda one, _: one.address),
    Field("pool"),
    Field("fixed_ip", get=lambda one, _: one.fixed_address),
    Field("instance_id", get=lambda one, _: one.instance_uuid, type=or_null(UUID)),
)

# Bodies and queries

CREATE: Final = Body(Prop("pool", forms.nullable(forms.STRING)), extra=True, null=True)
_ADDRESS: Final = OneOf(forms.IPV4, forms.IPV6)
ADD: Final = Body(
    Prop(
        "addFloatingIp",
        Object(Prop("address", _ADDRESS, required=True), Prop("fixed_address", _ADDRESS)),
        required=True,
    )
)
REMOVE: Final = Body(
    Prop("removeFloatingIp", Object(Prop("address", _ADDRESS, required=True)), required=True)
)
NOTHING: Final = Query(strict_since=V.LEGACY)
ANYTHING: Final = Query(strict_since=END)

# Handlers


def pools(request: Request) -> Any:
    """Where addresses come from."""
    return request.services.floating_ips.pools(request.ctx)


def _id(request: Request) -> str:
    given = request.params["id"]
    if not uuidutils.is_uuid_like(given):
        raise Invalid(f"{given} is no id of a floating address.")
    return given


def index(request: Request) -> Any:
    """The project's addresses."""
    return request.services.floating_ips.of_project(request.ctx)


def show(request: Request) -> Any:
    """One address."""
    return request.services.floating_ips.get(request.ctx, _id(request))


def create(request: Request) -> Any:
    """Take an address from a pool."""
    pool = (request.body or {}).get("pool")
    return request.services.floating_ips.create(request.ctx, pool)


def delete(request: Request) -> None:
    """Give an address back."""
    request.services.floating_ips.delete(request.ctx, _id(request))


_ACCEPTED: Final = 202


def add_to_server(request: Request) -> Answer:
    """Lead an address to a server."""
    asked = request.body["addFloatingIp"]
    request.services.floating_ips.lead_to_server(
        request.ctx, request.target.uuid, asked["address"], asked.get("fixed_address")
    )
    return Answer(status=_ACCEPTED)


def load_with_address(request: Request) -> Any:
    """The server. Compat: an address that is not there is told before the rule is asked."""
    server = load_server(request)
    request.services.floating_ips.find(request.ctx, request.body["removeFloatingIp"]["address"])
    return server


def remove_from_server(request: Request) -> Answer:
    """Let an address lead nowhere."""
    address = request.body["removeFloatingIp"]["address"]
    request.services.floating_ips.lead_away(request.ctx, request.target.uuid, address)
    return Answer(status=_ACCEPTED)


# Operations

_PATH: Final = "/os-floating-ips"
_ONE: Final = "/os-floating-ips/{id}"
_ACTION: Final = "/servers/{id}/action"
_UNTIL: Final = V.PROXIES_GONE

OPERATIONS: Final = (
    Operation(
        "GET",
        "/os-floating-ip-pools",
        pools,
        until=_UNTIL,
        rule=floating_ip_pools.FLOATING_IP_POOLS,
        query=ANYTHING,
        view=POOL.list("floating_ip_pools"),
    ),
    Operation(
        "GET",
        _PATH,
        index,
        until=_UNTIL,
        rule=rules.LIST,
        query=NOTHING,
        view=FLOATING_IP.list("floating_ips"),
    ),
    Operation(
        "GET", _ONE, show, until=_UNTIL, rule=rules.SHOW, query=NOTHING, view=FLOATING_IP.one("floating_ip")
    ),
    Operation(
        "POST",
        _PATH,
        create,
        until=_UNTIL,
        rule=rules.CREATE,
        body=CREATE,
        view=FLOATING_IP.one("floating_ip"),
        faults=(404,),
    ),
    Operation("DELETE", _ONE, delete, until=_UNTIL, rule=rules.DELETE, status=202),
    Operation(
        "POST",
        _ACTION,
        add_to_server,
        action="addFloatingIp",
        until=V.ADDRESS_ACTIONS_GONE,
        rule=rules.ADD,
        target=load_server,
        body=ADD,
        more_statuses=(_ACCEPTED,),
    ),
    Operation(
        "POST",
        _ACTION,
        remove_from_server,
        action="removeFloatingIp",
        until=V.ADDRESS_ACTIONS_GONE,
        rule=rules.REMOVE,
        target=load_with_address,
        body=REMOVE,
        more_statuses=(_ACCEPTED,),
        faults=(409,),
    ),
)
