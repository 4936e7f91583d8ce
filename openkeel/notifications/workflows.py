"""Telling of work across hosts: choosing hosts, and builds that found none."""

from dataclasses import dataclass
from typing import Any

from openkeel import objects
from openkeel.common.context import Context
from openkeel.notifications import legacy
from openkeel.notifications.emitter import Emitter
from openkeel.notifications.events import BUILD_INSTANCES, SELECT_DESTINATIONS, Phase
from openkeel.notifications.payloads.request_spec import ComputeTaskPayload, RequestSpecPayload


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
