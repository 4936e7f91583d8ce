"""Every event that is told of: its name in both formats, its payload, its phases.

A row stands here only for what is really emitted; `openkeel-manage describe notifications` prints them.
Contract: events and legacy_event_types of notifications.json.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from openkeel.domain.lifecycle import Action
from openkeel.notifications.payloads.aggregate import AggregateCachePayload, AggregatePayload
from openkeel.notifications.payloads.base import Payload
from openkeel.notifications.payloads.exception import ExceptionPayload
from openkeel.notifications.payloads.flavor import FlavorPayload
from openkeel.notifications.payloads.instance import (
    InstanceActionPayload,
    InstanceCreatePayload,
    InstanceExistsPayload,
    InstanceUpdatePayload,
)
from openkeel.notifications.payloads.keypair import KeypairPayload
from openkeel.notifications.payloads.request_spec import ComputeTaskPayload, RequestSpecPayload
from openkeel.notifications.payloads.server_group import ServerGroupPayload
from openkeel.notifications.payloads.service import ServiceStatusPayload


class Phase(StrEnum):
    """Where in the course of an action the event happens."""

    START = "start"
    END = "end"
    ERROR = "error"
    PROGRESS = "progress"


_SPAN: Final = (Phase.START, Phase.END)
_ALL: Final = (Phase.START, Phase.END, Phase.ERROR)


@dataclass(frozen=True, slots=True)
class Event:
    """One row. `legacy` is the name in the unversioned format, None where there is none."""

    name: str
    payload: type[Payload]
    legacy: str | None = None
    phases: tuple[Phase, ...] = ()
    legacy_has_phases: bool = True

    def type_in(self, phase: Phase | None) -> str:
        """The versioned event type."""
        return f"{self.name}.{phase}" if phase else self.name

    def legacy_type_in(self, phase: Phase | None) -> str | None:
        """The unversioned event type."""
        return f"{self.legacy}.{phase}" if self.legacy and phase and self.legacy_has_phases else self.legacy

    def types(self) -> Iterator[str]:
        """All versioned event types of this row."""
        for phase in self.phases or (None,):
            yield self.type_in(phase)


def _server(verb: str, *phases: Phase) -> Event:
    return Event(f"instance.{verb}", InstanceActionPayload, f"compute.instance.{verb}", phases)


# Servers
CREATE: Final = Event("instance.create", InstanceCreatePayload, "compute.instance.create", _ALL)
UPDATE: Final = Event("instance.update", InstanceUpdatePayload, "compute.instance.update")
EXISTS: Final = Event("instance.exists", InstanceExistsPayload, "compute.instance.exists")
DELETE: Final = _server("delete", *_SPAN)
SHUTDOWN: Final = _server("shutdown", *_SPAN)
POWER_ON: Final = _server("power_on", *_SPAN)
POWER_OFF: Final = _server("power_off", *_SPAN)
REBOOT: Final = _server("reboot", *_ALL)
LOCK: Final = Event("instance.lock", InstanceActionPayload)
UNLOCK: Final = Event("instance.unlock", InstanceActionPayload)

ACTIONS: Final[dict[Action, Event]] = {
    Action.CREATE: CREATE,
    Action.DELETE: DELETE,
    Action.FORCE_DELETE: DELETE,
    Action.START: POWER_ON,
    Action.STOP: POWER_OFF,
    Action.REBOOT_SOFT: REBOOT,
    Action.REBOOT_HARD: REBOOT,
}

# Work that failed
EXCEPTION: Final = Event("compute.exception", ExceptionPayload)
BUILD_INSTANCES: Final = Event(
    "compute_task.build_instances",
    ComputeTaskPayload,
    "compute_task.build_instances",
    (Phase.ERROR,),
    legacy_has_phases=False,
)

# Scheduling
SELECT_DESTINATIONS: Final = Event(
    "scheduler.select_destinations", RequestSpecPayload, "scheduler.select_destinations", _SPAN
)

# What users and administrators keep
KEYPAIR_CREATE: Final = Event("keypair.create", KeypairPayload, "keypair.create", _SPAN)
KEYPAIR_IMPORT: Final = Event("keypair.import", KeypairPayload, "keypair.import", _SPAN)
KEYPAIR_DELETE: Final = Event("keypair.delete", KeypairPayload, "keypair.delete", _SPAN)
FLAVOR_CREATE: Final = Event("flavor.create", FlavorPayload)
FLAVOR_UPDATE: Final = Event("flavor.update", FlavorPayload)
FLAVOR_DELETE: Final = Event("flavor.delete", FlavorPayload)
SERVICE_CREATE: Final = Event("service.create", ServiceStatusPayload)
SERVICE_UPDATE: Final = Event("service.update", ServiceStatusPayload)
SERVICE_DELETE: Final = Event("service.delete", ServiceStatusPayload)
GROUP_CREATE: Final = Event("server_group.create", ServerGroupPayload, "servergroup.create")
GROUP_ADD_MEMBER: Final = Event("server_group.add_member", ServerGroupPayload, "servergroup.addmember")
GROUP_DELETE: Final = Event("server_group.delete", ServerGroupPayload, "servergroup.delete")


def _aggregate(verb: str) -> Event:
    return Event(f"aggregate.{verb}", AggregatePayload, f"aggregate.{verb.replace('_', '')}", _SPAN)


AGGREGATE_CREATE: Final = _aggregate("create")
AGGREGATE_DELETE: Final = _aggregate("delete")
AGGREGATE_UPDATE: Final = _aggregate("update_prop")
AGGREGATE_UPDATE_METADATA: Final = _aggregate("update_metadata")
AGGREGATE_ADD_HOST: Final = _aggregate("add_host")
AGGREGATE_REMOVE_HOST: Final = _aggregate("remove_host")
# Versioned only; on the way it says what the payload of the ends cannot.
AGGREGATE_CACHE_IMAGES: Final = Event("aggregate.cache_images", AggregatePayload, phases=_SPAN)
AGGREGATE_IMAGES_CACHED: Final = Event(
    "aggregate.cache_images", AggregateCachePayload, phases=(Phase.PROGRESS,)
)

EVENTS: Final[tuple[Event, ...]] = (
    CREATE,
    UPDATE,
    EXISTS,
    DELETE,
    SHUTDOWN,
    POWER_ON,
    POWER_OFF,
    REBOOT,
    LOCK,
    UNLOCK,
    EXCEPTION,
    BUILD_INSTANCES,
    SELECT_DESTINATIONS,
    KEYPAIR_CREATE,
    KEYPAIR_IMPORT,
    KEYPAIR_DELETE,
    FLAVOR_CREATE,
    FLAVOR_UPDATE,
    FLAVOR_DELETE,
    SERVICE_CREATE,
    SERVICE_UPDATE,
    SERVICE_DELETE,
    GROUP_CREATE,
    GROUP_ADD_MEMBER,
    GROUP_DELETE,
    AGGREGATE_CREATE,
    AGGREGATE_DELETE,
    AGGREGATE_UPDATE,
    AGGREGATE_UPDATE_METADATA,
    AGGREGATE_ADD_HOST,
    AGGREGATE_REMOVE_HOST,
    AGGREGATE_CACHE_IMAGES,
    AGGREGATE_IMAGES_CACHED,
)
