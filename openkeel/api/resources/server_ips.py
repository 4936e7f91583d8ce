"""Addresses of servers by network: /servers/{server_id}/ips."""

from collections.abc import Mapping
from typing import Any, Final

from openkeel.api.request import Request
from openkeel.api.resources.server_metadata import locate
from openkeel.api.resources.servers.bodies import NOTHING
from openkeel.api.resources.servers.fields import plain_addresses
from openkeel.api.tables import Field, Operation, RawView, View
from openkeel.db.stores.server_rows import Need
from openkeel.domain.errors import NotFound
from openkeel.policies import ips as rules

_SHAPE: Final = (".*", ".*[].addr", ".*[].version")

ALL: Final = View(Field("addresses", get=lambda networks, _: networks, shape=_SHAPE))
ONE: Final = RawView(*_SHAPE)  # the network's label is the key


def index(request: Request) -> Mapping[str, Any]:
    """Addresses by network."""
    needs = frozenset({Need.NETWORK})
    return plain_addresses(request.services.server_lists.find(request.ctx, request.target, needs))


def show(request: Request) -> Mapping[str, Any]:
    """Addresses of one network."""
    label = request.params["id"]
    networks = index(request)
    if label not in networks:
        raise NotFound(f"The server is on no network {label}.")
    return {label: networks[label]}


OPERATIONS: Final = (
    Operation(
        "GET", "/servers/{server_id}/ips", index, rule=rules.INDEX, target=locate, query=NOTHING, view=ALL
    ),
    Operation(
        "GET", "/servers/{server_id}/ips/{id}", show, rule=rules.SHOW, target=locate, query=NOTHING, view=ONE
    ),
)
