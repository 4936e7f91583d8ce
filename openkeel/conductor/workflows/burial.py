"""Servers that could not be placed: buried in cell0, where their owner can see why.

Contract: async-processing 2.2 step 1: the instance in state error with a fault, a finished action,
its mapping on cell0 and no build request any more. Everything is there before the mapping shows it,
and every step may run again.
"""

import logging

from openkeel import objects
from openkeel.common.context import Context
from openkeel.conductor.workflows.failure import SCHEDULING, attempt, fault_of, log_failure
from openkeel.conductor.workflows.plan import Order, adopt_changes
from openkeel.db.cells import CellDirectory, CellStores
from openkeel.domain.errors import AlreadyExists, InstanceNotFound, NotFound
from openkeel.domain.lifecycle import LIFECYCLE, Action
from openkeel.domain.states import VMState
from openkeel.notifications.notifier import Notifications

LOG = logging.getLogger(__name__)


class Burial:
    """Puts servers into cell0."""

    def __init__(self, cells: CellDirectory, notifications: Notifications | None = None) -> None:
        self._cells = cells
        self._notifications = notifications or Notifications()

    def bury(self, ctx: Context, order: Order, error: BaseException) -> None:
        """Make the server visible in state error; quiet when its owner deleted it meanwhile."""
        cell0, uuid = self._cells.cell0(), order.instance_uuid
        instance = self._create(cell0, order)
        self._furnish(ctx, cell0, order, error)
        if not self._cells.api.instance_mappings.map_to_cell(uuid, cell0.mapping.uuid):
            LOG.info("instance %s is not buried: somebody else decided about it", uuid)
            self._withdraw(cell0, instance)
            return
        try:
            latest = self._cells.api.build_requests.take(uuid)
        except NotFound:
            LOG.info("instance %s was deleted while it was scheduled", uuid)
            _destroy(cell0, instance)
            return
        if adopt_changes(instance, latest.instance):
            cell0.instances.save(instance)
        tasks = self._notifications.compute_tasks
        tasks.build_failed(ctx, uuid, order.request_spec, VMState.ERROR, error)

    def _create(self, cell0: CellStores, order: Order) -> objects.Instance:
        instance = order.build_request.instance.obj_clone()
        latest = self._cells.api.build_requests.find(order.instance_uuid)
        if latest is not None:
            adopt_changes(instance, latest.instance)
        try:
            cell0.instances.create(instance)
        except AlreadyExists:  # an earlier try got this far
            instance = cell0.instances.get(order.instance_uuid)
        # Compat: a second write, which leaves a time. Nova shows a server without one as changed just now,
        # and leaves it out of what changed since.
        instance.vm_state = VMState.ERROR
        instance.task_state = None
        cell0.instances.save(instance)
        return instance

    @staticmethod
    def _furnish(ctx: Context, cell0: CellStores, order: Order, error: BaseException) -> None:
        uuid = order.instance_uuid
        # What cannot be kept is missing there: it must not keep its owner from seeing the server fail.
        attempt("disks of instance", uuid, lambda _: _create_disks(cell0, order))
        if order.tags:
            names = [tag.tag for tag in order.tags]
            attempt("tags of instance", uuid, lambda _: cell0.tags.create(uuid, names))
        if cell0.faults.find_latest(uuid) is None:
            cell0.faults.create(fault_of(uuid, error))
        cell0.actions.start(ctx, uuid, LIFECYCLE[Action.CREATE].name)
        log_failure(ctx, cell0, uuid, SCHEDULING, error)

    def _withdraw(self, cell0: CellStores, instance: objects.Instance) -> None:
        """Unless it was buried before: then the row is the server."""
        mapping = self._cells.api.instance_mappings.find(instance.uuid)
        theirs = mapping.cell_mapping if mapping else None
        if theirs is None or theirs.uuid != cell0.mapping.uuid:
            _destroy(cell0, instance)


def _create_disks(cell0: CellStores, order: Order) -> None:
    if cell0.bdms.list(order.instance_uuid):
        return
    for bdm in order.bdms:
        bdm.instance_uuid = order.instance_uuid
        cell0.bdms.create(bdm)


def _destroy(cell0: CellStores, instance: objects.Instance) -> None:
    try:
        cell0.instances.destroy(instance)
    except InstanceNotFound:
        LOG.debug("instance %s left cell0 already", instance.uuid)
