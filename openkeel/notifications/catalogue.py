"""Telling of what users and administrators keep: keypairs, flavors, services, server groups, aggregates.

Each method tells of one thing that was, or is about to be, done.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from openkeel.common.context import Context
from openkeel.notifications import events
from openkeel.notifications.emitter import Emitter, Origin, present_context
from openkeel.notifications.events import Event, Phase
from openkeel.notifications.payloads.aggregate import AggregatePayload
from openkeel.notifications.payloads.base import attribute
from openkeel.notifications.payloads.flavor import FlavorPayload
from openkeel.notifications.payloads.keypair import KeypairPayload
from openkeel.notifications.payloads.server_group import ServerGroupPayload
from openkeel.notifications.payloads.service import ServiceStatusPayload

_API: Final = "nova-api"


class Keypairs:
    """Keypairs. The private key is not part of what is told from.

    Without a context it is that of what the thread works on.
    """

    def __init__(self, emitter: Emitter) -> None:
        self._emitter = emitter

    def creating(self, ctx: Context | None, keypair: Any) -> None:
        """A pair is about to be made."""
        self._tell(ctx, events.KEYPAIR_CREATE, Phase.START, keypair)

    def created(self, ctx: Context | None, keypair: Any) -> None:
        """A pair was made."""
        self._tell(ctx, events.KEYPAIR_CREATE, Phase.END, keypair)

    def importing(self, ctx: Context | None, keypair: Any) -> None:
        """A public key is about to be taken in."""
        self._tell(ctx, events.KEYPAIR_IMPORT, Phase.START, keypair)

    def imported(self, ctx: Context | None, keypair: Any) -> None:
        """A public key was taken in."""
        self._tell(ctx, events.KEYPAIR_IMPORT, Phase.END, keypair)

    def deleting(self, ctx: Context | None, keypair: Any) -> None:
        """A keypair is about to go."""
        self._tell(ctx, events.KEYPAIR_DELETE, Phase.START, keypair)

    def deleted(self, ctx: Context | None, keypair: Any) -> None:
        """A keypair is gone."""
        self._tell(ctx, events.KEYPAIR_DELETE, Phase.END, keypair)

    def _tell(self, ctx: Context | None, event: Event, phase: Phase, keypair: Any) -> None:
        ctx = ctx or present_context()
        project_id = ctx.project_id
        self._emitter.legacy(
            ctx,
            event.legacy_type_in(phase),
            lambda: {"tenant_id": project_id, "user_id": keypair.user_id, "key_name": keypair.name},
            service="api",
        )
        origin = Origin(_API, self._emitter.origin.host)
        self._emitter.versioned(ctx, event, lambda: KeypairPayload.of(keypair), phase=phase, origin=origin)


class Flavors:
    """Flavors; the unversioned format does not know them."""

    def __init__(self, emitter: Emitter) -> None:
        self._emitter = emitter

    def created(self, flavor: Any) -> None:
        """A flavor was made."""
        # Compat: a flavor that is made has no extra specs yet, and does not say that it has none.
        self._tell(events.FLAVOR_CREATE, flavor, extra_specs=None)

    def updated(self, flavor: Any) -> None:
        """Its description, extra specs or the projects that may use it were changed."""
        self._tell(events.FLAVOR_UPDATE, flavor)

    def deleted(self, flavor: Any) -> None:
        """A flavor is gone, with its extra specs and access list, of which nothing is said."""
        self._tell(events.FLAVOR_DELETE, flavor, extra_specs=None, projects=None)

    def _tell(self, event: Event, flavor: Any, **given: Any) -> None:
        origin = Origin(_API, self._emitter.origin.host)
        self._emitter.versioned(None, event, lambda: FlavorPayload.of(flavor, **given), origin=origin)


class Services:
    """Daemons; the unversioned format does not know them. They tell of themselves, whoever writes."""

    def __init__(self, emitter: Emitter) -> None:
        self._emitter = emitter

    def created(self, service: Any) -> None:
        """A daemon has run for the first time."""
        self._tell(events.SERVICE_CREATE, service)

    def updated(self, service: Any) -> None:
        """A daemon was enabled, disabled, or forced down."""
        self._tell(events.SERVICE_UPDATE, service)

    def deleted(self, service: Any) -> None:
        """A daemon's record was removed."""
        self._tell(events.SERVICE_DELETE, service)

    def _tell(self, event: Event, service: Any) -> None:
        if not self._emitter.wants_versioned:
            return
        origin = Origin(attribute(service, "binary"), attribute(service, "host"))
        self._emitter.versioned(None, event, lambda: ServiceStatusPayload.of(service), origin=origin)


class ServerGroups:
    """Server groups."""

    def __init__(self, emitter: Emitter) -> None:
        self._emitter = emitter

    def created(self, ctx: Context, group: Any) -> None:
        """A group was made."""
        self._tell(
            ctx,
            events.GROUP_CREATE,
            group,
            lambda: {
                "name": group.name,
                "policy": group.policy,
                "_rules": dict(attribute(group, "_rules") or {}),
                "project_id": group.project_id,
                "user_id": group.user_id,
                "server_group_id": group.uuid,
            },
        )

    def member_added(self, ctx: Context, group: Any, instance_uuids: Sequence[str]) -> None:
        """Servers joined a group."""
        self._tell(
            ctx,
            events.GROUP_ADD_MEMBER,
            group,
            lambda: {"instance_uuids": list(instance_uuids), "server_group_id": group.uuid},
        )

    def deleted(self, ctx: Context, group: Any) -> None:
        """A group is gone."""
        self._tell(ctx, events.GROUP_DELETE, group, lambda: {"server_group_id": group.uuid})

    def _tell(self, ctx: Context, event: Event, group: Any, legacy: Any) -> None:
        self._emitter.legacy(ctx, event.legacy_type_in(None), legacy, service="servergroup")
        origin = Origin(_API, self._emitter.origin.host)
        self._emitter.versioned(ctx, event, lambda: ServerGroupPayload.of(group), origin=origin)


class Aggregates:
    """Groups of hosts. The publisher of the unversioned format is the aggregate: by id, or by its name."""

    def __init__(self, emitter: Emitter) -> None:
        self._emitter = emitter

    @contextmanager
    def change(
        self,
        ctx: Context,
        event: Event,
        aggregate: Any,
        facts: Mapping[str, Any] | None = None,
        facts_at_end: Mapping[str, Any] | None = None,
    ) -> Iterator[None]:
        """Around a change: told before, and after if it came about.

        `facts` are what the unversioned format says besides the aggregate's id.
        """
        self._tell(ctx, event, Phase.START, aggregate, facts or {})
        yield
        self._tell(ctx, event, Phase.END, aggregate, {**(facts or {}), **(facts_at_end or {})})

    def _tell(
        self, ctx: Context, event: Event, phase: Phase, aggregate: Any, facts: Mapping[str, Any]
    ) -> None:
        number = attribute(aggregate, "id")
        mine = {} if number is None else {"aggregate_id": number}
        self._emitter.legacy(
            ctx,
            event.legacy_type_in(phase),
            lambda: {**mine, **facts},
            service="aggregate",
            host=str(aggregate.name if number is None else number),
        )
        origin = Origin(_API, self._emitter.origin.host)
        self._emitter.versioned(
            ctx, event, lambda: AggregatePayload.of(aggregate), phase=phase, origin=origin
        )
