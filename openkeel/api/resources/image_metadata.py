"""Metadata of images, a proxy to their properties in Glance: /images/{image_id}/metadata."""

from collections.abc import Mapping
from typing import Any, Final

from openkeel.api.request import Request
from openkeel.api.resources.server_metadata import ALL, ONE, SET_ALL, SET_ONE
from openkeel.api.schema import Query
from openkeel.api.tables import ANYONE, Operation
from openkeel.api.versions import V
from openkeel.domain.errors import Invalid, NotFound

# Bodies and queries

NOTHING: Final = Query(strict_since=V.LEGACY)

# Handlers


def index(request: Request) -> Any:
    """All items."""
    return request.services.images.get(request.ctx, request.params["image_id"]).properties


def show(request: Request) -> Mapping[str, str]:
    """One item."""
    key = request.params["id"]
    items = index(request)
    if key not in items:
        raise NotFound(f"The image has no metadata item {key}.")
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
    return request.services.images.set_metadata(
        request.ctx, request.params["image_id"], items, replace=replace
    )


def delete(request: Request) -> None:
    """Remove one item."""
    request.services.images.delete_metadata(request.ctx, request.params["image_id"], request.params["id"])


# Operations

_ALL: Final = "/images/{image_id}/metadata"
_ONE: Final = "/images/{image_id}/metadata/{id}"
_UNTIL: Final = V.IMAGE_METADATA_PROXY_GONE
_REFUSED: Final = (403,)

OPERATIONS: Final = (
    Operation("GET", _ALL, index, until=_UNTIL, rule=ANYONE, query=NOTHING, view=ALL, faults=_REFUSED),
    Operation("POST", _ALL, create, until=_UNTIL, rule=ANYONE, body=SET_ALL, view=ALL, faults=_REFUSED),
    Operation("PUT", _ALL, update_all, until=_UNTIL, rule=ANYONE, body=SET_ALL, view=ALL, faults=_REFUSED),
    Operation("GET", _ONE, show, until=_UNTIL, rule=ANYONE, query=NOTHING, view=ONE, faults=_REFUSED),
    Operation("PUT", _ONE, update, until=_UNTIL, rule=ANYONE, body=SET_ONE, view=ONE, faults=_REFUSED),
    Operation("DELETE", _ONE, delete, until=_UNTIL, rule=ANYONE, status=204, faults=_REFUSED),
)
