"""Telling of work across hosts: choosing hosts, builds that found none, images fetched by many hosts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from openkeel import objects
from openkeel.common.context import Context
from openkeel.domain.image_caching import Cached
from openkeel.notifications import legacy
from openkeel.notifications.emitter import Emitter, Origin
from openkeel.notifications.events import (
    AGGREGATE_CACHE_IMAGES,
    AGGREGATE_IMAGES_CACHED,
    BUILD_INSTANCES,
    SELECT_DESTINATIONS,
    Phase,
)
from openkeel.notifications.payloads.aggregate import AggregateCachePayload, AggregatePayload
from openkeel.notifications.payloads.request_spec import ComputeTaskPayload, RequestSpecPayload

_THERE: Final = frozenset(str(how) for how in Cached if how.is_there)


class Scheduling:
    """The scheduler's choices (scheduler.endpoint.Announcer)."""

    def __init__(self, emitter: Emitter) -> None:
        self._emitter = emitter

    def choosing(self, ctx: Context, spec: objects.RequestSpec) -> None:
        """Hosts with room are being compared."""
        self._tell(ctx, spec, Phase.START)

    def chosen(self, ctx: Context, spec: objects.RequestSpec) -> None:
        """Hosts were found and claimed."""
        self._tell(ctx, spec, Phase.END)

    def _tell(self, ctx: Context, spec: objects.RequestSpec, phase: Phase) -> None:
        event = SELECT_DESTINATIONS
        self._emitter.legacy(
            ctx, event.legacy_type_in(phase), lambda: legacy.request(spec), service="scheduler"
        )
        self._emitter.versioned(ctx, event, lambda: RequestSpecPayload.of(spec), phase=phase)


@dataclass(frozen=True, slots=True)
class _Failure:
    instance_uuid: str
    request_spec: objects.RequestSpec | None
    state: str
    error: BaseException


class ComputeTasks:
    """The conductor's work."""

    def __init__(self, emitter: Emitter) -> None:
        self._emitter = emitter

    def build_failed(
        self,
        ctx: Context,
        instance_uuid: str,
        spec: objects.RequestSpec | None,
        state: str,
        error: BaseException,
    ) -> None:
        """A server found no host; `state` is its vm_state now."""
        self._emitter.legacy(
            ctx,
            BUILD_INSTANCES.legacy_type_in(Phase.ERROR),
            lambda: _legacy(instance_uuid, spec, state, error),
            service="compute_task",
            is_error=True,
        )
        failure = _Failure(instance_uuid, spec, state, error)
        self._emitter.versioned(
            ctx, BUILD_INSTANCES, lambda: ComputeTaskPayload.of(failure), phase=Phase.ERROR
        )


@dataclass(frozen=True, slots=True)
class _Progress:
    aggregate: objects.Aggregate
    host: str
    images_cached: list[str]
    images_failed: list[str]
    index: int
    total: int


class ImageCaching:
    """Images that the hosts of an aggregate fetch; the unversioned format does not know it."""

    def __init__(self, emitter: Emitter) -> None:
        self._emitter = emitter

    def begins(self, ctx: Context, aggregate: objects.Aggregate) -> None:
        """Its hosts are about to be asked."""
        self._tell(ctx, aggregate, Phase.START)

    def came_to(
        self,
        ctx: Context,
        aggregate: objects.Aggregate,
        host: str,
        answer: Mapping[str, str],
        progress: tuple[int, int],
    ) -> None:
        """A host has answered; `progress` is which one of how many."""
        there = [image_id for image_id, how in answer.items() if how in _THERE]
        missing = [image_id for image_id in answer if image_id not in there]
        told = _Progress(aggregate, host, there, missing, *progress)
        self._emitter.versioned(
            ctx, AGGREGATE_IMAGES_CACHED, lambda: AggregateCachePayload.of(told), phase=Phase.PROGRESS
        )

    def ends(self, ctx: Context, aggregate: objects.Aggregate) -> None:
        """All were asked."""
        self._tell(ctx, aggregate, Phase.END)

    def _tell(self, ctx: Context, aggregate: objects.Aggregate, phase: Phase) -> None:
        origin = Origin("nova-api", self._emitter.origin.host)  # Compat: as of every change of an aggregate
        self._emitter.versioned(
            ctx, AGGREGATE_CACHE_IMAGES, lambda: AggregatePayload.of(aggregate), phase=phase, origin=origin
        )


def _legacy(
    instance_uuid: str, spec: objects.RequestSpec | None, state: str, error: BaseException
) -> dict[str, Any]:
    request = legacy.request(spec)["request_spec"] if spec is not None else {}
    return {
        "request_spec": request,
        "instance_properties": request.get("instance_properties", {}),
        "instance_id": instance_uuid,
        "state": state,
        "method": "build_instances",
        "reason": legacy.failure(error)["exception"],
    }
