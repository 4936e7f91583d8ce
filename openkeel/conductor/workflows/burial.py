"""Servers that could not be placed: buried in cell0, where their owner can see why.

Contract: async-processing 2.2 step 1: the instance in state error with a fault, a finished action,
its mapping on cell0 and no build request any more. Every step may run again.
"""

import logging
import traceback

from openkeel import objects
from openkeel.common.context import Context
from openkeel.conductor.workflows.plan import Order
from openkeel.db.cells import CellDirectory
from openkeel.domain.errors import AlreadyExists, NotFound
from openkeel.domain.lifecycle import LIFECYCLE, Action
from openkeel.domain.states import VMState

LOG = logging.getLogger(__name__)

EVENT = "conductor_schedule_and_build_instances"


class Burial:
    """Puts servers into cell0."""

    def __init__(self, cells: CellDirectory) -> None:
        self._cells = cells

    def bury(self, ctx: Context, order: Order, error: BaseException) -> None:
        """Make the server visible in state error; quiet when its owner deleted it meanwhile."""
        cell0 = self._cells.cell0()
        instance = order.build_request.instance.obj_clone()
        instance.vm_state = VMState.ERROR
        instance.task_state = None
        try:
            cell0.instances.create(instance)
        except AlreadyExists:  # an earlier try got this far
            instance = cell0.instances.get(order.instance_uuid)
        if not self._cells.api.instance_mappings.map_to_cell(order.instance_uuid, cell0.mapping.uuid):
            LOG.info("instance %s went elsewhere meanwhile, not buried", order.instance_uuid)
            cell0.instances.destroy(instance)
            return
        for bdm in order.bdms:
            bdm.instance_uuid = order.instance_uuid
            cell0.bdms.create(bdm)
        if order.tags:
            cell0.tags.create(order.instance_uuid, [tag.tag for tag in order.tags])
        cell0.faults.create(fault_of(order.instance_uuid, error))
        cell0.actions.start(ctx, order.instance_uuid, LIFECYCLE[Action.CREATE].name)
        cell0.actions.event_start(ctx, order.instance_uuid, EVENT, None)
        cell0.actions.event_finish(ctx, order.instance_uuid, EVENT, error=error)
        try:
            self._cells.api.build_requests.delete(order.instance_uuid)
        except NotFound:
            LOG.info("instance %s was deleted while it was scheduled", order.instance_uuid)
            cell0.instances.destroy(instance)


def fault_of(instance_uuid: str, error: BaseException, host: str | None = None) -> objects.InstanceFault:
    """The fault that tells the owner what went wrong. Details are for administrators only."""
    details = "".join(traceback.format_exception(error)) if error.__traceback__ else ""
    return objects.InstanceFault(
        instance_uuid=instance_uuid, code=500, message=str(error)[:255], details=details, host=host
    )
