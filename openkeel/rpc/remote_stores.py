"""The stores of a cell for those who have no database: computes. Nova's remotable wire to a conductor.

Every method is one `object_action` or `object_class_action_versions` with Nova's own method and
argument names (contract: objects.json, remotable_methods), so it does not matter whose conductor
answers. The contract suite in tests/contract/stores runs on these and on the SQL stores alike.

A conductor may be restarted at any time, so what got no answer is asked again (`rpc.patience`).
Questions, and writes of values, may be done twice. A compare-and-swap that was done fails the second
time: then the row shows whether it was ours. What is made gets its uuid here, so that a second one
cannot come to be; what has none (faults, events of the action log) is looked for before it is made again.
"""

import traceback
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from openkeel import objects
from openkeel.common.context import Context, admin_context
from openkeel.domain.errors import InvalidState, NotFound
from openkeel.domain.lifecycle import Keep, Rule, Step
from openkeel.objects.base import NovaObject, version_manifest
from openkeel.objects.stores import ANY, utc_naive
from openkeel.rpc.conductor import ConductorClient
from openkeel.rpc.patience import ONCE, Patience

# Given the failure of a repetition: whether the first time had worked.
Settled = Callable[[Exception], bool | None]
# Asked before a repetition: whether the first time had worked.
Made = Callable[[], bool | None]


class _Wire:
    """Runs remotable methods as somebody: the context given, else the daemon's own."""

    def __init__(self, client: ConductorClient, context: Callable[[], Context], patience: Patience) -> None:
        self._client = client
        self._context = context
        self._patience = patience

    def ask(self, kind: str, method: str, *, ctx: Context | None = None, **arguments: Any) -> Any:
        """A class method of an object that may be run twice."""

        def call() -> Any:
            return self._client.object_class_action_versions(
                ctx or self._context(), kind, method, version_manifest(kind), (), arguments
            )

        return self._patience.outlast(call)

    def log(self, kind: str, method: str, *, ctx: Context, made: Made, **arguments: Any) -> None:
        """A class method that leaves a row each time it runs; nobody wants its result."""

        def call() -> bool:
            self._client.object_class_action_versions(
                ctx, kind, method, version_manifest(kind), (), {**arguments, "want_result": False}
            )
            return True

        self._patience.outlast(call, made=made)

    def tell(
        self,
        item: Any,
        method: str,
        *,
        settled: Settled | None = None,
        made: Made | None = None,
        **arguments: Any,
    ) -> None:
        """A method of this very object; afterwards it looks as the conductor left it."""

        def call() -> bool:
            updates, _ = self._client.object_action(self._context(), item, method, (), arguments)
            _apply(item, updates)
            return True

        self._patience.outlast(call, settled=settled, made=made)

    def create(self, item: Any, find: Callable[[], Any | None]) -> None:
        """Make the row of an object that nobody else makes; `find` finds it by what is unique about it."""

        def settled(_error: Exception) -> bool | None:
            row = find()
            if row is None:
                return None
            _take(item, row)
            return True

        self.tell(item, "create", settled=settled)

    def destroy(self, item: Any) -> None:
        """End the row of an object."""

        def settled(error: Exception) -> bool | None:
            if not isinstance(error, NotFound):
                return None
            if "deleted" in item.fields:
                item.deleted = True
                item.obj_reset_changes(["deleted"])
            return True

        self.tell(item, "destroy", settled=settled)


def _apply(item: Any, updates: Mapping[str, Any]) -> None:
    for name, value in updates.items():
        if name in item.fields:
            known = (
                value
                if isinstance(value, NovaObject)
                else item.fields[name].from_primitive(item, name, value)
            )
            setattr(item, name, known)
    item.obj_reset_changes()
    for name in updates.get("obj_what_changed", ()):
        item._changed_fields.add(name)  # noqa: SLF001 - oslo offers no other way


def _take(item: Any, row: Any) -> None:
    """Make an object look as its row does."""
    for name in row.fields:
        if row.obj_attr_is_set(name) and name in item.fields:
            setattr(item, f"_obj_{name}", getattr(row, name))
    item.obj_reset_changes()


def _name(item: Any) -> str:
    """The uuid of an object that is to be made: one is given to it if it has none."""
    if not item.obj_attr_is_set("uuid"):
        item.uuid = str(uuid.uuid4())
    return str(item.uuid)


def _accepted(states: Any) -> list[Any]:
    """Expected states as the wire has them: always a list, in which None means none."""
    if isinstance(states, list | tuple | set | frozenset):
        return [None if state is None else str(state) for state in states]
    return [None if states is None else str(states)]


class _Store:
    def __init__(self, wire: _Wire) -> None:
        self._wire = wire


class _Rows(_Store, ABC):
    """What most nouns have: objects that are created, saved and destroyed."""

    def create(self, item: Any) -> None:
        self._wire.create(item, lambda: self._made(item))

    def save(self, item: Any) -> None:
        self._wire.tell(item, "save")

    def destroy(self, item: Any) -> None:
        self._wire.destroy(item)

    @abstractmethod
    def _made(self, item: Any) -> Any | None:
        """The row of an object that may have been made."""


# What shows whose compare-and-swap it was.
_TELLING: Final = frozenset({"host", "node", "vm_state", "task_state"})


class RemoteInstances(_Store):
    """Contract: Instance, InstanceList."""

    def get(self, uuid: str, expected_attrs: Sequence[str] = ()) -> Any:
        return self._wire.ask("Instance", "get_by_uuid", uuid=uuid, expected_attrs=list(expected_attrs))

    def refresh(self, instance: Any) -> None:
        """Read again all that is loaded. Raises: InstanceNotFound."""
        self._wire.tell(instance, "refresh")

    def list_by_host(self, host: str, expected_attrs: Sequence[str] = (), *, node: str | None = None) -> Any:
        """Servers on a host, or on one node of it."""
        attrs = list(expected_attrs)
        if node is not None:
            return self._wire.ask(
                "InstanceList", "get_by_host_and_node", host=host, node=node, expected_attrs=attrs
            )
        return self._wire.ask("InstanceList", "get_by_host", host=host, expected_attrs=attrs)

    def list_by_filters(
        self,
        filters: Mapping[str, Any],
        expected_attrs: Sequence[str] = (),
        *,
        sort_keys: Sequence[str] = ("created_at",),
        sort_dirs: Sequence[str] = ("desc",),
        limit: int | None = None,
        marker: str | None = None,
    ) -> Any:
        return self._wire.ask(
            "InstanceList",
            "get_by_filters",
            filters=dict(filters),
            expected_attrs=list(expected_attrs),
            sort_keys=list(sort_keys),
            sort_dirs=list(sort_dirs),
            limit=limit,
            marker=marker,
        )

    def list_active_by_window(
        self,
        begin: datetime,
        end: datetime | None = None,
        *,
        host: str | None = None,
        expected_attrs: Sequence[str] = (),
    ) -> Any:
        return self._wire.ask(
            "InstanceList",
            "_get_active_by_window_joined",
            begin=begin.isoformat(),
            end=None if end is None else end.isoformat(),
            host=host,
            expected_attrs=list(expected_attrs),
        )

    def list_hung_in_rebooting(self, window_s: int, expected_attrs: Sequence[str] = ()) -> Any:
        """Servers that have been rebooting for longer than the window."""
        return self._wire.ask(
            "InstanceList",
            "get_hung_in_rebooting",
            reboot_window=window_s,
            expected_attrs=list(expected_attrs),
        )

    def uuids_by_host(self, host: str, *, node: str | None = None) -> Sequence[str]:
        if node is not None:
            uuids = self._wire.ask("InstanceList", "get_uuids_by_host_and_node", host=host, node=node)
        else:
            uuids = self._wire.ask("InstanceList", "get_uuids_by_host", host=host)
        return list(uuids)

    def create(self, instance: Any) -> None:
        name = _name(instance)
        self._wire.create(instance, lambda: _or_none(lambda: self.get(name)))

    def save(
        self,
        instance: Any,
        *,
        expected_vm_state: Any = ANY,
        expected_task_state: Any = ANY,
    ) -> None:
        changed = set(instance.obj_what_changed())

        def settled(error: Exception) -> bool | None:
            if not isinstance(error, InvalidState):
                return None
            row = self.get(instance.uuid)
            if any(getattr(row, name) != getattr(instance, name) for name in _TELLING & changed):
                return None
            instance.obj_reset_changes(changed)
            return True

        expected: dict[str, Any] = {}
        if expected_vm_state is not ANY:
            expected["expected_vm_state"] = _accepted(expected_vm_state)
        if expected_task_state is not ANY:
            expected["expected_task_state"] = _accepted(expected_task_state)
        swaps = bool(_TELLING & changed)  # else there is nothing to tell by who wrote it
        self._wire.tell(instance, "save", settled=settled if swaps else None, **expected)

    def move(self, instance: Any, rule: Rule, step: Step) -> None:
        vm_states, task_states = rule.expects(step)
        vm_state, task_state = rule.leads_to(step)
        before = (instance.vm_state, instance.task_state)
        if not isinstance(vm_state, Keep):
            instance.vm_state = vm_state
        instance.task_state = task_state
        try:
            self.save(
                instance,
                expected_vm_state=ANY if vm_states is None else vm_states,
                expected_task_state=ANY if task_states is None else task_states,
            )
        except Exception:
            instance.vm_state, instance.task_state = before
            instance.obj_reset_changes(["vm_state", "task_state"])
            raise

    def destroy(self, instance: Any) -> None:
        self._wire.destroy(instance)


class RemoteInfoCaches(_Store):
    """Contract: InstanceInfoCache."""

    def get(self, instance_uuid: str) -> Any:
        return self._wire.ask("InstanceInfoCache", "get_by_instance_uuid", instance_uuid=instance_uuid)

    def save(self, cache: Any) -> None:
        self._wire.tell(cache, "save")


class RemoteBlockDevices(_Rows):
    """Contract: BlockDeviceMapping, BlockDeviceMappingList."""

    def list(self, instance_uuid: str) -> Any:
        return self._wire.ask("BlockDeviceMappingList", "get_by_instance_uuid", instance_uuid=instance_uuid)

    def create(self, item: Any) -> None:
        _name(item)
        super().create(item)

    def update_or_create(self, bdm: Any) -> None:
        """Save it, or create it where the server has none of this device or source."""
        _name(bdm)
        self._wire.tell(bdm, "update_or_create", settled=lambda _error: self._was_made(bdm))

    def _was_made(self, bdm: Any) -> bool | None:
        row = self._made(bdm)
        if row is None:
            return None
        _take(bdm, row)
        return True

    def _made(self, item: Any) -> Any | None:
        return next((bdm for bdm in self.list(item.instance_uuid) if bdm.uuid == item.uuid), None)


class RemoteActions(_Store):
    """Contract: InstanceAction, InstanceActionEvent."""

    def start(self, ctx: Context, instance_uuid: str, action: str) -> Any:
        self._wire.log(
            "InstanceAction",
            "action_start",
            ctx=ctx,
            made=lambda: self._find(ctx, instance_uuid) is not None or None,
            instance_uuid=instance_uuid,
            action_name=action,
        )
        return self._find(ctx, instance_uuid)

    def _find(self, ctx: Context, instance_uuid: str) -> Any | None:
        return self._wire.ask(
            "InstanceAction",
            "get_by_request_id",
            ctx=ctx,
            instance_uuid=instance_uuid,
            request_id=ctx.request_id,
        )

    def finish(self, ctx: Context, instance_uuid: str) -> None:
        self._wire.ask(
            "InstanceAction", "action_finish", ctx=ctx, instance_uuid=instance_uuid, want_result=False
        )

    def event_start(self, ctx: Context, instance_uuid: str, event: str, host: str | None) -> None:
        def made() -> bool | None:
            action = self._find(ctx, instance_uuid)
            if action is None:
                return True  # then there is nothing to write
            steps = self._wire.ask("InstanceActionEventList", "get_by_action", ctx=ctx, action_id=action.id)
            is_there = any(
                step.event == event and step.host == host and step.finish_time is None for step in steps
            )
            return is_there or None

        self._wire.log(
            "InstanceActionEvent",
            "event_start",
            ctx=ctx,
            made=made,
            instance_uuid=instance_uuid,
            event_name=event,
            host=host,
        )

    def event_finish(
        self,
        ctx: Context,
        instance_uuid: str,
        event: str,
        *,
        error: BaseException | None = None,
    ) -> None:
        failure: dict[str, Any] = {}
        if error is not None:
            failure = {"exc_val": str(error), "exc_tb": "".join(traceback.format_exception(error))}
        self._wire.ask(
            "InstanceActionEvent",
            "event_finish_with_failure" if failure else "event_finish",
            ctx=ctx,
            instance_uuid=instance_uuid,
            event_name=event,
            want_result=False,
            **failure,
        )


class RemoteFaults(_Store):
    """Contract: InstanceFault."""

    def create(self, fault: Any) -> None:
        def made() -> bool | None:
            row = self._wire.ask(
                "InstanceFault", "get_latest_for_instance", instance_uuid=fault.instance_uuid
            )
            if row is None or (row.code, row.message, row.host) != (fault.code, fault.message, fault.host):
                return None
            _take(fault, row)
            return True

        self._wire.tell(fault, "create", made=made)


_PULSE: Final = {"report_count", "last_seen_up"}


class RemoteServices(_Rows):
    """Contract: Service."""

    def __init__(self, wire: _Wire, pulse: _Wire) -> None:
        super().__init__(wire)
        self._pulse = pulse

    def find(self, host: str, binary: str) -> Any | None:
        return _or_none(lambda: self._wire.ask("Service", "get_by_host_and_binary", host=host, binary=binary))

    def save(self, item: Any) -> None:
        # The next pulse is the repetition of this one.
        wire = self._pulse if item.obj_what_changed() <= _PULSE else self._wire
        wire.tell(item, "save")

    def _made(self, item: Any) -> Any | None:
        return self.find(item.host, item.binary)

    def minimum_version(self, binary: str) -> int:
        return int(self._wire.ask("Service", "get_minimum_version", binary=binary) or 0)


class RemoteComputeNodes(_Rows):
    """Contract: ComputeNode, ComputeNodeList."""

    def find(self, host: str, nodename: str) -> Any | None:
        return _or_none(
            lambda: self._wire.ask("ComputeNode", "get_by_host_and_nodename", host=host, nodename=nodename)
        )

    def get_by_uuid(self, uuid: str) -> Any:
        """Raises: NotFound."""
        return self._wire.ask("ComputeNode", "get_by_uuid", compute_uuid=uuid)

    def create(self, item: Any) -> None:
        _name(item)
        super().create(item)

    def _made(self, item: Any) -> Any | None:
        return _or_none(lambda: self.get_by_uuid(item.uuid))

    def list_by_host(self, host: str) -> Any:
        nodes = _or_none(lambda: self._wire.ask("ComputeNodeList", "get_all_by_host", host=host))
        return objects.ComputeNodeList() if nodes is None else nodes


class RemoteMigrations(_Rows):
    """Contract: Migration, MigrationList."""

    def create(self, item: Any) -> None:
        _name(item)
        super().create(item)

    def _made(self, item: Any) -> Any | None:
        return _or_none(lambda: self._wire.ask("Migration", "get_by_uuid", migration_uuid=item.uuid))

    def list_in_progress(self, host: str, node: str) -> Any:
        return self._wire.ask("MigrationList", "get_in_progress_and_error", host=host, node=node)

    def list_by_filters(self, filters: Mapping[str, Any]) -> Any:
        return self._wire.ask("MigrationList", "get_by_filters", filters=dict(filters))


class RemoteVirtualInterfaces(_Rows):
    """Contract: VirtualInterface, VirtualInterfaceList."""

    def _made(self, item: Any) -> Any | None:
        return self._wire.ask("VirtualInterface", "get_by_uuid", vif_uuid=item.uuid)

    def list(self, instance_uuid: str) -> Any:
        return self._wire.ask("VirtualInterfaceList", "get_by_instance_uuid", instance_uuid=instance_uuid)

    def destroy_all(self, instance_uuid: str) -> None:
        """Remove all NICs of a server."""
        self._wire.ask("VirtualInterface", "delete_by_instance_uuid", instance_uuid=instance_uuid)


class RemoteTaskLogs(_Store):
    """Contract: TaskLog. Only one who begins may end, so neither is repeated."""

    def find(self, name: str, begin: datetime, end: datetime, host: str) -> Any | None:
        return self._wire.ask(
            "TaskLog",
            "get",
            task_name=name,
            period_beginning=_text(begin),
            period_ending=_text(end),
            host=host,
        )

    def begin(self, task: Any) -> None:
        self._wire.tell(task, "begin_task")

    def end(self, task: Any) -> None:
        self._wire.tell(task, "end_task")


def _text(moment: datetime) -> str:
    """Compat: how times travel that are arguments."""
    return utc_naive(moment).isoformat(timespec="microseconds")


class RemoteShares(_Store):
    """Contract: ShareMappingList."""

    def list(self, instance_uuid: str) -> Any:
        return self._wire.ask("ShareMappingList", "get_by_instance_uuid", instance_uuid=instance_uuid)


class RemoteServerGroups(_Store):
    """Contract: InstanceGroup."""

    def find_by_instance(self, instance_uuid: str) -> Any | None:
        return _or_none(
            lambda: self._wire.ask("InstanceGroup", "get_by_instance_uuid", instance_uuid=instance_uuid)
        )


def _or_none(ask: Callable[[], Any]) -> Any | None:
    try:
        return ask()
    except NotFound:
        return None


class RemoteStores:
    """The bundle.

    Args:
        context: The context for what the daemon does on its own account.
        patience: With what gets no answer.
    """

    def __init__(
        self,
        client: ConductorClient,
        context: Callable[[], Context] = admin_context,
        patience: Patience | None = None,
    ) -> None:
        wire = _Wire(client, context, patience or Patience())
        self.instances = RemoteInstances(wire)
        self.info_caches = RemoteInfoCaches(wire)
        self.bdms = RemoteBlockDevices(wire)
        self.actions = RemoteActions(wire)
        self.faults = RemoteFaults(wire)
        self.services = RemoteServices(wire, _Wire(client, context, ONCE))
        self.compute_nodes = RemoteComputeNodes(wire)
        self.migrations = RemoteMigrations(wire)
        self.groups = RemoteServerGroups(wire)
        self.shares = RemoteShares(wire)
        self.task_logs = RemoteTaskLogs(_Wire(client, context, ONCE))
        self.vifs = RemoteVirtualInterfaces(wire)
