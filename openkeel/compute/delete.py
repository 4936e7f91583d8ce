"""Removing servers: works in every state, repeated, and while the server is being built.

A delete does not wait for a build to end by itself: it wakes whoever waits for events and takes the
guest away, so the build fails at once, unwinds and lets go of the server's lock.

Order of the steps: the guest first, since nothing may be given to others that it still uses; the
row last, since it is what finds a delete that was cut off.
"""

import logging
from typing import Final

from openkeel import objects
from openkeel.common.context import Context
from openkeel.common.periodic import Periodic
from openkeel.compute.boot import Boot
from openkeel.compute.host import Host
from openkeel.compute.operation import cast
from openkeel.compute.records import project_of
from openkeel.domain.errors import InstanceNotFound, KeelError, NotFound
from openkeel.domain.lifecycle import Action
from openkeel.domain.states import PowerState, TaskState, VMState
from openkeel.rpc.patience import Patience

LOG = logging.getLogger(__name__)

_ATTEMPTS: Final = "clean_attempts"  # Compat: where Nova counts them, in the system metadata


class Delete:
    """Terminate."""

    def __init__(self, host: Host, boot: Boot) -> None:
        self._host = host
        self._boot = boot

    @cast
    def terminate_instance(
        self,
        ctx: Context,
        instance: objects.Instance,
        bdms: objects.BlockDeviceMappingList,  # noqa: ARG002 - read anew, the message may be old
    ) -> None:
        """Remove the server and everything that belongs to it."""
        self.remove(ctx, instance.uuid, project_of(instance))

    def periodics(self) -> tuple[Periodic, ...]:
        """What deleted servers left behind. Deletes that were cut off are finished by recovery."""
        every = self._host.settings.intervals.delete_again_s
        return (Periodic("pending_deletes", self.sweep_deleted, every_s=every),)

    def remove(self, ctx: Context, instance_uuid: str, project_id: str) -> None:
        """Remove the server; quiet when it is gone.

        Raises: what a step raised, after the server was set to error with a fault.
        """
        try:
            self._interrupt_build(instance_uuid)
            with self._host.operations(
                ctx,
                instance_uuid,
                Action.DELETE,
                event="compute_terminate_instance",
                begin=True,
                ends_itself=True,
            ) as instance:
                # All steps may run twice, so who does not answer for a moment is asked again.
                patience = Patience(sleep=self._host.clock.sleep)
                notifier = self._host.operations.notifier
                notifier.shutting_down(ctx, instance)
                patience.outlast(lambda: self._shut_down(ctx, instance))
                notifier.shut_down(ctx, instance)
                patience.outlast(lambda: self._remove(ctx, instance))
        except InstanceNotFound:
            # Deleted without us while we were thought to be down: the guest may still be here.
            LOG.info("instance %s is gone already", instance_uuid)
            self._host.driver.lifecycle.destroy(instance_uuid, project_id)
            self._host.tracker.release(instance_uuid)

    def sweep_deleted(self) -> None:
        """Take guests and what belongs to them from under deleted servers until it worked once.

        A delete removes the guest, and what its platform does not remove at once it forgets; who was
        deleted while this host was down has all of it here still. Contract: Instance.cleaned, by which
        Nova's computes know the servers whose files are gone.
        """
        host, most = self._host, self._host.settings.delete_attempts
        wanted = {"deleted": True, "soft_deleted": False, "host": host.name, "cleaned": False}
        for row in host.stores.instances.list_by_filters(wanted, ["system_metadata"]):
            attempts = int(row.system_metadata.get(_ATTEMPTS, 0))
            if attempts >= most:
                continue
            row.system_metadata = {**row.system_metadata, _ATTEMPTS: str(attempts + 1)}
            try:
                with host.locks.hold(row.uuid):
                    host.driver.lifecycle.destroy(row.uuid, project_of(row))
            except Exception as error:  # noqa: BLE001 - one must not keep the others from it; it is counted
                LOG.warning(
                    "deleted instance %s left something (%d of %d): %r", row.uuid, attempts + 1, most, error
                )
            else:
                row.cleaned = True
            try:
                host.stores.instances.save(row)
            except InstanceNotFound:
                LOG.debug("deleted instance %s was archived meanwhile", row.uuid)

    def _interrupt_build(self, instance_uuid: str) -> None:
        if not self._boot.is_under_way(instance_uuid):
            return
        row = self._host.stores.instances.get(instance_uuid)
        if row.task_state != TaskState.DELETING:
            return
        self._host.waiters.cancel(instance_uuid)
        try:
            self._host.driver.lifecycle.destroy(instance_uuid, project_of(row))
        except KeelError as error:  # the delete proper does it again and reports
            LOG.info("build of instance %s could not be interrupted: %s", instance_uuid, error)

    def _shut_down(self, ctx: Context, instance: objects.Instance) -> None:
        host = self._host
        host.driver.lifecycle.destroy(instance.uuid, project_of(instance))
        host.network.release(ctx, instance)

    def _remove(self, ctx: Context, instance: objects.Instance) -> None:
        host = self._host
        host.tracker.release(instance.uuid)
        host.placement.delete_allocations(instance.uuid)
        for bdm in host.stores.bdms.list(instance.uuid):
            try:
                host.stores.bdms.destroy(bdm)
            except NotFound:
                LOG.debug("a disk record of instance %s was gone", instance.uuid)
        instance.vm_state = VMState.DELETED
        instance.task_state = None
        instance.power_state = PowerState.NOSTATE
        instance.terminated_at = host.clock.now()
        # Deleting is the one task that nothing overtakes, hence no condition but that.
        host.stores.instances.save(instance, expected_task_state=(TaskState.DELETING, None))
        host.stores.instances.destroy(instance)
        LOG.info("instance %s is deleted", instance.uuid)
        self._tell_schedulers(ctx, instance.uuid)

    def _tell_schedulers(self, ctx: Context, instance_uuid: str) -> None:
        if not self._host.settings.tracks_scheduler:
            return
        try:
            self._host.scheduler.delete_instance_info(
                ctx, host_name=self._host.name, instance_uuid=instance_uuid
            )
        except KeelError as error:
            LOG.warning("schedulers were not told of deleted instance %s: %s", instance_uuid, error)
