"""Metadata that owners keep with their servers: /servers/{server_id}/metadata."""

from collections.abc import Mapping
from typing import Any, Final

from openkeel.api import forms
from openkeel.api.request import Request
from openkeel.api.resources.servers.bodies import NOTHING
from openkeel.api.schema import Body, Object, Prop
from openkeel.api.tables import Field, Operation, View
from openkeel.db.stores.server_rows import Need
from openkeel.domain.errors import Invalid, NotFound
from openkeel.policies import server_metadata as rules

# Fields

ALL: Final = View(Field("metadata", get=lambda items, _: dict(items), shape=(".*",)))
ONE: Final = View(Field("meta", get=lambda items, _: dict(items), shape=(".*",)))

# Bodies

_ITEMS: Final = {forms.METADATA_KEY: forms.METADATA_VALUE}
SET_ALL: Final = Body(Prop("metadata", Object(patterns=_ITEMS), required=True))
SET_ONE: Final = Body(Prop("meta", Object(patterns=_ITEMS, minProperties=1, maxProperties=1), required=True))

# Handlers

_NEEDS: Final = frozenset({Need.METADATA})


def load(request: Request) -> Any:
    """The server that is changed."""
    return request.services.server_lookup.get(request.ctx, request.params["server_id"])


def locate(request: Request) -> Any:
    """Whose server is asked about."""
    return request.services.server_lists.locate(request.ctx, request.params["server_id"])


def index(request: Request) -> Any:
    """All items."""
    return request.services.server_lists.find(request.ctx, request.target, _NEEDS).metadata


def show(request: Request) -> Mapping[str, str]:
    """One item."""
    key = request.params["id"]
    items = index(request)
    if key not in items:
        raise NotFound(f"The server has no metadata item {key}.")
    return {key: items[key]}


def create(request: Request) -> Any:
    """Add items."""
    return _set(request, request.body["metadata"], replace=False)


def update_all(request: Request) -> Any:
    """Have only these items."""
    return _set(request, request.body["metadata"], replace=True)


def update(request: Request) -> Any:
    """Set one item."""
    items = request.body["meta"]
    if request.params["id"] not in items:
        raise Invalid("The body and the URL name different metadata items.")
    _set(request, items, replace=False)
    return items


def _set(request: Request, items: Mapping[str, str], *, replace: bool) -> Any:
    return request.services.servers.set_metadata(request.ctx, request.target, items, replace=replace)


def delete(request: Request) -> None:
    """Remove one item."""
    request.services.servers.delete_metadata(request.ctx, request.target, request.params["id"])


_ALL: Final = "/servers/{server_id}/metadata"
_ONE: Final = "/servers/{server_id}/metadata/{id}"

OPERATIONS: Final = (
    Operation("GET", _ALL, index, rule=rules.INDEX, target=locate, query=NOTHING, view=ALL),
    Operation("POST", _ALL, create, rule=rules.CREATE, target=load, body=SET_ALL, view=ALL, faults=(409,)),
    Operation(
        "PUT", _ALL, update_all, rule=rules.UPDATE_ALL, target=load, body=SET_ALL, view=ALL, faults=(409,)
    ),
    Operation("GET", _ONE, show, rule=rules.SHOW, target=locate, query=NOTHING, view=ONE),
    Operation("PUT", _ONE, update, rule=rules.UPDATE, target=load, body=SET_ONE, view=ONE, faults=(409,)),
    Operation("DELETE", _ONE, delete, rule=rules.DELETE, target=load, status=204, faults=(409,)),
)
