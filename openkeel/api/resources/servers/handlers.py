"""What happens when somebody asks for servers: commands to services, rows to views."""

from collections.abc import Iterator
from typing import Any, Final

from openkeel.api import forms
from openkeel.api.request import Request
from openkeel.api.resources.servers.changes import boot_request, server_changes
from openkeel.api.resources.servers.listing import DOWN_CELLS, NothingMatches, listing
from openkeel.api.schema import PathWindow
from openkeel.api.tables import ABSENT, ALWAYS, Answer, Field, Rendering, View
from openkeel.db.stores.server_rows import Need
from openkeel.policies import servers as rules
from openkeel.services.boot_request import Booted

# Loading


def load_server(request: Request) -> Any:
    """The server that a change is about."""
    uuid = request.params["id"]
    return request.services.server_lookup.get(request.ctx, uuid)


def locate_server(request: Request) -> Any:
    """Whose server is asked about, before anything of it is read."""
    return request.services.server_lists.locate(request.ctx, request.params["id"])


def needs_of(request: Request) -> frozenset[Need]:
    """What the view of this version and caller wants loaded."""
    return frozenset({Need.DETAIL, *(need for need in request.needs if isinstance(need, Need))})


# Reading


def index(request: Request) -> Any:
    """Servers by id and name, a page at a time."""
    return _page(request, frozenset(), rules.INDEX_GET_ALL_TENANTS)


def detail(request: Request) -> Any:
    """Servers in full, a page at a time."""
    return _page(request, needs_of(request), rules.DETAIL_GET_ALL_TENANTS)


def _page(request: Request, needs: frozenset[Need], all_projects_rule: str) -> Answer:
    try:
        wanted = listing(request, needs=needs, all_projects_rule=all_projects_rule)
    except NothingMatches:
        return Answer([])
    rows = request.services.server_lists.page(request.ctx, wanted)
    return Answer(rows, links=request.next_links(rows, request.page(), lambda row: row.uuid))


def show(request: Request) -> Any:
    """One server in full."""
    return request.services.server_lists.find(
        request.ctx, request.target, needs_of(request), shows_down_cells=request.has(DOWN_CELLS)
    )


# Changing


def _created_id(booted: Booted, _: Rendering) -> str:
    return booted.uuids[0]


def _created_links(booted: Booted, rendering: Rendering) -> list[dict[str, str]]:
    return rendering.request.links.self_and_bookmark("servers", booted.uuids[0])


_CREATED_SERVER: Final = View(
    Field("id", get=_created_id),
    Field("links", get=_created_links, shape=("[].href", "[].rel")),
    Field("OS-DCF:diskConfig", get=lambda booted, _: "AUTO" if booted.auto_disk_config else "MANUAL"),
    Field(
        "security_groups",
        get=lambda booted, _: [{"name": name} for name in booted.security_groups],
        shape=("[].name",),
    ),
    Field(
        "adminPass",
        get=lambda booted, _: ABSENT if booted.admin_password is None else booted.admin_password,
        optional_since=ALWAYS,
    ),
)


class _OneOfTwo(View):
    """One of several bodies. Documents write the paths of such from the root."""

    def paths(self) -> Iterator[PathWindow]:
        for path, since, until in super().paths():
            yield f"${path}", since, until


# Either the first server or, where it was asked for, the id of all that were made together.
CREATED: Final = _OneOfTwo(
    Field(
        "server",
        get=lambda booted, r: ABSENT if r.data else booted,
        view=_CREATED_SERVER,
        optional_since=ALWAYS,
    ),
    Field(
        "reservation_id",
        get=lambda booted, r: booted.reservation_id if r.data else ABSENT,
        optional_since=ALWAYS,
    ),
)


def create(request: Request) -> Answer:
    """Record servers to be built."""
    booted: Booted = request.services.boot.boot(request.ctx, boot_request(request))
    server = request.body["server"]
    if forms.to_bool(server.get("return_reservation_id", False)):
        return Answer(booted, data=True)
    links = request.links.self_and_bookmark("servers", booted.uuids[0])
    return Answer(booted, data=False, headers={"Location": links[0]["href"]})


def update(request: Request) -> Any:
    """Change what is written about a server."""
    services, ctx = request.services, request.ctx
    services.servers.update(ctx, request.target, server_changes(request))
    located = services.server_lists.locate(ctx, request.target.uuid)
    return services.server_lists.find(ctx, located, needs_of(request))


def delete(request: Request) -> None:
    """Begin the end of a server."""
    request.services.delete.delete(request.ctx, request.target)
