"""What projects used: /os-simple-tenant-usage."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from openkeel.api import forms
from openkeel.api.answer_types import TEXT, WHOLE
from openkeel.api.request import Request
from openkeel.api.resources.paging import next_links
from openkeel.api.resources.times import with_microseconds
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
    itself,
)
from openkeel.api.versions import V
from openkeel.db.stores.usage_reads import Run
from openkeel.domain.errors import Invalid
from openkeel.policies import usage as rules
from openkeel.services.usage import ProjectUsage, UsagePage

# Fields


def _time(read: Getter) -> Getter:
    return lambda row, r: with_microseconds(read(row, r))


def _state(server: Any, _: Rendering) -> str:
    return "terminated" if server.run.terminated_at else str(server.run.vm_state)


SERVER: Final = View(
    Field("instance_id", get=a("run.uuid")),
    Field("name", get=a("run.name")),
    Field("hours"),
    Field("tenant_id", get=a("run.project_id")),
    Field("flavor", get=a("run.flavor_name"), type=TEXT),
    Field("memory_mb", get=a("run.memory_mib")),
    Field("local_gb", get=a("run.local_gib")),
    Field("vcpus", get=a("run.vcpus")),
    Field("started_at", get=_time(a("run.launched_at"))),
    Field("ended_at", get=_time(a("run.terminated_at"))),
    Field("state", get=_state),
    Field("uptime", get=a("uptime_s"), type=WHOLE),
)


def _used(name: str, read: Getter) -> Field:
    """Compat: a project that used nothing is shown as an empty object."""
    return Field(
        name, get=lambda usage, r: read(usage, r) if usage.servers else ABSENT, optional_since=ALWAYS
    )


def _servers(usage: Any, r: Rendering) -> Any:
    return usage.servers if usage.servers and r.data else ABSENT


def _total(name: str, of: Callable[[Run], float]) -> Field:
    return _used(name, lambda usage, _: usage.total(of))


PROJECT: Final = View(
    _used("tenant_id", a("project_id")),
    _used("start", _time(a("begin"))),
    _used("stop", _time(a("end"))),
    _total("total_hours", lambda _: 1.0),
    _total("total_memory_mb_usage", lambda run: run.memory_mib),
    _total("total_local_gb_usage", lambda run: run.local_gib),
    _total("total_vcpus_usage", lambda run: run.vcpus),
    Field("server_usages", get=_servers, view=SERVER, many=True, optional_since=ALWAYS),
)
ONE: Final = View(
    Field("tenant_usage", get=itself, view=PROJECT),
    next_links("tenant_usage_links", since=V.USAGE_PAGING),
)

# Bodies and queries

_PERIOD: Final = (Param("start"), Param("end"))
_PAGE: Final = (
    Param("limit", forms.NON_NEGATIVE, since=V.USAGE_PAGING),
    Param("marker", since=V.USAGE_PAGING),
)
LIST: Final = Query(*_PERIOD, Param("detailed"), *_PAGE, strict_since=V.STRICT_QUERIES, since=V.BASE)
SHOW: Final = Query(*_PERIOD, *_PAGE, strict_since=V.STRICT_QUERIES, since=V.BASE)

PAGED: Final = Behaviour("usages are paged", since=V.USAGE_PAGING)

_TIMES: Final = ("%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%d %H:%M:%S.%f")

# Handlers


def _moment(request: Request, name: str, default: datetime) -> datetime:
    given = request.query.last(name)
    if not given:
        return default
    for form in _TIMES:
        try:
            return datetime.strptime(given, form)  # noqa: DTZ007 - naive UTC by contract
        except ValueError:
            continue
    raise Invalid(f"{name} must be a time such as 2026-01-31T12:00:00 in UTC, not {given!r}.")


def _page(request: Request, project_id: str | None) -> tuple[UsagePage, datetime, datetime]:
    now = request.services.usage.now()
    begin, end = _moment(request, "start", now), _moment(request, "end", now)
    is_given = request.query.last("start") or request.query.last("end")
    if begin > end or (is_given and begin == end):
        raise Invalid("The start of the period must be before its end.")
    page = request.page() if request.has(PAGED) else None
    found = request.services.usage.page(
        begin,
        end,
        project_id,
        limit=None if page is None else page.limit,
        marker=None if page is None else page.marker,
    )
    return found, begin, end


def _links(request: Request, found: UsagePage) -> Any:
    return None if found.marker is None else request.links.next(request.path, request.query, found.marker)


def list_usages(request: Request) -> Answer:
    """Usage of all projects; of their servers one by one where `detailed` is 1."""
    found, _, _ = _page(request, None)
    is_detailed = request.query.last("detailed") == "1"
    return Answer(found.projects, data=is_detailed, links=_links(request, found))


def asked_project(request: Request) -> dict[str, Any]:
    """Whose usage is asked for: the rule compares it with the caller."""
    return {"project_id": request.params["id"], "user_id": request.ctx.user_id}


def show(request: Request) -> Answer:
    """Usage of one project."""
    project_id = request.params["id"]
    found, begin, end = _page(request, project_id)
    usage = found.projects[0] if found.projects else ProjectUsage(project_id, begin, end)
    return Answer(usage, data=True, links=_links(request, found))


# Operations

OPERATIONS: Final = (
    Operation(
        "GET",
        "/os-simple-tenant-usage",
        list_usages,
        rule=rules.LIST,
        query=LIST,
        view=PROJECT.list("tenant_usages", next_links("tenant_usages_links", since=V.USAGE_PAGING)),
        behaviours=(PAGED,),
    ),
    Operation(
        "GET",
        "/os-simple-tenant-usage/{id}",
        show,
        rule=rules.SHOW,
        target=asked_project,
        query=SHOW,
        view=ONE,
        behaviours=(PAGED,),
    ),
)
