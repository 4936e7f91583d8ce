"""Builds that nobody has in hand any more, since the daemon that had was killed.

A message that was taken is gone with the daemon that took it, and no host knows of the server yet: it
would stay in BUILD for ever. This reconciler looks at what the databases say, not at who did what:

- a build request whose server is in no cell, older than the timeout: buried in cell0;
- one whose server stands in a cell already: finished (the request is dropped);
- a server in a cell that is being scheduled, has no host and did not change for the timeout: error;
- a row that no mapping shows, since its maker was killed before it could be bound: removed;
- a mapping to no cell without a build request: its server was deleted while it was being scheduled.
  Whoever had the message would have given back what the scheduler claimed; so it is done here.

What is given up holds nothing: its allocations are deleted first. All steps are compare-and-swaps, so
several conductors may look at once, and a build that moves on meanwhile wins.
"""

import logging
from collections.abc import Callable
from datetime import timedelta

from openkeel.clients.placement.interface import Placement
from openkeel.common.clock import Clock
from openkeel.common.context import admin_context
from openkeel.conductor.workflows.burial import Burial
from openkeel.conductor.workflows.failure import fail_waiting, waits_for_a_host
from openkeel.conductor.workflows.plan import Order
from openkeel.db.cells import CellDirectory, CellStores
from openkeel.domain.errors import InstanceNotFound, KeelError, NotFound
from openkeel.domain.states import VMState
from openkeel.notifications.notifier import Notifications

LOG = logging.getLogger(__name__)


class BuildInterrupted(KeelError):
    """Why a stalled build was given up."""

    template = "The build was interrupted and could not be taken up again. Delete the server and try again."


class StalledBuilds:
    """The reconciler; `run` is its periodic."""

    def __init__(
        self,
        *,
        cells: CellDirectory,
        placement: Placement,
        clock: Clock,
        timeout_s: int,
        notifications: Notifications | None = None,
    ) -> None:
        self._cells = cells
        self._placement = placement
        self._clock = clock
        self._timeout_s = timeout_s
        self._notifications = notifications or Notifications()
        self._burial = Burial(cells, self._notifications)

    def run(self) -> None:
        """Look once at everything."""
        before = self._clock.now() - timedelta(seconds=self._timeout_s)
        api = self._cells.api
        for uuid in api.build_requests.uuids_older_than(before):
            self._guarded(self._take_request, uuid)
        for uuid in api.instance_mappings.uuids_cancelled_before(before):
            self._guarded(self._take_cancelled, uuid)
        # Last: whose row is whose is decided by now.
        for cell in self._cells.cells(include_cell0=False):
            for uuid in cell.instances.uuids_unplaced_since(before):
                self._guarded(lambda one, cell=cell: self._take_instance(cell, one), uuid)  # type: ignore[misc]

    @staticmethod
    def _guarded(take: Callable[[str], None], uuid: str) -> None:
        try:
            take(uuid)
        except Exception:
            LOG.exception("stalled build of instance %s", uuid)

    def _take_request(self, uuid: str) -> None:
        request = self._cells.api.build_requests.find(uuid)
        mapping = self._cells.api.instance_mappings.find(uuid)
        if request is None:
            return
        ctx = admin_context()
        if mapping is None:  # deleted half-way
            self._drop_request(uuid)
        elif mapping.cell_mapping is None:
            LOG.warning("build of instance %s stalled before it was placed", uuid)
            self._placement.delete_allocations(uuid)
            spec = self._cells.api.request_specs.get(uuid)
            bdms = request.block_device_mappings if request.obj_attr_is_set("block_device_mappings") else ()
            tags = request.tags if request.obj_attr_is_set("tags") else None
            self._burial.bury(ctx, Order(uuid, request, spec, tuple(bdms), tags), BuildInterrupted())
        else:
            self._drop_request(uuid)

    def _drop_request(self, uuid: str) -> None:
        try:
            self._cells.api.build_requests.delete(uuid)
        except NotFound:
            LOG.debug("build request of instance %s is gone already", uuid)

    def _take_instance(self, cell: CellStores, uuid: str) -> None:
        try:
            instance = cell.instances.get(uuid)
        except InstanceNotFound:
            return
        if not waits_for_a_host(instance):
            return
        mapping = self._cells.api.instance_mappings.find(uuid)
        if mapping is not None and mapping.cell_mapping is None:
            return  # a build request still stands for it
        is_elsewhere = mapping is not None and mapping.cell_mapping.uuid != cell.mapping.uuid
        if mapping is None or is_elsewhere or mapping.queued_for_delete:
            LOG.warning("row of instance %s in %s belongs to nobody: removing it", uuid, cell.name)
            if not is_elsewhere:
                self._placement.delete_allocations(uuid)
            for bdm in cell.bdms.list(uuid):
                cell.bdms.destroy(bdm)
            cell.instances.destroy(instance)
            return
        LOG.warning("build of instance %s stalled between two hosts", uuid)
        ctx, error = admin_context(), BuildInterrupted()
        if fail_waiting(ctx, cell, self._placement, uuid, error):
            self._notifications.compute_tasks.build_failed(ctx, uuid, None, VMState.ERROR, error)

    def _take_cancelled(self, uuid: str) -> None:
        self._placement.delete_allocations(uuid)
        self._cells.api.destroy_builds([uuid])
