"""Metadata that owners keep with their servers: /servers/{server_id}/metadata."""

from collections.abc import Mapping
from typing import Any, Final

from openkeel.api.request import Request
from openkeel.api.resources.metadata_items import ALL, ONE, SET_ALL, SET_ONE, MetadataItems
from openkeel.api.resources.servers.bodies import NOTHING
from openkeel.api.tables import Operation
from openkeel.db.stores.server_rows import Need
from openkeel.policies import server_metadata as rules

# Handlers

_NEEDS: Final = frozenset({Need.METADATA})


def load(request: Request) -> Any:
    """The server that is changed."""
    return request.services.server_lookup.get(request.ctx, request.params["server_id"])


def locate(request: Request) -> Any:
    """Whose server is asked about."""
    return request.services.server_lists.locate(request.ctx, request.params["server_id"])


def _read(request: Request) -> Any:
    return request.services.server_lists.find(request.ctx, request.target, _NEEDS).metadata


def _write(request: Request, items: Mapping[str, str], *, replace: bool) -> Any:
    return request.services.servers.set_metadata(request.ctx, request.target, items, replace=replace)


def delete(request: Request) -> None:
    """Remove one item."""
    request.services.servers.delete_metadata(request.ctx, request.target, request.params["id"])


# Operations

_META: Final = MetadataItems("server", _read, _write)
_ALL: Final = "/servers/{server_id}/metadata"
_ONE: Final = "/servers/{server_id}/metadata/{id}"

OPERATIONS: Final = (
    Operation("GET", _ALL, _META.index, rule=rules.INDEX, target=locate, query=NOTHING, view=ALL),
    Operation(
        "POST", _ALL, _META.create, rule=rules.CREATE, target=load, body=SET_ALL, view=ALL, faults=(409,)
    ),
    Operation(
        "PUT",
        _ALL,
        _META.update_all,
        rule=rules.UPDATE_ALL,
        target=load,
        body=SET_ALL,
        view=ALL,
        faults=(409,),
    ),
    Operation("GET", _ONE, _META.show, rule=rules.SHOW, target=locate, query=NOTHING, view=ONE),
    Operation(
        "PUT", _ONE, _META.update, rule=rules.UPDATE, target=load, body=SET_ONE, view=ONE, faults=(409,)
    ),
    Operation("DELETE", _ONE, delete, rule=rules.DELETE, target=load, status=204, faults=(409,)),
)
