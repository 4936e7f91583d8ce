"""Building servers (contract: async-processing 4.1).

The message is answered at once: admission takes the server for this host by one compare-and-swap,
which a second delivery of the same message loses, and puts the build into the queue. From then on
the row names this host, so whatever kills the daemon, recovery finds the server.

A build registers the undo of each step before the step. Its ways out:

    active         everything stands
    rescheduled    this host or something passing failed: all undone, the next host gets it
    aborted        no host can mend it, or none is left: all undone, error with a fault
    overtaken      the server is gone or being deleted: all undone, nothing recorded
"""

import logging
import threading
import traceback
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any, Final

from openkeel import objects
from openkeel.clients.neutron.types import NicRequests
from openkeel.common.context import Context, admin_context
from openkeel.common.periodic import Periodic, off_at_zero
from openkeel.common.undo import Undo
from openkeel.compute.devices import name_devices
from openkeel.compute.group_policy import GroupPolicy
from openkeel.compute.guest_spec import guest_spec, image_given
from openkeel.compute.host import Host
from openkeel.compute.network import access_addresses, note_user_ports
from openkeel.compute.operation import EXPECTED_ATTRS, SUPERSEDED, cast
from openkeel.compute.rollback import undo_build
from openkeel.compute.waiters import Plugging
from openkeel.domain.errors import (
    BuildAborted,
    ComputeResourcesUnavailable,
    Conflict,
    Forbidden,
    InstanceDeleting,
    InstanceNotFound,
    Internal,
    Invalid,
    KeelError,
    MaxRetriesExceeded,
    NoMoreFixedIps,
    NotFound,
    OverQuota,
    PortBindingFailed,
    RescheduledError,
    StateConflict,
    Timeout,
    VirtualInterfaceCreateFailed,
)
from openkeel.domain.lifecycle import LIFECYCLE, Action, Step
from openkeel.domain.states import TaskState, VMState
from openkeel.objects.network_info import NetworkInfo
from openkeel.rpc.patience import LOST
from openkeel.virt.driver import GuestRejected, HostFailure

LOG = logging.getLogger(__name__)

# Compat: the name clients see in the server's action log.
EVENT: Final = "compute__do_build_and_run_instance"

RULE: Final = LIFECYCLE[Action.CREATE]
_AWAITED: Final = (TaskState.SCHEDULING, None)

# What another host cannot mend: the request itself is at fault. Everything else is tried elsewhere.
_FATAL: Final = (
    BuildAborted,
    GuestRejected,
    VirtualInterfaceCreateFailed,
    NoMoreFixedIps,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    OverQuota,
)
_ELSEWHERE: Final = (PortBindingFailed, ComputeResourcesUnavailable)


@dataclass(frozen=True, slots=True)
class Order:
    """A build as the message asked for it."""

    ctx: Context
    instance: objects.Instance
    image: Mapping[str, Any]
    request_spec: objects.RequestSpec
    filter_properties: Mapping[str, Any]
    admin_password: str | None
    injected_files: Sequence[Any]
    requested_networks: objects.NetworkRequestList | None
    security_groups: Sequence[str]
    bdms: Sequence[objects.BlockDeviceMapping]
    host_list: Sequence[objects.Selection] | None

    @property
    def uuid(self) -> str:
        """The server's."""
        return str(self.instance.uuid)

    @property
    def group_uuid(self) -> str | None:
        """The server group that the request names. Contract: the hint `group`."""
        hints = self.filter_properties.get("scheduler_hints") or {}
        named = hints.get("group")
        if named:
            return str(named if isinstance(named, str) else named[0])
        spec = self.request_spec
        group = spec.instance_group if spec is not None and spec.obj_attr_is_set("instance_group") else None
        return None if group is None else str(group.uuid)


class Boot:
    """Build and run."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._guard = threading.Lock()
        self._under_way: set[str] = set()
        self._group_policy = GroupPolicy(host)

    @cast
    def build_and_run_instance(
        self,
        ctx: Context,
        instance: objects.Instance,
        image: Mapping[str, Any],
        request_spec: objects.RequestSpec,
        filter_properties: Mapping[str, Any],
        accel_uuids: Sequence[str],
        admin_password: str | None = None,
        injected_files: Sequence[Any] | None = None,
        requested_networks: objects.NetworkRequestList | None = None,
        security_groups: Sequence[str] | None = None,
        block_device_mapping: Sequence[objects.BlockDeviceMapping] | None = None,
        node: str | None = None,
        limits: Any = None,  # noqa: ARG002 - Placement's grant is what counts
        host_list: Sequence[objects.Selection] | None = None,
    ) -> None:
        """Take the server for this host and queue its build."""
        if accel_uuids:
            raise Internal("Accelerators are not handed out by this deployment.")
        order = Order(
            ctx=ctx,
            instance=instance,
            image=image or {},
            request_spec=request_spec,
            filter_properties=filter_properties or {},
            admin_password=admin_password,
            injected_files=injected_files or (),
            requested_networks=requested_networks,
            security_groups=security_groups or (),
            bdms=block_device_mapping or (),
            host_list=host_list,
        )
        if node not in {None, self._host.node}:
            LOG.warning("instance %s was sent for node %s, which is not here", order.uuid, node)
        with self._guard:
            if order.uuid in self._under_way:
                LOG.info("instance %s is being built already", order.uuid)
                return
            self._under_way.add(order.uuid)
        try:
            admitted = replace(order, instance=self._admit(order))
            self._host.tasks.build(self.run, admitted)
        except BaseException:
            self._done(order.uuid)
            raise

    def is_under_way(self, instance_uuid: str) -> bool:
        """Whether this daemon builds the server or has it in its queue."""
        with self._guard:
            return instance_uuid in self._under_way

    def periodics(self) -> tuple[Periodic, ...]:
        """Builds that take too long, where the operator set a limit."""
        every = off_at_zero(60 if self._host.settings.build_timeout_s > 0 else 0)
        return (Periodic("check_build_time", self.fail_slow_builds, every_s=every),)

    def fail_slow_builds(self) -> None:
        """Set builds older than instance_build_timeout to error; their own steps then unwind."""
        limit_s = self._host.settings.build_timeout_s
        ctx = admin_context()
        for instance in self._host.stores.instances.list_by_host(self._host.name):
            if instance.vm_state != VMState.BUILDING or instance.created_at is None:
                continue
            age_s = (self._host.clock.now() - instance.created_at).total_seconds()
            if age_s > limit_s and instance.task_state in RULE.running():
                LOG.warning("build of instance %s takes longer than %d s", instance.uuid, limit_s)
                error = BuildAborted(instance_uuid=instance.uuid, reason=f"it took longer than {limit_s} s")
                self._host.operations.fail(ctx, instance, Action.CREATE, error)
                self._host.waiters.cancel(instance.uuid)

    # One build

    def run(self, order: Order) -> None:
        """Build the server in the present thread. Raises nothing: the outcome is on record."""
        try:
            order.ctx.update_store()
            with (
                self._host.locks.hold(order.uuid),
                self._host.operations.event(order.ctx, order.uuid, EVENT),
            ):
                notifier = self._host.operations.notifier
                notifier.started(order.ctx, order.instance, Action.CREATE, order.image)
                self._build_here_or_elsewhere(order)
        except SUPERSEDED as overtaken:
            LOG.info("build of instance %s ended: %s", order.uuid, overtaken)
        except BuildAborted as error:
            LOG.warning("build of instance %s failed: %s", order.uuid, error)
        except Exception:
            LOG.exception("build of instance %s failed", order.uuid)
        finally:
            self._done(order.uuid)

    def _build_here_or_elsewhere(self, order: Order) -> None:
        try:
            try:
                self._build(order)
            except SUPERSEDED:
                raise
            except Exception as error:
                raise _judged(order.uuid, error) from error
        except RescheduledError as error:
            self._count_failure()
            self._reschedule(order, error)
        except BuildAborted as error:
            self._count_failure()
            self._abort(order, error)
            raise

    def _build(self, order: Order) -> None:
        host, ctx, instance = self._host, order.ctx, order.instance
        with Undo("build", order.uuid) as undo, host.waiters.listen(order.uuid) as plugging:
            undo_build(undo, host, ctx, instance)  # allocation, claim, ports, guest: whatever there is
            self._check_still_ours(instance)
            if host.tasks.is_closing:
                raise HostFailure(reason="the compute service is stopping")
            self._claim(instance)
            self._check_group(order)
            ports = host.tasks.side(self._allocate, order, instance)
            # Ports that are still being made cannot be released: wait first (undos run backwards).
            undo.add("pending ports", _settled, ports)
            self._advance(instance, TaskState.BLOCK_DEVICE_MAPPING)
            network_info = ports.result()
            instance.info_cache = objects.InstanceInfoCache(
                instance_uuid=order.uuid, network_info=network_info
            )
            instance.obj_reset_changes(["info_cache"])  # it is stored already
            bdms = order.bdms or host.stores.bdms.list(order.uuid)
            spec = guest_spec(
                instance,
                image_given(order.image),
                network_info,
                bdms,
                name_template=host.settings.instance_name_template,
                force_config_drive=host.settings.force_config_drive,
                admin_password=order.admin_password,
                injected_files=order.injected_files,
            )
            for bdm in name_devices(instance, spec.disks, bdms):
                host.stores.bdms.save(bdm)
            self._advance(instance, TaskState.SPAWNING)
            host.driver.lifecycle.spawn(spec)
            self._await_wires(ctx, instance, network_info, plugging)
            if spec.config_drive:
                instance.config_drive = "True"
            try:
                self._finish(instance, network_info)
            except LOST as error:
                # The server may be active by now: taking its guest away would be worse than waiting
                # for recovery, which finds it complete and settles it.
                LOG.error("the end of the build of instance %s is unknown: %s", order.uuid, error)  # noqa: TRY400
                undo.forget()
                return
        self._announce(ctx, instance)

    # Steps

    def _admit(self, order: Order) -> objects.Instance:
        """Take the server: one compare-and-swap that only one delivery of the message wins."""
        host = self._host
        instance: objects.Instance = host.stores.instances.get(order.uuid, EXPECTED_ATTRS)
        if instance.host not in {None, host.name}:
            raise StateConflict(
                f"Instance {order.uuid} belongs to another host by now.", instance_uuid=order.uuid
            )
        instance.host = instance.launched_on = host.name
        instance.node = host.node
        instance.compute_id = host.tracker.node_id
        instance.task_state = TaskState.NETWORKING
        note_user_ports(instance, NicRequests.from_object(order.requested_networks))
        host.stores.instances.save(instance, expected_vm_state=VMState.BUILDING, expected_task_state=_AWAITED)
        return instance

    def _check_still_ours(self, instance: objects.Instance) -> None:
        """The server may have been deleted, or failed, while it waited for its turn."""
        row = self._host.stores.instances.get(instance.uuid)
        if row.task_state != TaskState.NETWORKING or row.host != self._host.name:
            raise InstanceDeleting(instance_uuid=instance.uuid)

    def _claim(self, instance: objects.Instance) -> None:
        granted = self._host.placement.allocations(instance.uuid).allocations
        resources = granted.get(self._host.tracker.node_uuid)
        if not resources:
            raise ComputeResourcesUnavailable(reason="nothing is allocated on this host")
        self._host.tracker.claim(instance, resources)

    def _check_group(self, order: Order) -> None:
        """Raises: GroupPolicyViolated."""
        group_uuid = order.group_uuid
        if group_uuid is None or not self._host.settings.checks_group_policy:
            return
        with self._guard:
            under_way = set(self._under_way)
        self._group_policy.admit(order.uuid, group_uuid, under_way)

    def _allocate(self, order: Order, instance: objects.Instance) -> NetworkInfo:
        order.ctx.update_store()
        requests = NicRequests.from_object(order.requested_networks)
        return self._host.network.allocate(
            order.ctx,
            instance,
            requests,
            order.security_groups,
            is_wanted=lambda: self._is_wanted(order.uuid),
        )

    def _is_wanted(self, instance_uuid: str) -> bool:
        """Whether a step that failed is worth another try."""
        if self._host.tasks.is_closing:
            return False
        try:
            row = self._host.stores.instances.get(instance_uuid)
        except (InstanceNotFound, *LOST):  # it is gone, or nobody can tell
            return False
        return row.host == self._host.name and row.task_state in RULE.running()

    def _await_wires(
        self, ctx: Context, instance: objects.Instance, network_info: NetworkInfo, plugging: Plugging
    ) -> None:
        """Wait for the ports that were not active when the guest started."""
        settings = self._host.settings
        waited_for = [vif["id"] for vif in network_info if not vif.get("active")]
        if not waited_for or not settings.vif_plugging_timeout_s:
            return
        try:
            plugging.wait(
                waited_for,
                settings.vif_plugging_timeout_s,
                lambda: self._host.network.active_ports(ctx, instance.uuid),
            )
        except (Timeout, VirtualInterfaceCreateFailed) as error:
            if settings.vif_plugging_is_fatal:
                raise VirtualInterfaceCreateFailed(**error.facts) from error
            LOG.warning("instance %s goes on without all its wires: %s", instance.uuid, error)

    def _advance(self, instance: objects.Instance, task: TaskState) -> None:
        """The next task state of the build. Raises: InstanceDeleting, InstanceNotFound, StateConflict."""
        before = instance.task_state
        instance.task_state = task
        self._host.stores.instances.save(
            instance, expected_vm_state=VMState.BUILDING, expected_task_state=before
        )

    def _finish(self, instance: objects.Instance, network_info: NetworkInfo) -> None:
        host = self._host
        reached_by = host.settings.access_network
        if reached_by and not (instance.access_ip_v4 or instance.access_ip_v6):
            for field, address in access_addresses(network_info, reached_by).items():
                setattr(instance, field, address)
        instance.power_state = host.power_of(instance)
        instance.launched_at = host.clock.now()
        host.stores.instances.move(instance, RULE, Step.DONE)
        LOG.info("instance %s is active", instance.uuid)

    def _announce(self, ctx: Context, instance: objects.Instance) -> None:
        """The server is active, whatever comes of this."""
        try:
            self._host.tracker.build_succeeded()
            self._host.tracker.note_states(instance)
            tell_scheduler(self._host, ctx, instance)
            self._host.operations.notifier.ended(ctx, instance, Action.CREATE)
        except Exception:
            LOG.exception("not everybody knows that instance %s is active", instance.uuid)

    # Ways out

    def _reschedule(self, order: Order, error: RescheduledError) -> None:
        """Everything here is undone: let the next host try."""
        retry = dict(order.filter_properties.get("retry") or {})
        if not retry:
            aborted = BuildAborted(instance_uuid=order.uuid, reason=error.facts.get("reason", str(error)))
            self._abort(order, aborted, because=error)
            raise aborted from error
        if order.host_list is not None and not order.host_list:
            exhausted = MaxRetriesExceeded(
                reason=f"No host is left to try. The last one failed: {error.facts.get('reason', error)}"
            )
            self._abort(order, exhausted, because=error)
            raise BuildAborted(instance_uuid=order.uuid, reason=str(exhausted)) from error
        retry["exc_reason"] = str(error)
        retry["exc"] = traceback.format_exception(error)
        LOG.warning("instance %s goes to another host: %s", order.uuid, error)
        instance = order.instance
        instance.host = instance.node = instance.compute_id = None
        self._host.operations.notifier.failed(order.ctx, instance, Action.CREATE, error)
        instance.task_state = TaskState.SCHEDULING
        try:
            self._host.stores.instances.save(
                instance,
                expected_vm_state=VMState.BUILDING,
                expected_task_state=tuple(sorted(RULE.running())),
            )
            self._host.conductor.build_instances(
                order.ctx,
                instances=[instance],
                image=order.image,
                filter_properties={**order.filter_properties, "retry": retry},
                admin_password=order.admin_password,
                injected_files=list(order.injected_files),
                requested_networks=order.requested_networks,
                security_groups=list(order.security_groups),
                request_spec=order.request_spec,
                host_lists=None if order.host_list is None else [list(order.host_list)],
            )
        except SUPERSEDED:
            raise
        except Exception as failure:
            aborted = BuildAborted(
                instance_uuid=order.uuid, reason=f"no other host could be asked: {failure}"
            )
            self._abort(order, aborted, because=failure)
            raise aborted from failure

    def _abort(self, order: Order, error: KeelError, because: Exception | None = None) -> None:
        """Everything here is undone: show the owner why. The row names no host any more."""
        error.__cause__ = error.__cause__ or because
        instance = order.instance
        instance.host = instance.node = instance.compute_id = None
        self._host.operations.fail(order.ctx, instance, Action.CREATE, error)

    def _count_failure(self) -> None:
        if self._host.settings.counts_failed_builds:
            self._host.tracker.build_failed()
            self._host.tracker.publish()

    def _done(self, instance_uuid: str) -> None:
        with self._guard:
            self._under_way.discard(instance_uuid)
        self._group_policy.forget(instance_uuid)


def tell_scheduler(host: Host, ctx: Context, instance: objects.Instance) -> None:
    """The schedulers' view of this host follows; they learn it from the sync as well."""
    if not host.settings.tracks_scheduler:
        return
    try:
        host.scheduler.update_instance_info(
            ctx, host_name=host.name, instance_info=objects.InstanceList(objects=[instance])
        )
    except KeelError as error:
        LOG.warning("schedulers were not told of instance %s: %s", instance.uuid, error)


def _settled(future: "Future[Any]") -> None:
    """Wait until the future is done, however it ends."""
    if not future.cancel():
        future.exception()


def _judged(instance_uuid: str, error: Exception) -> KeelError:
    """What the failure of a step means for the build."""
    if isinstance(error, InstanceNotFound | InstanceDeleting):
        return error
    is_fatal = isinstance(error, _FATAL) and not isinstance(error, _ELSEWHERE)
    kind = BuildAborted if is_fatal else RescheduledError
    # The text of an error we do not know may say too much; it is in the fault's details.
    reason = str(error) if isinstance(error, KeelError) else type(error).__name__
    return kind(instance_uuid=instance_uuid, reason=reason)
