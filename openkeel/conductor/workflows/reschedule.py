"""A build failed on one host: on to the next.

Contract: async-processing 2.3. The compute that failed has undone all of its own: ports, guest, claim and
allocation. Here the next alternate is claimed in Placement; when none is left the server goes to error.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Any, Final

from openkeel import objects
from openkeel.clients.placement.interface import Placement
from openkeel.clients.placement.types import AllocationRequest
from openkeel.common.context import Context
from openkeel.conductor.workflows.boot import cast_build
from openkeel.conductor.workflows.failure import attempt, fail_waiting, save_waiting, waits_for_a_host
from openkeel.conductor.workflows.groups import fill_group
from openkeel.conductor.workflows.plan import GuestInput, note_attempt
from openkeel.db.cells import CellDirectory, CellStores
from openkeel.domain.errors import Conflict, InstanceNotFound, MaxRetriesExceeded, NotFound
from openkeel.domain.states import VMState
from openkeel.notifications.notifier import Notifications
from openkeel.rpc.compute import ComputeClient
from openkeel.rpc.scheduler import SchedulerClient

LOG = logging.getLogger(__name__)

EVENT: Final = "conductor_build_instances"


class RescheduleWorkflow:
    """`build_instances`."""

    def __init__(
        self,
        *,
        cells: CellDirectory,
        scheduler: SchedulerClient,
        compute_of: Callable[[CellStores], ComputeClient],
        placement: Placement,
        max_attempts: int,
        notifications: Notifications | None = None,
    ) -> None:
        self._cells = cells
        self._scheduler = scheduler
        self._compute_of = compute_of
        self._placement = placement
        self._max_attempts = max_attempts
        self._notifications = notifications or Notifications()

    def run(
        self,
        ctx: Context,
        instance_uuid: str,
        given: GuestInput,
        properties: dict[str, Any],
        alternates: Sequence[objects.Selection] | None,
        request_spec: objects.RequestSpec | None,
    ) -> None:
        """Send the build to the next host, or set the server to error with a fault."""
        try:
            cell = self._cells.for_instance(instance_uuid)
            instance = cell.instances.get(instance_uuid, ("flavor", "system_metadata", "metadata"))
        except InstanceNotFound:
            LOG.info("instance %s was deleted between two hosts", instance_uuid)
            attempt("allocations of deleted instance", instance_uuid, self._placement.delete_allocations)
            return
        if not waits_for_a_host(instance):
            # The message came twice, or the owner deletes the server: what it holds is theirs.
            LOG.info("instance %s does not wait for a host any more", instance_uuid)
            return
        try:
            spec = request_spec or self._cells.api.request_specs.get(instance_uuid)
            retry = properties.setdefault("retry", {"num_attempts": 1, "hosts": []})
            retry["num_attempts"] += 1
            selection, rest = self._next_host(ctx, spec, instance_uuid, retry, alternates)
            note_attempt(properties, selection)
            instance.availability_zone = selection.availability_zone
            save_waiting(cell, instance)
            cast_build(
                self._compute_of(cell),
                ctx,
                instance,
                spec,
                given,
                bdms=cell.bdms.list(instance_uuid),
                properties=properties,
                selection=selection,
                alternates=rest,
            )
        except Exception as error:  # noqa: BLE001 - whatever it was, the owner must see it
            LOG.warning("instance %s has no further host: %s", instance_uuid, error)
            if fail_waiting(ctx, cell, self._placement, instance_uuid, error, event=EVENT):
                tasks = self._notifications.compute_tasks
                tasks.build_failed(ctx, instance_uuid, request_spec, VMState.ERROR, error)

    def _next_host(
        self,
        ctx: Context,
        spec: objects.RequestSpec,
        instance_uuid: str,
        retry: dict[str, Any],
        alternates: Sequence[objects.Selection] | None,
    ) -> tuple[objects.Selection, list[objects.Selection]]:
        if retry["num_attempts"] > self._max_attempts:
            raise MaxRetriesExceeded(reason=self._reason(retry))
        if alternates is None:  # the compute was not told any: ask again, leaving out where it failed
            spec.ignore_hosts = [host for host, _node in retry["hosts"]]
            fill_group(self._cells, spec)
            hosts = self._scheduler.select_destinations(
                ctx,
                spec_obj=spec,
                instance_uuids=[instance_uuid],
                return_objects=True,
                return_alternates=True,
            )[0]
            return hosts[0], list(hosts[1:])
        rest = list(alternates)
        while rest:
            selection = rest.pop(0)
            request = AllocationRequest.from_json(selection.allocation_request or "{}")
            try:
                self._placement.claim(instance_uuid, request, spec.project_id or "", spec.user_id or "")
            except (Conflict, NotFound):  # full by now, or gone
                LOG.info(
                    "host %s has no room any more for instance %s", selection.service_host, instance_uuid
                )
                continue
            return selection, rest
        raise MaxRetriesExceeded(reason=self._reason(retry))

    @staticmethod
    def _reason(retry: dict[str, Any]) -> str:
        hosts = ", ".join(host for host, _node in retry["hosts"])
        return f"The build was tried on {len(retry['hosts'])} host(s): {hosts}." if hosts else ""
