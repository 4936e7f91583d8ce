"""What was done to a server: /servers/{id}/os-instance-actions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from oslo_utils import timeutils

from openkeel.api import forms
from openkeel.api.answer_types import TEXT, or_null
from openkeel.api.request import Request
from openkeel.api.resources.paging import next_links
from openkeel.api.resources.times import time_of
from openkeel.api.schema import Param, Query
from openkeel.api.tables import Answer, Behaviour, Field, Operation, Rendering, View
from openkeel.api.versions import V
from openkeel.db.stores.action_reads import ActionFilter
from openkeel.domain.host_ids import host_id
from openkeel.policies import instance_actions as rules

# Fields


@dataclass(frozen=True, slots=True)
class _Events:
    """Of an action: what happened, and on behalf of which project."""

    of: Sequence[Any]
    project_id: str | None


def _host_id(event: Any, r: Rendering) -> str:
    """As the project that acted sees the host. Compat: not as the server's project does."""
    return host_id(r.data.project_id or "", event.host)


def _host(event: Any, _: Rendering) -> str:
    return event.host or ""


EVENT: Final = View(
    Field("event"),
    Field("start_time", get=time_of("start_time")),
    Field("finish_time", get=time_of("finish_time")),
    Field("result"),
    Field("traceback", rule=rules.EVENTS),
    Field("host", get=_host, since=V.EVENT_HOST, rule=rules.EVENTS),
    Field("hostId", get=_host_id, since=V.EVENT_HOST),
    Field("details", since=V.EVENT_DETAILS, rule=rules.EVENTS_DETAILS, type=or_null(TEXT)),
)


def _events(_: Any, r: Rendering) -> Any:
    return r.data.of


ACTION: Final = View(
    Field("action"),
    Field("instance_uuid"),
    Field("request_id"),
    Field("user_id", type=or_null(TEXT)),
    Field("project_id", type=or_null(TEXT)),
    Field("start_time", get=time_of("start_time")),
    Field("message", type=or_null(TEXT)),
    Field("updated_at", get=time_of("updated_at"), since=V.ACTION_PAGING),
)
ACTION_WITH_EVENTS: Final = ACTION.plus(
    Field("events", get=_events, view=EVENT, many=True, until=V.EVENTS_FOR_OWNERS, rule=rules.EVENTS),
    Field("events", get=_events, view=EVENT, many=True, since=V.EVENTS_FOR_OWNERS),
)

# Bodies and queries

LIST: Final = Query(
    Param("limit", forms.NON_NEGATIVE, since=V.ACTION_PAGING, single=True),
    Param("marker", since=V.ACTION_PAGING, single=True),
    Param("changes-since", forms.DATE_TIME, since=V.ACTION_PAGING, single=True),
    Param("changes-before", forms.DATE_TIME, since=V.CHANGES_BEFORE, single=True),
    strict_since=V.ACTION_PAGING,
    since=V.BASE,
)
SHOW: Final = Query(strict_since=V.FLAVOR_NAME_FILTER, since=V.BASE)

PAGED: Final = Behaviour("actions are paged", since=V.ACTION_PAGING)
OF_DELETED: Final = Behaviour("actions of deleted servers are readable", since=V.ACTIONS_OF_DELETED)

# Handlers


def load_server(request: Request) -> Any:
    """The server whose actions are asked for."""
    return request.services.instance_actions.find_server(
        request.ctx, request.params["server_id"], deleted=request.has(OF_DELETED)
    )


def _moment(request: Request, name: str) -> datetime | None:
    given = request.query.last(name)
    if given is None:
        return None
    moment: datetime = timeutils.parse_isotime(given)
    return moment.astimezone(UTC).replace(tzinfo=None)


def list_actions(request: Request) -> Answer:
    """Actions on a server, newest first."""
    actions = request.services.instance_actions
    if not request.has(PAGED):
        return Answer(actions.page(request.target, ActionFilter(), None, None))
    page = request.page()
    wanted = ActionFilter(_moment(request, "changes-since"), _moment(request, "changes-before"))
    found = actions.page(request.target, wanted, page.limit, page.marker)
    return Answer(found, links=request.next_links(found, page, lambda last: last.request_id))


def show(request: Request) -> Answer:
    """One action with its events."""
    action, events = request.services.instance_actions.get(request.target, request.params["id"])
    return Answer(action, data=_Events(events, action.project_id))


# Operations

OPERATIONS: Final = (
    Operation(
        "GET",
        "/servers/{server_id}/os-instance-actions",
        list_actions,
        rule=rules.LIST,
        target=load_server,
        query=LIST,
        view=ACTION.list("instanceActions", next_links("links", since=V.ACTION_PAGING)),
        behaviours=(PAGED, OF_DELETED),
    ),
    Operation(
        "GET",
        "/servers/{server_id}/os-instance-actions/{id}",
        show,
        rule=rules.SHOW,
        target=load_server,
        query=SHOW,
        view=ACTION_WITH_EVENTS.one("instanceAction"),
        behaviours=(OF_DELETED,),
    ),
)
