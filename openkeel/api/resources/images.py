"""Images, a proxy to Glance for old clients: /images."""

from typing import Any, Final

from openkeel.api import forms
from openkeel.api.answer_types import WHOLE
from openkeel.api.links import LINK_SHAPE
from openkeel.api.request import Page, Request
from openkeel.api.resources.paging import next_links
from openkeel.api.schema import Param, Query
from openkeel.api.tables import ABSENT, ALWAYS, ANYONE, Answer, Field, Operation, Rendering, View
from openkeel.api.versions import END, V
from openkeel.services.images import STATUSES, UNKNOWN, glance_status

# Fields

_ALTERNATE: Final = "application/vnd.openstack.image"


def _links(image: Any, r: Rendering) -> Any:
    # Compat: the address of the image itself has always had two slashes.
    alternate = {"rel": "alternate", "type": _ALTERNATE, "href": f"{r.data}//images/{image.id}"}
    return [*r.request.links.self_and_bookmark("images", image.id), alternate]


def _status(image: Any, _: Rendering) -> str:
    return STATUSES.get(image.status, UNKNOWN)[0]


def _progress(image: Any, _: Rendering) -> int:
    return STATUSES.get(image.status, UNKNOWN)[1]


def _server(image: Any, r: Rendering) -> Any:
    """The server that an image was made of."""
    server = image.properties.get("instance_uuid")
    return (
        ABSENT
        if not server
        else {"id": server, "links": r.request.links.self_and_bookmark("servers", server)}
    )


def _disk_config(image: Any, _: Rendering) -> Any:
    chosen = image.properties.get("auto_disk_config")
    return ABSENT if chosen is None else "AUTO" if forms.to_bool(chosen) else "MANUAL"


_LINKS: Final = Field("links", get=_links, shape=(*LINK_SHAPE, "[].type"))

BRIEF: Final = View(Field("id"), Field("name"), _LINKS)
IMAGE: Final = View(
    Field("id"),
    Field("name"),
    Field("minRam", get=lambda image, _: image.min_ram_mib),
    Field("minDisk", get=lambda image, _: image.min_disk_gib),
    Field("metadata", get=lambda image, _: dict(image.properties), shape=(".*",)),
    Field("created", get=lambda image, _: image.created_at),
    Field("updated", get=lambda image, _: image.updated_at),
    Field("status", get=_status),
    Field("progress", get=_progress, type=WHOLE),
    Field("OS-EXT-IMG-SIZE:size", get=lambda image, _: image.size_bytes or 0),
    Field(
        "server",
        get=_server,
        shape=(".id", ".links", ".links[].href", ".links[].rel"),
        optional_since=ALWAYS,
    ),
    Field("OS-DCF:diskConfig", get=_disk_config, optional_since=ALWAYS),
    _LINKS,
)

# Bodies and queries

_PROPERTY: Final = "property-"
LIST: Final = Query(
    Param("limit", forms.POSITIVE),
    Param("offset", forms.POSITIVE),
    Param("page_size", forms.POSITIVE),
    *(
        Param(name, forms.ANY)
        for name in ("marker", "name", "status", "changes-since", "server", "type", "minRam", "minDisk")
    ),
    patterns={f"^{_PROPERTY}.*$": forms.ANY},
    strict_since=END,
)
ANYTHING: Final = Query(strict_since=END)

# What filters are called by Glance. Compat: those of properties are handed on as they come, so that
# Glance, which knows them without the prefix, finds nothing.
_FILTERS: Final = {
    "name": "name",
    "minRam": "min_ram",
    "minDisk": "min_disk",
    "server": f"{_PROPERTY}instance_uuid",
    "type": f"{_PROPERTY}image_type",
}

# Handlers


def _filters(request: Request) -> dict[str, str]:
    found = {}
    for name, value in request.query.plain().items():
        if name in _FILTERS:
            found[_FILTERS[name]] = value
        elif name == "status":
            found["status"] = glance_status(value)
        elif name == "changes-since":
            found["updated_at"] = f"gte:{value}"
        elif name.startswith(_PROPERTY):
            found[name] = value
    return found


def index(request: Request) -> Answer:
    """Images the user may see, a page at a time."""
    page: Page = request.page()
    images = request.services.images.page(request.ctx, _filters(request), page.limit, page.marker)
    links = request.next_links(images, page, lambda last: last.id)
    return Answer(images, data=request.services.images.root(request.ctx), links=links)


def show(request: Request) -> Answer:
    """One image."""
    image = request.services.images.get(request.ctx, request.params["id"])
    return Answer(image, data=request.services.images.root(request.ctx))


def delete(request: Request) -> None:
    """Delete an image."""
    request.services.images.delete(request.ctx, request.params["id"])


# Operations

_UNTIL: Final = V.PROXIES_GONE

OPERATIONS: Final = (
    Operation(
        "GET",
        "/images",
        index,
        until=_UNTIL,
        rule=ANYONE,
        query=LIST,
        view=BRIEF.list("images", next_links("images_links")),
    ),
    Operation(
        "GET",
        "/images/detail",
        index,
        until=_UNTIL,
        rule=ANYONE,
        query=LIST,
        view=IMAGE.list("images", next_links("images_links")),
    ),
    Operation(
        "GET", "/images/{id}", show, until=_UNTIL, rule=ANYONE, query=ANYTHING, view=IMAGE.one("image")
    ),
    Operation("DELETE", "/images/{id}", delete, until=_UNTIL, rule=ANYONE, status=204, faults=(403,)),
)
