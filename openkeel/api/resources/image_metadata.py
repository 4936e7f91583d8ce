"""Metadata of images, a proxy to their properties in Glance: /images/{image_id}/metadata."""

from collections.abc import Mapping
from typing import Any, Final

from openkeel.api.request import Request
from openkeel.api.resources.metadata_items import ALL, ONE, SET_ALL, SET_ONE, MetadataItems
from openkeel.api.schema import Query
from openkeel.api.tables import ANYONE, Operation
from openkeel.api.versions import V

# Bodies and queries

NOTHING: Final = Query(strict_since=V.LEGACY)

# Handlers


def _read(request: Request) -> Any:
    return request.services.images.get(request.ctx, request.params["image_id"]).properties


def _write(request: Request, items: Mapping[str, str], *, replace: bool) -> Any:
    return request.services.images.set_metadata(
        request.ctx, request.params["image_id"], items, replace=replace
    )


def delete(request: Request) -> None:
    """Remove one item."""
    request.services.images.delete_metadata(request.ctx, request.params["image_id"], request.params["id"])


# Operations

_META: Final = MetadataItems("image", _read, _write)
_ALL: Final = "/images/{image_id}/metadata"
_ONE: Final = "/images/{image_id}/metadata/{id}"
_UNTIL: Final = V.IMAGE_METADATA_PROXY_GONE
_REFUSED: Final = (403,)

OPERATIONS: Final = (
    Operation("GET", _ALL, _META.index, until=_UNTIL, rule=ANYONE, query=NOTHING, view=ALL, faults=_REFUSED),
    Operation("POST", _ALL, _META.create, until=_UNTIL, rule=ANYONE, body=SET_ALL, view=ALL, faults=_REFUSED),
    Operation(
        "PUT", _ALL, _META.update_all, until=_UNTIL, rule=ANYONE, body=SET_ALL, view=ALL, faults=_REFUSED
    ),
    Operation("GET", _ONE, _META.show, until=_UNTIL, rule=ANYONE, query=NOTHING, view=ONE, faults=_REFUSED),
    Operation("PUT", _ONE, _META.update, until=_UNTIL, rule=ANYONE, body=SET_ONE, view=ONE, faults=_REFUSED),
    Operation("DELETE", _ONE, delete, until=_UNTIL, rule=ANYONE, status=204, faults=_REFUSED),
)
