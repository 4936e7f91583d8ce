"""Volumes, a proxy to Cinder for old clients: /os-volumes."""

from typing import Any, Final

from openkeel.api import forms
from openkeel.api.answer_types import TEXT, WHOLE
from openkeel.api.request import Request
from openkeel.api.resources.paging import part_of
from openkeel.api.schema import Body, Object, Param, Prop, Query
from openkeel.api.tables import ABSENT, ALWAYS, Answer, Field, Getter, Operation, Rendering, View, a
from openkeel.api.versions import END, V
from openkeel.policies import volumes as rules

# Fields


def _if_attached(name: str) -> Getter:
    """A field of the attachment; a volume that nobody has shows one without fields."""

    def get(volume: Any, _: Rendering) -> Any:
        found = getattr(volume.attachments[0], name) if volume.attachments else None
        return ABSENT if found is None else found

    return get


def _id_if_attached(volume: Any, _: Rendering) -> Any:
    return volume.id if volume.attachments else ABSENT


# Compat: an attachment is called like its volume. Of several only one is shown.
ATTACHMENT: Final = View(
    Field("id", get=_id_if_attached, optional_since=ALWAYS),
    Field("volumeId", get=_id_if_attached, optional_since=ALWAYS),
    Field("serverId", get=_if_attached("server_id"), optional_since=ALWAYS),
    Field("device", get=_if_attached("device"), type=TEXT, optional_since=ALWAYS),
)
VOLUME: Final = View(
    Field("id"),
    Field("status"),
    Field("size", get=a("size_gib"), type=WHOLE),
    Field("availabilityZone", get=a("availability_zone")),
    Field("createdAt", get=a("created_at")),
    Field("attachments", get=lambda volume, _: [volume], view=ATTACHMENT, many=True),
    Field("displayName", get=a("name")),
    Field("displayDescription", get=a("description")),
    Field("volumeType", get=a("volume_type")),
    Field("snapshotId", get=a("snapshot_id")),
    Field("metadata", get=lambda volume, _: dict(volume.metadata), shape=(".*",)),
)

# Bodies and queries

CREATE: Final = Body(
    Prop(
        "volume",
        Object(
            Prop("size", forms.integer(1), required=True),
            Prop("volume_type", forms.STRING),
            Prop("metadata", Object(extra=True)),
            Prop("snapshot_id", forms.STRING),
            Prop("availability_zone", forms.STRING),
            Prop("display_name", forms.STRING),
            Prop("display_description", forms.STRING),
        ),
        required=True,
    )
)
LIST: Final = Query(Param("limit", forms.NON_NEGATIVE), Param("offset", forms.NON_NEGATIVE), strict_since=END)
ANYTHING: Final = Query(strict_since=END)

# Handlers


def index(request: Request) -> Any:
    """The project's volumes."""
    return part_of(request, request.services.volumes.of_project(request.ctx))


def show(request: Request) -> Any:
    """One volume."""
    return request.services.volumes.get(request.ctx, request.params["id"])


def create(request: Request) -> Answer:
    """Ask Cinder for a volume."""
    asked = request.body["volume"]
    volume = request.services.volumes.create(
        request.ctx,
        size_gib=int(asked["size"]),
        name=asked.get("display_name"),
        description=asked.get("display_description"),
        snapshot_id=asked.get("snapshot_id"),
        volume_type=asked.get("volume_type"),
        availability_zone=asked.get("availability_zone"),
        metadata=asked.get("metadata", {}),
    )
    links = request.links.self_and_bookmark("os-volumes", volume.id)
    return Answer(volume, headers={"Location": links[0]["href"]})


def delete(request: Request) -> None:
    """Have a volume deleted."""
    request.services.volumes.delete(request.ctx, request.params["id"])


# Operations

_PATH: Final = "/os-volumes"
_ONE: Final = "/os-volumes/{id}"
_UNTIL: Final = V.PROXIES_GONE

OPERATIONS: Final = (
    Operation("GET", _PATH, index, until=_UNTIL, rule=rules.LIST, query=LIST, view=VOLUME.list("volumes")),
    Operation(
        "GET",
        f"{_PATH}/detail",
        index,
        until=_UNTIL,
        rule=rules.DETAIL,
        query=LIST,
        view=VOLUME.list("volumes"),
    ),
    Operation("GET", _ONE, show, until=_UNTIL, rule=rules.SHOW, query=ANYTHING, view=VOLUME.one("volume")),
    Operation(
        "POST",
        _PATH,
        create,
        until=_UNTIL,
        rule=rules.CREATE,
        body=CREATE,
        view=VOLUME.one("volume"),
        faults=(404,),
    ),
    Operation("DELETE", _ONE, delete, until=_UNTIL, rule=rules.DELETE, status=202),
)
