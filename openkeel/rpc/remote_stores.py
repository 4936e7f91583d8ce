"""The stores of a cell for those who have no database: computes. Nova's remotable wire to a conductor.

Every method is one `object_action` or `object_class_action_versions` with Nova's own method and
argument names (contract: objects.json, remotable_methods), so it does not matter whose conductor
answers. The contract suite in tests/contract/stores runs on these and on the SQL stores alike.
"""

import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from openkeel import objects
from openkeel.common.context import Context, admin_context
from openkeel.domain.errors import NotFound
from openkeel.domain.lifecycle import Keep, Rule, Step
from openkeel.objects.base import NovaObject, version_manifest
from openkeel.objects.stores import ANY
from openkeel.rpc.conductor import ConductorClient


class _Wire:
    """Runs remotable methods as somebody: the context given, else the daemon's own."""

    def __init__(self, client: ConductorClient, context: Callable[[], Context]) -> None:
        self._client = client
        self._context = context

    def ask(self, kind: str, method: str, *, ctx: Context | None = None, **arguments: Any) -> Any:
        """A class method of an object."""
        return self._client.object_class_action_versions(
            ctx or self._context(), kind, method, version_manifest(kind), (), arguments
        )

    def tell(self, item: Any, method: str, *, ctx: Context | None = None, **arguments: Any) -> Any:
        """A method of this very object; afterwards it looks as the conductor left it."""
        updates, result = self._client.object_action(ctx or self._context(), item, method, (), arguments)
        _apply(item, updates)
        return result


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


def _accepted(states: Any) -> list[Any]:
    """Expected states as the wire has them: always a list, in which None means none."""
    if isinstance(states, list | tuple | set | frozenset):
        return [None if state is None else str(state) for state in states]
    return [None if states is None else str(states)]


class _Store:
    def __init__(self, wire: _Wire) -> None:
        self._wire = wire


class _Rows(_Store):
    """What most nouns have: objects that are created, saved and destroyed."""

    def create(self, item: Any) -> None:
        self._wire.tell(item, "create")

    def save(self, item: Any) -> None:
        self._wire.tell(item, "save")

    def destroy(self, item: Any) -> None:
        self._wire.tell(item, "destroy")


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
        self._wire.tell(instance, "create")

    def save(
        self,
        instance: Any,
        *,
        expected_vm_state: Any = ANY,
        expected_task_state: Any = ANY,
    ) -> None:
        expected: dict[str, Any] = {}
        if expected_vm_state is not ANY:
            expected["expected_vm_state"] = _accepted(expected_vm_state)
        if expected_task_state is not ANY:
            expected["expected_task_state"] = _accepted(expected_task_state)
        self._wire.tell(instance, "save", **expected)

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
        self._wire.tell(instance, "destroy")


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

    def update_or_create(self, bdm: Any) -> None:
        """Save it, or create it where the server has none of this device or source."""
        self._wire.tell(bdm, "update_or_create")


class RemoteActions(_Store):
    """Contract: InstanceAction, InstanceActionEvent."""

    def start(self, ctx: Context, instance_uuid: str, action: str) -> Any:
        return self._wire.ask(
            "InstanceAction", "action_start", ctx=ctx, instance_uuid=instance_uuid, action_name=action
        )

    def finish(self, ctx: Context, instance_uuid: str) -> None:
        self._wire.ask(
            "InstanceAction", "action_finish", ctx=ctx, instance_uuid=instance_uuid, want_result=False
        )

    def event_start(self, ctx: Context, instance_uuid: str, event: str, host: str | None) -> None:
        self._wire.ask(
            "InstanceActionEvent",
            "event_start",
            ctx=ctx,
            instance_uuid=instance_uuid,
            event_name=event,
            want_result=False,
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
        self._wire.tell(fault, "create")


class RemoteServices(_Rows):
    """Contract: Service."""

    def find(self, host: str, binary: str) -> Any | None:
        return _or_none(lambda: self._wire.ask("Service", "get_by_host_and_binary", host=host, binary=binary))

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

    def list_by_host(self, host: str) -> Any:
        nodes = _or_none(lambda: self._wire.ask("ComputeNodeList", "get_all_by_host", host=host))
        return objects.ComputeNodeList() if nodes is None else nodes


class RemoteMigrations(_Rows):
    """Contract: Migration, MigrationList."""

    def list_in_progress(self, host: str, node: str) -> Any:
        return self._wire.ask("MigrationList", "get_in_progress_and_error", host=host, node=node)

    def list_by_filters(self, filters: Mapping[str, Any]) -> Any:
        return self._wire.ask("MigrationList", "get_by_filters", filters=dict(filters))


class RemoteVirtualInterfaces(_Rows):
    """Contract: VirtualInterface, VirtualInterfaceList."""

    def list(self, instance_uuid: str) -> Any:
        return self._wire.ask("VirtualInterfaceList", "get_by_instance_uuid", instance_uuid=instance_uuid)

    def destroy_all(self, instance_uuid: str) -> None:
        """Remove all NICs of a server."""
        self._wire.ask("VirtualInterface", "delete_by_instance_uuid", instance_uuid=instance_uuid)


def _or_none(ask: Callable[[], Any]) -> Any | None:
    try:
        return ask()
    except NotFound:
        return None


class RemoteStores:
    """The bundle. `context` gives the context for what the daemon does on its own account."""

    def __init__(self, client: ConductorClient, context: Callable[[], Context] = admin_context) -> None:
        wire = _Wire(client, context)
        self.instances = RemoteInstances(wire)
        self.info_caches = RemoteInfoCaches(wire)
        self.bdms = RemoteBlockDevices(wire)
        self.actions = RemoteActions(wire)
        self.faults = RemoteFaults(wire)
        self.services = RemoteServices(wire)
        self.compute_nodes = RemoteComputeNodes(wire)
        self.migrations = RemoteMigrations(wire)
        self.vifs = RemoteVirtualInterfaces(wire)
