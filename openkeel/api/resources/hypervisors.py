"""Hypervisors: /os-hypervisors."""

from collections.abc import Callable
from typing import Any, Final

import orjson
from oslo_utils import uuidutils

from openkeel.api import forms
from openkeel.api.answer_types import OBJECT, TEXT, UUID, WHOLE
from openkeel.api.request import Request
from openkeel.api.resources.paging import next_links
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
from openkeel.domain.errors import ComputeHostNotFound, Invalid, Timeout, Unavailable, Unsupported
from openkeel.policies import hypervisors as rules

# Fields

_UPTIME: Final = "uptime"


def _row(name: str) -> Getter:
    return a(f"row.{name}")


def _state(node: Any, _: Rendering) -> str:
    return "up" if node.is_up else "down"


def _status(node: Any, _: Rendering) -> str:
    return "disabled" if node.row.service_disabled else "enabled"


def _host_ip(node: Any, _: Rendering) -> str | None:
    return None if node.row.host_ip is None else str(node.row.host_ip)


def _cpu_info(node: Any, _: Rendering) -> Any:
    return orjson.loads(node.row.cpu_info) if node.row.cpu_info else {}


def _servers(node: Any, _: Rendering) -> Any:
    return ABSENT if node.servers is None else node.servers


def _servers_if_any(node: Any, _: Rendering) -> Any:
    return node.servers or ABSENT


SERVER: Final = View(Field("uuid"), Field("name"))
SERVICE: Final = View(
    Field("id", get=_row("service_id"), until=V.UUID_SERVICES, type=WHOLE),
    Field("id", get=_row("service_uuid"), since=V.UUID_SERVICES, type=UUID),
    Field("host", get=_row("host")),
    Field("disabled_reason", get=_row("service_disabled_reason")),
)
BRIEF: Final = View(
    Field("id", get=_row("id"), until=V.UUID_SERVICES, type=WHOLE),
    Field("id", get=_row("uuid"), since=V.UUID_SERVICES, type=UUID),
    Field("hypervisor_hostname", get=_row("hypervisor_hostname")),
    Field("state", get=_state),
    Field("status", get=_status),
)
# Compat: a hypervisor without servers had no list of them at first.
_WITH_SERVERS: Final = (
    Field(
        "servers",
        get=_servers_if_any,
        view=SERVER,
        many=True,
        since=V.UUID_SERVICES,
        until=V.STRICT_QUERIES,
        optional_since=ALWAYS,
    ),
    Field("servers", get=_servers, view=SERVER, many=True, since=V.STRICT_QUERIES, optional_since=ALWAYS),
)
LISTED: Final = BRIEF.plus(*_WITH_SERVERS)
FULL: Final = LISTED.plus(
    Field("hypervisor_type", get=_row("hypervisor_type")),
    Field("hypervisor_version", get=_row("hypervisor_version")),
    Field("host_ip", get=_host_ip),
    Field("service", get=lambda node, _: node, view=SERVICE),
    *(
        Field(name, get=_row(name), until=V.HYPERVISOR_STATISTICS_GONE)
        for name in (
            "vcpus",
            "memory_mb",
            "local_gb",
            "vcpus_used",
            "memory_mb_used",
            "local_gb_used",
            "free_ram_mb",
            "free_disk_gb",
            "current_workload",
            "running_vms",
            "disk_available_least",
        )
    ),
    # Compat: Nova's answer schema still has it, its answers do not.
    Field(
        "disk_available_least",
        get=lambda _row, _r: ABSENT,
        since=V.HYPERVISOR_STATISTICS_GONE,
        optional_since=ALWAYS,
    ),
    Field("cpu_info", get=_row("cpu_info"), until=V.CPU_INFO_OBJECT, type=TEXT),
    Field(
        "cpu_info",
        get=_cpu_info,
        since=V.CPU_INFO_OBJECT,
        until=V.HYPERVISOR_STATISTICS_GONE,
        type=OBJECT,
    ),
    Field("uptime", since=V.HYPERVISOR_STATISTICS_GONE, needs=(_UPTIME,)),
)
WITH_SERVERS: Final = BRIEF.plus(
    Field("servers", get=_servers_if_any, view=SERVER, many=True, optional_since=ALWAYS)
)
UPTIME: Final = LISTED.plus(Field("uptime"))
STATISTICS: Final = View(
    *(
        Field(name)
        for name in (
            "count",
            "vcpus",
            "memory_mb",
            "local_gb",
            "vcpus_used",
            "memory_mb_used",
            "local_gb_used",
            "free_ram_mb",
            "free_disk_gb",
            "current_workload",
            "running_vms",
            "disk_available_least",
        )
    )
)

# Bodies and queries

_PATTERN: Final = forms.string(minLength=1, maxLength=255, pattern="^[a-zA-Z0-9-._]*$")
_SERVERS: Final = Param("with_servers", forms.BOOLEAN, since=V.UUID_SERVICES, single=True)

LIST: Final = Query(
    Param("limit", forms.NON_NEGATIVE, since=V.HYPERVISOR_PAGING, until=V.UUID_SERVICES),
    Param("limit", forms.NON_NEGATIVE, since=V.UUID_SERVICES, single=True),
    Param("marker", since=V.HYPERVISOR_PAGING, until=V.UUID_SERVICES),
    Param("marker", since=V.UUID_SERVICES, single=True),
    Param("hypervisor_hostname_pattern", _PATTERN, since=V.UUID_SERVICES, single=True),
    _SERVERS,
    strict_since=V.UUID_SERVICES,
    since=V.BASE,
)
SHOW: Final = Query(_SERVERS, strict_since=V.UUID_SERVICES, since=V.BASE)
# Compat: Nova fails on any parameter here; a refusal is the proper form of it.
NOTHING: Final = Query(strict_since=V.BASE, since=V.BASE)

PAGED: Final = Behaviour("hypervisors are paged", since=V.HYPERVISOR_PAGING)
BY_UUID: Final = Behaviour("hypervisors are known by uuid", since=V.UUID_SERVICES)

# Handlers


def _key(request: Request, given: str) -> int | str | None:
    """The id a client gave, as of its version; None when it is none."""
    if request.has(BY_UUID):
        return given if uuidutils.is_uuid_like(given) else None
    return int(given) if given.isascii() and given.isdigit() else None


def _marker(request: Request, given: str) -> int | str | None:
    """Compat: a uuid has always been taken as a marker, also while ids were numbers."""
    return given if uuidutils.is_uuid_like(given) else _key(request, given)


def _with_servers(request: Request) -> bool:
    return forms.to_bool(request.query.last("with_servers", "false"))


def _complete(request: Request, nodes: list[Any]) -> list[Any]:
    if _with_servers(request):
        request.services.hosts.add_servers(nodes)
    if _UPTIME in request.needs:
        request.services.hosts.add_uptimes(request.ctx, nodes)
    return nodes


def _list(*, full: bool) -> Callable[[Request], Answer]:
    def handle(request: Request) -> Answer:
        if not request.has(PAGED):
            return Answer(_complete(request, request.services.hosts.hypervisors(full=full)))
        page = request.page()
        pattern = request.query.last("hypervisor_hostname_pattern")
        if pattern is not None:
            if "limit" in request.query or "marker" in request.query:
                raise Invalid("A search by hypervisor_hostname_pattern is not paged.")
            return Answer(_complete(request, request.services.hosts.search(pattern, full=full)))
        marker = None if page.marker is None else _marker(request, page.marker)
        if page.marker is not None and marker is None:
            raise Invalid(f"Marker {page.marker} is no id of a hypervisor.")
        nodes = request.services.hosts.hypervisors(full=full, limit=page.limit, marker=marker)
        links = request.next_links(
            nodes, page, lambda last: last.row.uuid if request.has(BY_UUID) else last.row.id
        )
        return Answer(_complete(request, nodes), links=links)

    return handle


def _find(request: Request) -> Any:
    given = request.params["id"]
    key = _key(request, given)
    if key is None:
        if request.has(BY_UUID):
            raise Invalid(f"{given} is no uuid.")
        raise ComputeHostNotFound(host=given)
    return request.services.hosts.hypervisor(key)


def show(request: Request) -> Any:
    """One hypervisor."""
    return _complete(request, [_find(request)])[0]


def uptime(request: Request) -> Any:
    """The uptime of a hypervisor, asked of its compute."""
    node = _find(request)
    node.uptime = request.services.hosts.uptime(request.ctx, node)
    return node


def search(request: Request) -> Any:
    """Hypervisors by a part of their name."""
    return request.services.hosts.search(request.params["id"])


def search_servers(request: Request) -> Any:
    """The servers of hypervisors by a part of their name."""
    nodes = search(request)
    request.services.hosts.add_servers(nodes)
    return nodes


def statistics(request: Request) -> Any:
    """Sums over all hypervisors."""
    return request.services.hosts.totals()


# Operations

_LINKS: Final = next_links("hypervisors_links", since=V.HYPERVISOR_PAGING)

OPERATIONS: Final = (
    Operation(
        "GET",
        "/os-hypervisors",
        _list(full=False),
        rule=rules.LIST,
        query=LIST,
        view=LISTED.list("hypervisors", _LINKS),
        behaviours=(PAGED, BY_UUID),
        faults=(404,),
    ),
    Operation(
        "GET",
        "/os-hypervisors/detail",
        _list(full=True),
        rule=rules.LIST_DETAIL,
        query=LIST,
        view=FULL.list("hypervisors", _LINKS),
        behaviours=(PAGED, BY_UUID),
        faults=(404,),
    ),
    Operation(
        "GET",
        "/os-hypervisors/statistics",
        statistics,
        until=V.HYPERVISOR_STATISTICS_GONE,
        rule=rules.STATISTICS,
        query=NOTHING,
        view=STATISTICS.one("hypervisor_statistics"),
    ),
    Operation(
        "GET",
        "/os-hypervisors/{id}",
        show,
        rule=rules.SHOW,
        query=SHOW,
        view=FULL.one("hypervisor"),
        behaviours=(BY_UUID,),
    ),
    Operation(
        "GET",
        "/os-hypervisors/{id}/search",
        search,
        until=V.UUID_SERVICES,
        rule=rules.SEARCH,
        query=NOTHING,
        view=BRIEF.list("hypervisors"),
    ),
    Operation(
        "GET",
        "/os-hypervisors/{id}/servers",
        search_servers,
        until=V.UUID_SERVICES,
        rule=rules.SERVERS,
        query=NOTHING,
        view=WITH_SERVERS.list("hypervisors"),
    ),
    Operation(
        "GET",
        "/os-hypervisors/{id}/uptime",
        uptime,
        until=V.HYPERVISOR_STATISTICS_GONE,
        rule=rules.UPTIME,
        query=NOTHING,
        view=UPTIME.one("hypervisor"),
        # Contract: a compute that does not answer is the client's mistake here.
        errors={Unsupported: 501, Unavailable: 400, Timeout: 400},
        behaviours=(BY_UUID,),
    ),
)
