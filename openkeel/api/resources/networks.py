"""Networks, a proxy to Neutron for old clients: /os-networks and /os-tenant-networks."""

from typing import Any, Final

from openkeel.api.answer_types import TEXT, WHOLE, or_null
from openkeel.api.request import Request
from openkeel.api.schema import Query
from openkeel.api.tables import ABSENT, ALWAYS, Field, Getter, Operation, Rendering, View
from openkeel.api.versions import V
from openkeel.policies import networks as rules
from openkeel.policies import tenant_networks

# Fields

# Compat: what networks of the time before Neutron had, and Neutron's do not, is null.
_FOR_ALL: Final = (
    "cidr",
    "netmask",
    "gateway",
    "broadcast",
    "dns1",
    "dns2",
    "cidr_v6",
    "gateway_v6",
    "netmask_v6",
)
_FOR_ADMINS: Final = (
    "created_at",
    "updated_at",
    "deleted_at",
    "deleted",
    "injected",
    "bridge",
    "vlan",
    "vpn_public_address",
    "vpn_public_port",
    "vpn_private_address",
    "dhcp_start",
    "project_id",
    "host",
    "bridge_interface",
    "multi_host",
    "priority",
    "rxtx_base",
    "mtu",
    "dhcp_server",
    "enable_dhcp",
    "share_address",
)

_NUMBERS: Final = frozenset({"mtu", "vpn_public_port"})


def _null(_network: Any, _: Rendering) -> None:
    return None


def _null_for_admins(_network: Any, r: Rendering) -> Any:
    return None if r.request.ctx.is_admin else ABSENT


def _always(value: Any) -> Getter:
    return lambda _row, _rendering: value


_NAME: Final = Field("label", get=lambda network, _: network.name)
NETWORK: Final = View(
    Field("id"),
    _NAME,
    *(Field(name, get=_null, type=or_null(TEXT)) for name in _FOR_ALL),
    *(
        Field(
            name,
            get=_null_for_admins,
            type=or_null(WHOLE if name in _NUMBERS else TEXT),
            optional_since=ALWAYS,
        )
        for name in _FOR_ADMINS
    ),
)
TENANT_NETWORK: Final = View(Field("id"), _NAME, Field("cidr", get=_always("None")))

# Bodies and queries

NOTHING: Final = Query(strict_since=V.LEGACY)

# Handlers


def index(request: Request) -> Any:
    """Networks that the project may attach to."""
    return request.services.networks.list(request.ctx)


def index_of_tenant(request: Request) -> Any:
    """The same, with those that the operator shows to everybody."""
    return request.services.networks.with_default(request.ctx)


def show(request: Request) -> Any:
    """One of them, or any that the user sees."""
    return request.services.networks.get(request.ctx, request.params["id"])


# Operations

_UNTIL: Final = V.PROXIES_GONE

OPERATIONS: Final = (
    Operation(
        "GET",
        "/os-networks",
        index,
        until=_UNTIL,
        rule=rules.LIST,
        query=NOTHING,
        view=NETWORK.list("networks"),
    ),
    Operation(
        "GET",
        "/os-networks/{id}",
        show,
        until=_UNTIL,
        rule=rules.SHOW,
        query=NOTHING,
        view=NETWORK.one("network"),
    ),
    Operation(
        "GET",
        "/os-tenant-networks",
        index_of_tenant,
        until=_UNTIL,
        rule=tenant_networks.LIST,
        query=NOTHING,
        view=TENANT_NETWORK.list("networks"),
    ),
    Operation(
        "GET",
        "/os-tenant-networks/{id}",
        show,
        until=_UNTIL,
        rule=tenant_networks.SHOW,
        query=NOTHING,
        view=TENANT_NETWORK.one("network"),
    ),
)
