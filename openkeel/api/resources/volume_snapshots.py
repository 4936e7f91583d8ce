"""Snapshots of volumes, a proxy to Cinder for old clients: /os-snapshots."""

from typing import Any, Final

from openkeel.api import forms
from openkeel.api.answer_types import WHOLE
from openkeel.api.request import Request
from openkeel.api.resources.paging import part_of
from openkeel.api.resources.volumes import ANYTHING, LIST
from openkeel.api.schema import Body, Object, Prop
from openkeel.api.tables import Field, Operation, View, a
from openkeel.api.versions import V
from openkeel.policies import volumes as rules

# Fields

SNAPSHOT: Final = View(
    Field("id"),
    Field("volumeId", get=a("volume_id")),
    Field("status"),
    Field("size", get=a("size_gib"), type=WHOLE),
    Field("createdAt", get=a("created_at")),
    Field("displayName", get=a("name")),
    Field("displayDescription", get=a("description")),
)

# Bodies and queries

CREATE: Final = Body(
    Prop(
        "snapshot",
        Object(
            Prop("volume_id", forms.STRING, required=True),
            Prop("force", forms.BOOLEAN),
            Prop("display_name", forms.STRING),
            Prop("display_description", forms.STRING),
        ),
        required=True,
    )
)

# Handlers


def index(request: Request) -> Any:
    """The project's snapshots."""
    return part_of(request, request.services.volumes.snapshots(request.ctx))


def show(request: Request) -> Any:
    """One snapshot."""
    return request.services.volumes.get_snapshot(request.ctx, request.params["id"])


def create(request: Request) -> Any:
    """Have a volume snapshot."""
    asked = request.body["snapshot"]
    return request.services.volumes.create_snapshot(
        request.ctx,
        asked["volume_id"],
        asked.get("display_name"),
        asked.get("display_description"),
        force=forms.to_bool(asked.get("force", False)),
    )


def delete(request: Request) -> None:
    """Have a snapshot deleted."""
    request.services.volumes.delete_snapshot(request.ctx, request.params["id"])


# Operations

_PATH: Final = "/os-snapshots"
_ONE: Final = "/os-snapshots/{id}"
_UNTIL: Final = V.PROXIES_GONE

OPERATIONS: Final = (
    Operation(
        "GET",
        _PATH,
        index,
        until=_UNTIL,
        rule=rules.SNAPSHOTS_LIST,
        query=LIST,
        view=SNAPSHOT.list("snapshots"),
    ),
    Operation(
        "GET",
        f"{_PATH}/detail",
        index,
        until=_UNTIL,
        rule=rules.SNAPSHOTS_DETAIL,
        query=LIST,
        view=SNAPSHOT.list("snapshots"),
    ),
    Operation(
        "GET",
        _ONE,
        show,
        until=_UNTIL,
        rule=rules.SNAPSHOTS_SHOW,
        query=ANYTHING,
        view=SNAPSHOT.one("snapshot"),
    ),
    Operation(
        "POST",
        _PATH,
        create,
        until=_UNTIL,
        rule=rules.SNAPSHOTS_CREATE,
        body=CREATE,
        view=SNAPSHOT.one("snapshot"),
        faults=(404,),
    ),
    Operation("DELETE", _ONE, delete, until=_UNTIL, rule=rules.SNAPSHOTS_DELETE, status=202),
)
