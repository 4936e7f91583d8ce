"""Delete works in every state and always wins.

    still a build request        the request is removed; the conductor finds it gone and stops
    on a host that is up         the row moves to `deleting`, the host is told
    on no host, or host is down  everything the server holds is given back from here, then its row

Each way may be walked twice: what is gone already is not an error in the middle of a delete.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from openkeel import objects
from openkeel.clients.neutron.interface import Neutron
from openkeel.clients.placement.interface import Placement
from openkeel.common.clock import Clock
from openkeel.common.context import Context, admin_context
from openkeel.db.cells import CellDirectory, CellStores
from openkeel.domain.errors import Conflict, InstanceNotFound, KeelError, NotFound, Unavailable
from openkeel.domain.lifecycle import LIFECYCLE, Action, Rule, Step
from openkeel.domain.liveness import is_up
from openkeel.domain.states import VMState
from openkeel.notifications.notifier import Notifications
from openkeel.services import guards
from openkeel.services.lookup import FOR_COMPUTES, Located, ServerLookup
from openkeel.services.power import ComputeOf

LOG = logging.getLogger(__name__)

COMPUTE_BINARY: Final = "nova-compute"


@dataclass(frozen=True, slots=True)
class DeleteSettings:
    """Contract: option service_down_time."""

    service_down_time_s: int = 60


class DeleteService:
    """Ends servers."""

    def __init__(
        self,
        cells: CellDirectory,
        lookup: ServerLookup,
        compute_of: ComputeOf,
        neutron: Neutron,
        placement: Placement,
        clock: Clock,
        settings: DeleteSettings = DeleteSettings(),
        notifications: Notifications | None = None,
    ) -> None:
        self._notifications = notifications or Notifications()
        self._cells = cells
        self._lookup = lookup
        self._compute_of = compute_of
        self._neutron = neutron
        self._placement = placement
        self._clock = clock
        self._settings = settings

    def delete(self, ctx: Context, server: Located, action: Action = Action.DELETE) -> None:
        """Begin the end of the server; it is gone for its owner when its row is.

        Raises: InstanceIsLocked; InstanceNotFound when it went while we looked; Conflict when what it
        holds cannot be given back; Unavailable when Neutron or Placement is needed and down.
        """
        guards.not_locked(ctx, server.instance)
        if server.cell is None:
            if self._cancel_build(server.uuid):
                return
            # The conductor was faster: by now the server is in a cell.
            server = self._lookup.get(ctx, server.uuid)
            if server.cell is None:
                raise InstanceNotFound(instance_id=server.uuid)
        self._delete_in_cell(ctx, server.cell, server.instance, LIFECYCLE[action])

    def _cancel_build(self, uuid: str) -> bool:
        """Whether the build request was still there to be removed."""
        try:
            self._cells.api.build_requests.delete(uuid)
        except NotFound:
            return False
        self._cells.api.instance_mappings.set_queued_for_delete(uuid)
        LOG.info("build of instance %s was cancelled", uuid)
        return True

    def _delete_in_cell(self, ctx: Context, cell: CellStores, instance: objects.Instance, rule: Rule) -> None:
        uuid = instance.uuid
        cell.instances.move(instance, rule, Step.BEGIN)
        self._cells.api.instance_mappings.set_queued_for_delete(uuid)
        cell.actions.start(ctx, uuid, rule.name)
        if not self._host_is_up(cell, instance.host):
            self._delete_here(ctx, cell, instance, rule)
            return
        try:
            bdms = cell.bdms.list(uuid)
            self._compute_of(cell).terminate_instance(ctx, instance=instance, bdms=bdms)
        except Unavailable:
            # The user may try again, and a restarted host finishes what it finds in `deleting`.
            LOG.warning("host %s was not told to delete instance %s", instance.host, uuid)
            raise

    def _host_is_up(self, cell: CellStores, host: str | None) -> bool:
        service = cell.services.find(host, COMPUTE_BINARY) if host else None
        return service is not None and is_up(
            service.last_seen_up,
            service.updated_at,
            service.created_at,
            forced_down=bool(service.forced_down),
            now=self._clock.now(),
            down_time_s=self._settings.service_down_time_s,
        )

    # Local delete

    def _delete_here(self, ctx: Context, cell: CellStores, instance: objects.Instance, rule: Rule) -> None:
        """Give back what the server holds and end its row.

        A guest on a host that comes back later is removed there: it belongs to no server any more.
        """
        uuid = instance.uuid
        LOG.info("instance %s is deleted here: host %s is not up", uuid, instance.host)
        told = self._notifications.servers(cell)
        told.started(ctx, instance, Action.DELETE)
        self._give_back(instance)
        for bdm in cell.bdms.list(uuid):
            _quietly(cell.bdms.destroy, bdm)
        # At once: a delete that is cut off before is asked for again, one after is complete.
        last = {"vm_state": VMState.DELETED, "task_state": None, "terminated_at": self._clock.now()}
        try:
            cell.instances.destroy(instance, last=last)
        except InstanceNotFound:
            return
        except Conflict:
            # A build took it to a host meanwhile, which will end it.
            self._delete_in_cell(ctx, cell, cell.instances.get(uuid, FOR_COMPUTES), rule)
            return
        cell.actions.finish(ctx, uuid)
        told.ended(ctx, instance, Action.DELETE)

    def _give_back(self, instance: objects.Instance) -> None:
        cached = instance.info_cache.network_info if instance.info_cache else None
        theirs = [vif["id"] for vif in cached or () if vif.get("preserve_on_delete")]
        self._neutron.release_ports(admin_context(), instance.uuid, keep=theirs)
        try:
            self._placement.delete_allocations(instance.uuid)
        except KeelError as error:
            raise Conflict(f"The allocations of instance {instance.uuid} could not be removed.") from error


def _quietly(function: Callable[..., object], item: object) -> None:
    """Somebody else did it already: fine."""
    try:
        function(item)
    except NotFound:
        LOG.debug("%r was gone already", item)
