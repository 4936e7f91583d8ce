"""Tags of servers: /servers/{server_id}/tags."""

from typing import Any, Final
from urllib.parse import quote

from openkeel.api import forms
from openkeel.api.request import Request
from openkeel.api.schema import Array, Body, NoBody, Prop, Query
from openkeel.api.tables import Answer, Field, Operation, View
from openkeel.api.validation import Validator
from openkeel.api.versions import END, V
from openkeel.common.context import admin_context
from openkeel.db.stores.server_rows import Need
from openkeel.domain.errors import NotFound
from openkeel.policies import server_tags as rules
from openkeel.services.tags import MAX_TAGS

# Fields

TAGS: Final = View(Field("tags", get=lambda tags, _: tags, shape=("[]",)))

# Bodies and queries

UPDATE_ALL: Final = Body(Prop("tags", Array(forms.DEVICE_TAG, maxItems=MAX_TAGS), required=True))
ANYTHING: Final = Query(strict_since=END)

_TAG: Final = Validator(forms.DEVICE_TAG.at(0))

# Handlers


# Compat: who may not see the tags of a server is told that, not that there is no such server.
def load(request: Request) -> Any:
    """The server that is changed, whoever owns it."""
    return request.services.server_lookup.get(admin_context(), request.params["server_id"])


def locate(request: Request) -> Any:
    """Whose server is asked about."""
    return request.services.server_lists.locate(admin_context(), request.params["server_id"])


def index(request: Request) -> list[str]:
    """All tags, by name."""
    found = request.services.server_lists.find(request.ctx, request.target, frozenset({Need.TAGS}))
    return sorted(found.tags)


def show(request: Request) -> None:
    """Whether the server has a tag."""
    tag = request.params["id"]
    if tag not in index(request):
        raise NotFound(f"The server has no tag {tag}.")


# Compat: the answer to adding a tag has always been no JSON.
_NO_JSON: Final = {"Content-Type": "text/html; charset=UTF-8"}
_MADE: Final = 201
_THERE_ALREADY: Final = 204


def update(request: Request) -> Answer:
    """Add a tag."""
    tag = request.params["id"]
    _TAG.check(tag)
    if not request.services.tags.add(request.target, tag):
        return Answer(status=_THERE_ALREADY, headers=_NO_JSON)
    location = f"{request.links.base}/servers/{request.target.uuid}/tags/{quote(tag)}"
    return Answer(status=_MADE, headers={**_NO_JSON, "Location": location})


def update_all(request: Request) -> Any:
    """Have only these tags."""
    return request.services.tags.replace(request.target, request.body["tags"])


def delete(request: Request) -> None:
    """Remove a tag."""
    request.services.tags.remove(request.target, request.params["id"])


def delete_all(request: Request) -> None:
    """Remove all tags."""
    request.services.tags.remove_all(request.target)


# Operations

_ALL: Final = "/servers/{server_id}/tags"
_ONE: Final = "/servers/{server_id}/tags/{id}"
_SINCE: Final = V.SERVER_TAGS

OPERATIONS: Final = (
    Operation("GET", _ALL, index, since=_SINCE, rule=rules.INDEX, target=locate, query=ANYTHING, view=TAGS),
    Operation(
        "PUT",
        _ALL,
        update_all,
        since=_SINCE,
        rule=rules.UPDATE_ALL,
        target=load,
        body=UPDATE_ALL,
        view=TAGS,
        faults=(409,),
    ),
    Operation(
        "DELETE",
        _ALL,
        delete_all,
        since=_SINCE,
        rule=rules.DELETE_ALL,
        target=load,
        status=204,
        faults=(409,),
    ),
    Operation("GET", _ONE, show, since=_SINCE, rule=rules.SHOW, target=locate, query=ANYTHING, status=204),
    Operation(
        "PUT",
        _ONE,
        update,
        since=_SINCE,
        rule=rules.UPDATE,
        target=load,
        body=NoBody(),
        more_statuses=(_MADE, _THERE_ALREADY),
        faults=(409,),
    ),
    Operation(
        "DELETE", _ONE, delete, since=_SINCE, rule=rules.DELETE, target=load, status=204, faults=(409,)
    ),
)
