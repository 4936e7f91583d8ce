"""Telling of servers: what is done to them, where they went, that they exist.

`ServerNotifier` is bound to the stores of one cell, from which it reads what a notification says and the
caller has not loaded; only then, and only when somebody wants the notification.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Protocol

from openkeel import objects
from openkeel.common.clock import Clock
from openkeel.common.context import Context
from openkeel.domain.audit_periods import AuditPeriod as Calendar
from openkeel.domain.lifecycle import Action
from openkeel.notifications import legacy
from openkeel.notifications.emitter import Emitter, Origin, present_context
from openkeel.notifications.events import (
    ACTIONS,
    CREATE,
    EXCEPTION,
    EXISTS,
    LOCK,
    SHUTDOWN,
    UNLOCK,
    UPDATE,
    Event,
    Phase,
)
from openkeel.notifications.payloads.base import attribute
from openkeel.notifications.payloads.exception import ExceptionPayload
from openkeel.notifications.payloads.instance import AuditPeriod, StateUpdate, Told

LOG = logging.getLogger(__name__)

COMPUTE: Final = "nova-compute"
_SERVICE: Final = "compute"  # Compat: who tells of servers in the unversioned format, wherever it happens

_NEEDED: Final = ("flavor", "info_cache", "metadata", "system_metadata")
_NEEDED_OF: Final[Mapping[Event, Sequence[str]]] = {
    CREATE: ("keypairs", "tags", "trusted_certs"),
    UPDATE: ("tags",),
}

# Compat: the unversioned format names the method that failed.
_METHODS: Final[Mapping[Action, str]] = {
    Action.START: "start_instance",
    Action.STOP: "stop_instance",
    Action.DELETE: "terminate_instance",
    Action.FORCE_DELETE: "terminate_instance",
}
# Compat: a build that begins has no place and no task yet.
_UNPLACED: Final = {"host": None, "node": None, "task_state": None}
# Servers that are gone have no addresses any more, whatever the row still says.
_RELEASED: Final = {"info_cache": None}
_ENDS_SERVERS: Final = frozenset({Action.DELETE, Action.FORCE_DELETE})
# Compat: these end, as far as notifications go, also when they failed.
_ENDS_AFTER_FAILURE: Final = frozenset({Action.REBOOT_SOFT, Action.REBOOT_HARD})


class Stores(Protocol):
    """What is read of a cell (objects.stores.CellStores, and shares where the cell has them)."""

    @property
    def instances(self) -> Any: ...

    @property
    def bdms(self) -> Any: ...

    @property
    def shares(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What operators chose.

    Contract: options instance_name_template, instance_usage_audit_period, [notifications]
    notify_on_state_change, bdms_in_notifications, include_share_mapping.
    """

    instance_name_template: str = "instance-%08x"
    audit_period: Calendar = field(default_factory=lambda: Calendar("month"))
    state_changes: str | None = None
    tells_volumes: bool = False
    tells_shares: bool = False


class ServerNotifier:
    """Tells of the servers of one cell.

    Args:
        emitter: Of this daemon.
        stores: Of the cell.
        image_url: Where an image lies, for the unversioned format.
    """

    def __init__(
        self,
        emitter: Emitter,
        stores: Stores,
        settings: ServerSettings,
        clock: Clock,
        image_url: Callable[[Context, str], str],
    ) -> None:
        self._emitter = emitter
        self._stores = stores
        self._settings = settings
        self._clock = clock
        self._image_url = image_url

    @property
    def wants_updates(self) -> bool:
        """Whether changes of servers are told of."""
        return self._emitter.is_on and self._settings.state_changes is not None

    # Actions: what the Notifier of compute.operation asks for

    def started(
        self, ctx: Context, instance: objects.Instance, action: Action, image: Mapping[str, Any] | None = None
    ) -> None:
        """An action begins. `image` is what a build is made of."""
        if action is not Action.CREATE:
            self._action(ctx, instance, ACTIONS.get(action), Phase.START)
            return
        name = (image or {}).get("name") or ""
        self._action(ctx, instance, CREATE, Phase.START, more=lambda: {"image_name": name}, unsaid=_UNPLACED)

    def ended(self, ctx: Context, instance: objects.Instance, action: Action) -> None:
        """An action is done."""

        def more() -> Mapping[str, Any]:
            if action is not Action.CREATE:
                return {}
            return {"message": "Success", "fixed_ips": legacy.addresses(instance)}

        unsaid = _RELEASED if action in _ENDS_SERVERS else None
        self._action(ctx, instance, ACTIONS.get(action), Phase.END, more=more, unsaid=unsaid)

    def failed(self, ctx: Context, instance: objects.Instance, action: Action, error: BaseException) -> None:
        """An action failed; the server stands where it failed."""
        event = ACTIONS.get(action)
        if event is not None and Phase.ERROR in event.phases:
            self._action(ctx, instance, event, Phase.ERROR, error=error, more=lambda: legacy.failure(error))
            return
        method = _METHODS.get(action)
        if method is not None:
            self._emitter.legacy(
                ctx,
                method,
                lambda: legacy.exception(error, instance),
                service=_SERVICE,
                is_error=True,
            )
            self._emitter.versioned(ctx, EXCEPTION, lambda: ExceptionPayload.of(error))

    def settled(self, ctx: Context, instance: objects.Instance, action: Action) -> None:
        """A failed action was recorded as such; the server is at rest again."""
        if action in _ENDS_AFTER_FAILURE:
            self._action(ctx, instance, ACTIONS.get(action), Phase.END)

    def shutting_down(self, ctx: Context, instance: objects.Instance) -> None:
        """The guest and what it holds are about to be taken away."""
        self._action(ctx, instance, SHUTDOWN, Phase.START)

    def shut_down(self, ctx: Context, instance: objects.Instance) -> None:
        """The guest is no more, and its addresses are given back."""
        self._action(ctx, instance, SHUTDOWN, Phase.END, unsaid=_RELEASED)

    def locked(self, ctx: Context, instance: objects.Instance) -> None:
        """Somebody locked the server. The unversioned format knows of no locks."""
        self._tell(ctx, LOCK, self._told(ctx, instance))

    def unlocked(self, ctx: Context, instance: objects.Instance) -> None:
        """Somebody unlocked the server."""
        self._tell(ctx, UNLOCK, self._told(ctx, instance))

    # What is known of a server

    def exists(self, ctx: Context, instance: objects.Instance, begin: datetime, end: datetime) -> None:
        """The server was there in a period."""
        period = AuditPeriod(begin, end)
        self._tell(
            ctx,
            EXISTS,
            self._told(ctx, instance, audit_period=period),
            more=lambda: {
                "audit_period_beginning": f"{begin:%Y-%m-%d %H:%M:%S}",
                "audit_period_ending": f"{end:%Y-%m-%d %H:%M:%S}",
            },
        )

    def created(self, ctx: Context, instance: objects.Instance) -> None:
        """The conductor brought the server into its cell."""
        if self.wants_updates:
            self._update(ctx, instance, instance, service="conductor")

    def updated(self, instance: objects.Instance, before: Mapping[str, Any]) -> None:
        """The server's row was written; `before` has its states and name as they were.

        Asked for by whatever the thread works on: its context is that of oslo.context.
        """
        if self.wants_updates:
            self._update(present_context(), instance, before, service=None)

    def retagged(self, instance: objects.Instance) -> None:
        """The owner changed the server's tags."""
        if self.wants_updates:
            self._update(present_context(), instance, instance, service="nova-api")

    def _update(self, ctx: Context, instance: objects.Instance, before: Any, *, service: str | None) -> None:
        def was(name: str) -> Any:
            return before.get(name) if isinstance(before, Mapping) else attribute(before, name)

        now = self._clock.now()
        told = self._told(
            ctx,
            instance,
            audit_period=AuditPeriod(self._settings.audit_period.last_completed(now)[1], now),
            state_update=self._state_update(instance, was("vm_state"), was("task_state")),
            old_display_name=_renamed(was("display_name"), attribute(instance, "display_name")),
        )
        self._tell(ctx, UPDATE, told, service=service, source=_SOURCES.get(service))

    def _state_update(
        self, instance: objects.Instance, old_vm_state: str | None, old_task_state: str | None
    ) -> StateUpdate:
        """Compat: what did not change in the way that operators asked for is told as it is now."""
        vm_state, task_state = attribute(instance, "vm_state"), attribute(instance, "task_state")
        moved = old_vm_state != vm_state or (
            self._settings.state_changes == "vm_and_task_state" and old_task_state != task_state
        )
        return StateUpdate(
            old_state=(old_vm_state if moved else None) or vm_state,
            state=vm_state,
            old_task_state=(old_task_state if moved else None) or task_state,
            new_task_state=task_state,
        )

    # Emitting

    def _action(
        self,
        ctx: Context,
        instance: objects.Instance,
        event: Event | None,
        phase: Phase,
        *,
        error: BaseException | None = None,
        more: Callable[[], Mapping[str, Any]] = dict,
        unsaid: Mapping[str, Any] | None = None,
    ) -> None:
        if event is None or not self._emitter.is_on:
            return
        told = self._told(ctx, instance, error=error)
        self._tell(ctx, event, told, phase=phase, more=more, unsaid=unsaid)

    def _told(self, ctx: Context, instance: objects.Instance, **more: Any) -> Told:
        return Told(instance, ctx, **more)

    def _tell(
        self,
        ctx: Context,
        event: Event,
        told: Told,
        *,
        phase: Phase | None = None,
        more: Callable[[], Mapping[str, Any]] = dict,
        unsaid: Mapping[str, Any] | None = None,
        service: str | None = None,
        source: str | None = None,
    ) -> None:
        emitter = self._emitter
        if not emitter.is_on:
            return
        known = _Once(lambda: self._known(told, event, unsaid or {}))
        emitter.legacy(
            ctx,
            event.legacy_type_in(phase),
            lambda: self._legacy_payload(known(), event, more()),
            service=service or _SERVICE,
            is_error=phase is Phase.ERROR,
        )
        origin = Origin(source, emitter.origin.host) if source else None
        emitter.versioned(ctx, event, lambda: self._payload(known(), event), phase=phase, origin=origin)

    def _payload(self, told: Told, event: Event) -> Any:
        uuid, settings = told.instance.uuid, self._settings
        if settings.tells_volumes:
            told = replace(told, volumes=tuple(self._stores.bdms.list(uuid)))
        if settings.tells_shares:
            told = replace(told, shares=tuple(self._stores.shares.list(uuid)))
        if event is CREATE:
            told = replace(told, name_on_host=self._name_on_host(told.instance))
        return event.payload.of(told)

    def _legacy_payload(self, told: Told, event: Event, more: Mapping[str, Any]) -> dict[str, Any]:
        payload = {**legacy.server(told, self._url_of_image(told)), **more}
        if event is UPDATE and told.state_update and told.audit_period:
            payload |= legacy.states(told.state_update) | legacy.update_period(told.audit_period)
            if told.old_display_name is not None:
                payload["old_display_name"] = told.old_display_name
        return payload

    def _known(self, told: Told, event: Event, unsaid: Mapping[str, Any]) -> Told:
        """The server with all that the event's payload says of it."""
        instance = told.instance
        needed = (*_NEEDED, *(_NEEDED_OF.get(event, ()) if self._emitter.wants_versioned else ()))
        missing = [name for name in needed if not instance.obj_attr_is_set(name)]
        if missing or unsaid:
            instance = instance.obj_clone()
        if missing:
            # Only controllers tell of the dead whose rows they have not loaded in full.
            dead = {"deleted": None} if attribute(instance, "deleted") else {}
            found = self._stores.instances.get(instance.uuid, tuple(missing), **dead)
            for name in missing:
                setattr(instance, name, getattr(found, name))
        for name, value in unsaid.items():
            setattr(instance, name, value)
        return told if instance is told.instance else replace(told, instance=instance)

    def _url_of_image(self, told: Told) -> str:
        image_id = attribute(told.instance, "image_ref") or ""
        try:
            return self._image_url(told.ctx, image_id)
        except Exception:  # noqa: BLE001 - who wants the address of an image can live without Glance's
            LOG.info("the address of image %s is not known", image_id)
            return str(image_id)

    def _name_on_host(self, instance: objects.Instance) -> str:
        template = self._settings.instance_name_template
        try:
            return template % instance.id
        except TypeError:  # a template of names: "%(uuid)s"
            return template % {"id": instance.id, "uuid": instance.uuid}


_SOURCES: Final[Mapping[str | None, str]] = {
    None: COMPUTE,
    "conductor": "nova-conductor",
    "nova-api": "nova-api",
}


class _Once:
    """A value made when it is first asked for, for both formats."""

    def __init__(self, make: Callable[[], Told]) -> None:
        self._make = make
        self._value: Told | None = None

    def __call__(self) -> Told:
        if self._value is None:
            self._value = self._make()
        return self._value


def _renamed(old: str | None, new: str | None) -> str | None:
    return old if old != new else None
