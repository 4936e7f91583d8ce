"""From a request to a build on a host: schedule, create in the cell, cast.

Contract: async-processing 2.2. The message may come twice and this process may be killed anywhere, so
every step asks first what is there already. What binds a server to a cell is one compare-and-swap of
its mapping: whoever loses it withdraws what it made. A build whose conductor died is found by
`stalled_builds`.
"""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from openkeel import objects
from openkeel.clients.placement.interface import Placement
from openkeel.common.context import Context
from openkeel.common.locks import NamedLocks
from openkeel.conductor.workflows.burial import Burial
from openkeel.conductor.workflows.failure import attempt, fail_waiting
from openkeel.conductor.workflows.groups import fill_group
from openkeel.conductor.workflows.plan import GuestInput, Order, adopt_changes, first_filter_properties
from openkeel.db.cells import CellDirectory, CellStores
from openkeel.domain.errors import (
    AlreadyExists,
    Conflict,
    HostMappingNotFound,
    InstanceNotFound,
    NotFound,
)
from openkeel.domain.lifecycle import LIFECYCLE, Action
from openkeel.domain.states import VMState
from openkeel.notifications.notifier import Notifications
from openkeel.rpc.compute import ComputeClient
from openkeel.rpc.scheduler import SchedulerClient

LOG = logging.getLogger(__name__)


class QuotaRecheck(Protocol):
    """Raises OverQuota when the project has come to hold more than it may with servers just made."""

    def __call__(self, project_id: str, user_id: str | None, instance_uuids: Collection[str], /) -> None: ...


@dataclass(slots=True)
class Placed:
    """A server that has a host, a cell and a row there."""

    order: Order
    cell: CellStores
    instance: objects.Instance
    selections: list[objects.Selection]  # the host, then its alternates


class BootWorkflow:
    """`schedule_and_build_instances`."""

    def __init__(
        self,
        *,
        cells: CellDirectory,
        scheduler: SchedulerClient,
        compute_of: Callable[[CellStores], ComputeClient],
        placement: Placement,
        recheck_quota: QuotaRecheck | None,
        notifications: Notifications | None = None,
    ) -> None:
        self._cells = cells
        self._scheduler = scheduler
        self._compute_of = compute_of
        self._placement = placement
        self._recheck_quota = recheck_quota
        self._notifications = notifications or Notifications()
        self._burial = Burial(cells, self._notifications)
        self._locks = NamedLocks()

    def run(self, ctx: Context, orders: Sequence[Order], given: GuestInput) -> None:
        """Bring every order to a host, or into cell0 with a fault. Raises nothing for a single server."""
        # A second delivery of the message waits here for the first, and finds nothing left to do.
        with self._locks.hold(orders[0].instance_uuid if orders else ""):
            self._run(ctx, orders, given)

    def _run(self, ctx: Context, orders: Sequence[Order], given: GuestInput) -> None:
        waiting = [order for order in orders if self._still_wanted(order)]
        if not waiting:
            return
        try:
            fill_group(self._cells, waiting[0].request_spec)
            selections = self._scheduler.select_destinations(
                ctx,
                spec_obj=waiting[0].request_spec,
                instance_uuids=[order.instance_uuid for order in waiting],
                return_objects=True,
                return_alternates=True,
            )
        except Exception as error:  # noqa: BLE001 - whatever it was, the owners must see it
            LOG.warning("scheduling of %s failed: %s", [o.instance_uuid for o in waiting], error)
            for order in waiting:
                self._give_up_unplaced(ctx, order, error)
            return
        placed = [
            found
            for order, hosts in zip(waiting, selections, strict=True)
            if (found := self._place(ctx, order, list(hosts)))
        ]
        if placed and not self._within_quota(ctx, placed):
            return
        for each in placed:
            self._start(ctx, each, given)

    # Steps

    def _still_wanted(self, order: Order) -> bool:
        mapping = self._cells.api.instance_mappings.find(order.instance_uuid)
        if mapping is None or mapping.cell_mapping is not None:
            LOG.info("instance %s is placed or gone already", order.instance_uuid)
            return False
        return self._cells.api.build_requests.find(order.instance_uuid) is not None

    def _place(self, ctx: Context, order: Order, hosts: list[objects.Selection]) -> Placed | None:
        """Create the server in the cell of its host. None when it went elsewhere, or failed for good."""
        made: tuple[CellStores, objects.Instance] | None = None
        try:
            cell = self._cell_of(hosts[0])
            latest = self._cells.api.build_requests.find(order.instance_uuid)
            if latest is None:
                LOG.info("instance %s was deleted while it was scheduled", order.instance_uuid)
                self._give_back(order)
                return None
            instance = order.build_request.instance.obj_clone()
            adopt_changes(instance, latest.instance)
            instance.availability_zone = hosts[0].availability_zone
            try:
                cell.instances.create(instance)
                made = cell, instance
                self._notifications.servers(cell).created(ctx, instance)
            except AlreadyExists:  # an earlier run was killed between this step and the next
                instance = cell.instances.get(order.instance_uuid)
            if not self._cells.api.instance_mappings.map_to_cell(order.instance_uuid, cell.mapping.uuid):
                self._withdraw(order, cell, instance)
                return None
        except Exception as error:
            LOG.exception("placing instance %s failed", order.instance_uuid)
            if made is not None:
                cell, instance = made
                attempt("row of instance", instance.uuid, lambda _: self._withdraw(order, cell, instance))
            self._give_up_unplaced(ctx, order, error)
            return None
        placed = Placed(order, cell, instance, hosts)
        try:
            cell.actions.start(ctx, order.instance_uuid, LIFECYCLE[Action.CREATE].name)
        except Exception as error:
            LOG.exception("the build of instance %s cannot be logged", order.instance_uuid)
            self._fail_placed(ctx, placed, error)
            return None
        return placed

    def _cell_of(self, selection: objects.Selection) -> CellStores:
        mapping = self._cells.api.host_mappings.find(selection.service_host)
        if mapping is None:
            LOG.error("host %s is in no cell: run discover_hosts", selection.service_host)
            raise HostMappingNotFound(name=selection.service_host)
        return self._cells.cell(mapping.cell_mapping.uuid)

    def _withdraw(self, order: Order, cell: CellStores, instance: objects.Instance) -> None:
        """Somebody else mapped the server first: keep its row if it is theirs, remove ours if not."""
        mapping = self._cells.api.instance_mappings.find(order.instance_uuid)
        theirs = mapping.cell_mapping if mapping else None
        if theirs is None or theirs.uuid != cell.mapping.uuid:
            _destroy(cell, instance)

    def _within_quota(self, ctx: Context, placed: Sequence[Placed]) -> bool:
        """Closes the race of two requests that each fitted alone (option quota.recheck_quota)."""
        if self._recheck_quota is None:
            return True
        instance = placed[0].instance
        try:
            made = [each.instance.uuid for each in placed]
            self._recheck_quota(instance.project_id or "", instance.user_id, made)
        except Exception as error:  # noqa: BLE001 - too much, or nobody can tell
            LOG.warning("the quota of project %s was counted again: %s", instance.project_id, error)
            for each in placed:
                self._fail_placed(ctx, each, error)
            return False
        return True

    def _start(self, ctx: Context, placed: Placed, given: GuestInput) -> None:
        """Hand the server over to its host."""
        order, cell, instance = placed.order, placed.cell, placed.instance
        selection, *alternates = placed.selections
        try:
            bdms = self._create_disks(order, cell)
            if order.tags:
                cell.tags.create(order.instance_uuid, [tag.tag for tag in order.tags])
            try:
                latest = self._cells.api.build_requests.take(order.instance_uuid)
            except NotFound:
                LOG.info("instance %s was deleted before its build began", order.instance_uuid)
                self._remove_deleted(order, cell, instance)
                return
            if adopt_changes(instance, latest.instance):
                cell.instances.save(instance)
            properties = first_filter_properties(order.request_spec, selection)
            cast_build(
                self._compute_of(cell),
                ctx,
                instance,
                order.request_spec,
                given,
                bdms=bdms,
                properties=properties,
                selection=selection,
                alternates=alternates,
            )
        except Exception as error:
            LOG.exception("starting the build of instance %s failed", order.instance_uuid)
            self._fail_placed(ctx, placed, error)

    def _create_disks(self, order: Order, cell: CellStores) -> objects.BlockDeviceMappingList:
        if not cell.bdms.list(order.instance_uuid):
            for bdm in order.bdms:
                bdm.instance_uuid = order.instance_uuid
                cell.bdms.create(bdm)
        found: objects.BlockDeviceMappingList = cell.bdms.list(order.instance_uuid)
        return found

    # Ways out

    def _give_up_unplaced(self, ctx: Context, order: Order, error: BaseException) -> None:
        try:
            mapping = self._cells.api.instance_mappings.find(order.instance_uuid)
            if mapping is not None and mapping.cell_mapping is not None:
                return  # what it holds is held for the build that was started in another's hands
        except Exception:
            LOG.exception("instance %s is left to the look at stalled builds", order.instance_uuid)
            return
        # The scheduler may have claimed before it, or the way back from it, failed.
        self._give_back(order)
        try:
            self._burial.bury(ctx, order, error)
        except Exception:
            LOG.exception("instance %s could not be buried; stalled builds will find it", order.instance_uuid)

    def _fail_placed(self, ctx: Context, placed: Placed, error: BaseException) -> None:
        """The server stands in its cell but cannot be built: error, fault, and nothing held."""
        uuid = placed.order.instance_uuid
        attempt("build request of instance", uuid, self._cells.api.build_requests.delete)
        try:
            if fail_waiting(ctx, placed.cell, self._placement, uuid, error):
                tasks = self._notifications.compute_tasks
                tasks.build_failed(ctx, uuid, placed.order.request_spec, VMState.ERROR, error)
        except Exception:
            LOG.exception("instance %s could not be set to error; stalled builds will find it", uuid)

    def _remove_deleted(self, order: Order, cell: CellStores, instance: objects.Instance) -> None:
        uuid = order.instance_uuid
        attempt("the mapping of instance", uuid, self._cells.api.instance_mappings.set_queued_for_delete)
        self._give_back(order)
        for bdm in cell.bdms.list(uuid):
            cell.bdms.destroy(bdm)
        _destroy(cell, instance)

    def _give_back(self, order: Order) -> None:
        attempt("allocations of instance", order.instance_uuid, self._placement.delete_allocations)


def _destroy(cell: CellStores, instance: objects.Instance) -> None:
    """Remove the row of a server that is not to be built here; fine when it is gone."""
    try:
        cell.instances.destroy(instance)
    except InstanceNotFound:
        LOG.debug("instance %s is gone already", instance.uuid)
    except Conflict:  # another delivery of the same message went on with it
        LOG.warning("instance %s has a host already and stays", instance.uuid)


def cast_build(
    compute: ComputeClient,
    ctx: Context,
    instance: objects.Instance,
    request_spec: objects.RequestSpec,
    given: GuestInput,
    *,
    bdms: objects.BlockDeviceMappingList,
    properties: Mapping[str, Any],
    selection: objects.Selection,
    alternates: Sequence[objects.Selection],
) -> None:
    """Send the build to the selected host. Contract: ComputeAPI.build_and_run_instance."""
    groups = request_spec.security_groups if request_spec.obj_attr_is_set("security_groups") else None
    compute.build_and_run_instance(
        ctx,
        host=selection.service_host,
        instance=instance,
        image=given.image,
        request_spec=request_spec,
        filter_properties=dict(properties),
        accel_uuids=[],
        admin_password=given.admin_password,
        injected_files=list(given.injected_files or ()),
        requested_networks=given.requested_networks,
        security_groups=[_identifier(group) for group in groups or ()],
        block_device_mapping=bdms,
        node=selection.nodename,
        limits=selection.limits,
        host_list=list(alternates),
    )


def _identifier(group: objects.SecurityGroup) -> str:
    """How Neutron knows the group: by uuid, else by name."""
    return str(group.uuid if group.obj_attr_is_set("uuid") and group.uuid else group.name)
