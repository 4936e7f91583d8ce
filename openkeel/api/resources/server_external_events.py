"""What other services report about servers: /os-server-external-events."""

from typing import Final

from openkeel.api import forms
from openkeel.api.request import Request
from openkeel.api.schema import Array, Body, Object, Prop
from openkeel.api.tables import ABSENT, ALWAYS, Answer, Field, Operation, View
from openkeel.api.versions import END, V
from openkeel.policies import server_external_events as rules
from openkeel.services.external_events import ExternalEvent

# Fields

VERDICT: Final = View(
    Field("name", get=lambda verdict, _: verdict.event.name),
    Field("server_uuid", get=lambda verdict, _: verdict.event.server_uuid),
    Field(
        "tag",
        get=lambda verdict, _: ABSENT if verdict.event.tag is None else verdict.event.tag,
        optional_since=ALWAYS,
    ),
    # What became of the report, not what it said.
    Field("status", get=lambda verdict, _: "completed" if verdict.is_accepted else "failed"),
    Field("code"),
)

# Bodies

_NAMES: Final = (
    ("network-changed", 0),
    ("network-vif-plugged", 0),
    ("network-vif-unplugged", 0),
    ("network-vif-deleted", 0),
    ("volume-extended", V.EVENTS_FOR_OWNERS),
    ("power-update", V.POWER_UPDATE_EVENT),
    ("accelerator-request-bound", V.ACCELERATOR_EVENT),
    ("volume-reimaged", V.REBUILD_VOLUME_BACKED),
)


def _name_props() -> tuple[Prop, ...]:
    """One row per set of names: every version that brought one begins a window."""
    starts = sorted({since for _, since in _NAMES})
    return tuple(
        Prop(
            "name",
            forms.enum(*(name for name, since in _NAMES if since <= start)),
            required=True,
            since=start,
            until=end,
        )
        for start, end in zip(starts, [*starts[1:], END], strict=True)
    )


CREATE: Final = Body(
    Prop(
        "events",
        Array(
            Object(
                *_name_props(),
                Prop("server_uuid", forms.UUID, required=True),
                Prop("status", forms.enum("failed", "completed", "in-progress")),
                Prop("tag", forms.string(maxLength=255)),
            ),
            minItems=1,
        ),
        required=True,
    )
)

# Handlers

_SOME_FAILED: Final = 207


def create(request: Request) -> Answer:
    """Judge reports and hand the good ones on."""
    events = [
        ExternalEvent(
            name=event["name"],
            server_uuid=event["server_uuid"],
            status=event.get("status", "completed"),
            tag=event.get("tag"),
        )
        for event in request.body["events"]
    ]
    verdicts = request.services.external_events.deliver(request.ctx, events)
    everything = all(verdict.is_accepted for verdict in verdicts)
    return Answer(verdicts, status=None if everything else _SOME_FAILED)


OPERATIONS: Final = (
    Operation(
        "POST",
        "/os-server-external-events",
        create,
        rule=rules.CREATE,
        body=CREATE,
        view=VERDICT.list("events"),
        more_statuses=(207,),
    ),
)
