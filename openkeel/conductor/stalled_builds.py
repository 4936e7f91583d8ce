"""Builds that nobody has in hand any more, since the daemon that had was killed.

A message that was taken is gone with the daemon that took it, and no host knows of the server yet: it
would stay in BUILD for ever. This reconciler looks at what the databases say, not at who did what:

- a build request whose server is in no cell, older than the timeout: buried in cell0;
- one whose server stands in a cell already: finished (the request is dropped);
- a server in a cell that is being scheduled, has no host and did not change for the timeout: error.

What is given up holds nothing: its allocations are deleted first. All steps are compare-and-swaps, so
several conductors may look at once, and a build that moves on meanwhile wins.
"""

import logging
from datetime import timedelta

from openkeel.clients.placement.interface import Placement
from openkeel.common.clock import Clock
from openkeel.common.context import admin_context
from openkeel.conductor.workflows.boot import fail_in_cell
from openkeel.conductor.workflows.burial import Burial
from openkeel.conductor.workflows.plan import Order
from openkeel.db.cells import CellDirectory
from openkeel.domain.errors import InstanceNotFound, KeelError, NotFound
from openkeel.domain.states import TaskState, VMState

LOG = logging.getLogger(__name__)


class BuildInterrupted(KeelError):
    """Why a stalled build was given up."""

    template = "The build was interrupted and could not be taken up again. Delete the server and try again."


class StalledBuilds:
    """The reconciler; `run` is its periodic."""

    def __init__(self, *, cells: CellDirectory, placement: Placement, clock: Clock, timeout_s: int) -> None:
        self._cells = cells
        self._placement = placement
        self._clock = clock
        self._timeout_s = timeout_s
        self._burial = Burial(cells)

    def run(self) -> None:
        """Look once at everything."""
        before = self._clock.now() - timedelta(seconds=self._timeout_s)
        for uuid in self._cells.api.build_requests.uuids_older_than(before):
            try:
                self._take_request(uuid)
            except Exception:
                LOG.exception("stalled build request of instance %s", uuid)
        for cell in self._cells.cells(include_cell0=False):
            for uuid in cell.instances.uuids_unplaced_since(before):
                try:
                    self._take_instance(cell.mapping.uuid, uuid)
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

    def _take_instance(self, cell_uuid: str, uuid: str) -> None:
        cell = self._cells.cell(cell_uuid)
        try:
            instance = cell.instances.get(uuid)
        except InstanceNotFound:
            return
        if instance.host or instance.vm_state != VMState.BUILDING:
            return
        if instance.task_state not in {None, TaskState.SCHEDULING}:
            return
        LOG.warning("build of instance %s stalled between two hosts", uuid)
        self._placement.delete_allocations(uuid)
        fail_in_cell(admin_context(), cell, instance, BuildInterrupted())
