"""Moves of servers: /os-migrations and /servers/{server_id}/migrations."""

from datetime import UTC, datetime
from typing import Any, Final

from oslo_utils import timeutils

from openkeel.api import forms
from openkeel.api.answer_types import WHOLE
from openkeel.api.links import LINK_SHAPE
from openkeel.api.request import Request
from openkeel.api.resources.paging import next_links
from openkeel.api.resources.times import time_of
from openkeel.api.schema import Param, Query
from openkeel.api.tables import (
    ABSENT,
    ALWAYS,
    Answer,
    Behaviour,
    Field,
    Getter,
    Operation,
    Rendering,
    View,
    a,
)
from openkeel.api.versions import V
from openkeel.db.stores.migration_reads import LIVE_MIGRATION, UNDER_WAY, MigrationFilter
from openkeel.policies import migrations as rules
from openkeel.policies import server_migrations as server_rules

# Fields


def _place(name: str) -> Getter:
    """A host or node: null for those who must not see them (`rendering.data` says who may)."""
    return lambda row, r: getattr(row, name) if r.data else None


def _kind(row: Any, _: Rendering) -> str:
    """Compat: rows of old releases do not say; those that change the flavor are resizes."""
    if row.migration_type:
        return str(row.migration_type)
    return "migration" if row.old_instance_type_id == row.new_instance_type_id else "resize"


def _links(row: Any, r: Rendering) -> Any:
    if _kind(row, r) != LIVE_MIGRATION or row.status not in UNDER_WAY:
        return ABSENT
    return r.request.links.self_and_bookmark(f"servers/{row.instance_uuid}/migrations", row.id)


_PLACES: Final = ("source_compute", "dest_compute", "source_node", "dest_node", "dest_host")
_OWNER: Final = tuple(Field(name, since=V.MIGRATION_OWNER) for name in ("user_id", "project_id"))
_TIMES: Final = tuple(Field(name, get=time_of(name)) for name in ("created_at", "updated_at"))

MIGRATION: Final = View(
    Field("id", type=WHOLE),
    Field("uuid", since=V.MIGRATION_PAGING),
    *(Field(name, get=_place(name)) for name in _PLACES),
    Field("old_instance_type_id"),
    Field("new_instance_type_id"),
    Field("instance_uuid"),
    Field("status"),
    Field("migration_type", get=_kind, since=V.SERVER_MIGRATIONS),
    *_OWNER,
    *_TIMES,
    Field("links", get=_links, since=V.SERVER_MIGRATIONS, optional_since=ALWAYS, shape=LINK_SHAPE),
)
LIVE: Final = View(
    Field("id", type=WHOLE),
    Field("uuid", since=V.MIGRATION_PAGING),
    *(Field(name, get=_place(name)) for name in _PLACES),
    Field("server_uuid", get=a("instance_uuid")),
    Field("status"),
    *(
        Field(f"{what}_{part}_bytes", get=a(f"{what}_{part}"))
        for what in ("memory", "disk")
        for part in ("total", "processed", "remaining")
    ),
    *_OWNER,
    *_TIMES,
)

# Queries

LIST: Final = Query(
    *(
        Param(name)
        for name in ("hidden", "host", "instance_uuid", "source_compute", "status", "migration_type")
    ),
    Param("limit", forms.NON_NEGATIVE, since=V.MIGRATION_PAGING, single=True),
    Param("marker", since=V.MIGRATION_PAGING, single=True),
    Param("changes-since", forms.DATE_TIME, since=V.MIGRATION_PAGING, single=True),
    Param("changes-before", forms.DATE_TIME, since=V.CHANGES_BEFORE, single=True),
    Param("user_id", since=V.MIGRATION_OWNER, single=True),
    Param("project_id", since=V.MIGRATION_OWNER, single=True),
    strict_since=V.MIGRATION_PAGING,
)
NOTHING: Final = Query(strict_since=V.FLAVOR_NAME_FILTER, since=V.BASE)

PAGED: Final = Behaviour("migrations are paged", since=V.MIGRATION_PAGING)

# Handlers


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    moment: datetime = timeutils.parse_isotime(text)
    return moment.astimezone(UTC).replace(tzinfo=None)


def list_migrations(request: Request) -> Answer:
    """Migrations of all projects, or of the own one where the query names it."""
    query = request.query.plain()
    own = request.ctx.project_id is not None and query.get("project_id") == request.ctx.project_id
    if not own:
        request.enforce(rules.INDEX_ALL_PROJECTS)
    may_see_hosts = request.allows(rules.INDEX_HOST)
    if forms.to_bool(query.get("hidden", False)):
        return Answer([], data=may_see_hosts)  # Compat: hidden ones are never shown
    names = ("host", "source_compute", "instance_uuid", "status", "migration_type", "user_id", "project_id")
    wanted = MigrationFilter(
        **{name: query[name] for name in names if name in query},
        changed_since=_moment(query.get("changes-since")),
        changed_before=_moment(query.get("changes-before")),
    )
    migrations = request.services.migrations
    if not request.has(PAGED):
        return Answer(migrations.list(wanted), data=may_see_hosts)
    page = request.page()
    found = migrations.page(wanted, page.limit, page.marker)
    links = request.next_links(found, page, lambda last: last.uuid)
    return Answer(found, data=may_see_hosts, links=links)


def load_server(request: Request) -> Any:
    """The server whose migrations are asked for."""
    return request.services.server_lookup.get(request.ctx, request.params["server_id"], ())


def list_of_server(request: Request) -> Answer:
    """Live migrations of a server that are in progress."""
    may_see_hosts = request.allows(server_rules.INDEX_HOST, request.target)
    return Answer(request.services.migrations.under_way(request.target), data=may_see_hosts)


def show(request: Request) -> Answer:
    """One of these."""
    return Answer(request.services.migrations.get_under_way(request.target, request.params["id"]), data=True)


# Operations

OPERATIONS: Final = (
    Operation(
        "GET",
        "/os-migrations",
        list_migrations,
        rule=rules.INDEX,
        more_rules=(rules.INDEX_ALL_PROJECTS, rules.INDEX_HOST),
        query=LIST,
        view=MIGRATION.list("migrations", next_links("migrations_links", since=V.MIGRATION_PAGING)),
        behaviours=(PAGED,),
    ),
    Operation(
        "GET",
        "/servers/{server_id}/migrations",
        list_of_server,
        since=V.SERVER_MIGRATIONS,
        rule=server_rules.INDEX,
        more_rules=(server_rules.INDEX_HOST,),
        target=load_server,
        query=NOTHING,
        view=LIVE.list("migrations"),
    ),
    Operation(
        "GET",
        "/servers/{server_id}/migrations/{id}",
        show,
        since=V.SERVER_MIGRATIONS,
        rule=server_rules.SHOW,
        target=load_server,
        query=NOTHING,
        view=LIVE.one("migration"),
    ),
)
