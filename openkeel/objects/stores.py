"""What code outside `db/` may ask of a cell's database: the store protocols.

Two implementations, one contract suite: the SQL stores of `db/stores/` on the controllers, and the
remote stores of `rpc/remote_stores/` on the computes, which speak Nova's `object_action` wire to a
conductor. A bundle (`CellStores`) has one attribute per noun. Methods return versioned objects with
the asked attributes loaded; nothing is ever loaded behind the caller's back.

Verbs: get (raises NotFound), find (may return None), list, create, save (writes what `obj_what_changed`
says and resets it), destroy, move.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Protocol

from openkeel.domain.lifecycle import Rule, Step

ANY: Final = object()  # "whatever the state is", where None means "no task"


class InstanceStore(Protocol):
    """Servers of one cell. Contract: Instance, InstanceList."""

    def get(self, uuid: str, expected_attrs: Sequence[str] = ()) -> Any:
        """Raises: InstanceNotFound. Wire: Instance.get_by_uuid."""

    def list_by_host(self, host: str, expected_attrs: Sequence[str] = ()) -> Sequence[Any]:
        """Wire: InstanceList.get_by_host."""

    def list_by_filters(
        self,
        filters: Mapping[str, Any],
        expected_attrs: Sequence[str] = (),
        *,
        sort_keys: Sequence[str] = ("created_at",),
        sort_dirs: Sequence[str] = ("desc",),
        limit: int | None = None,
        marker: str | None = None,
    ) -> Sequence[Any]:
        """Wire: InstanceList.get_by_filters."""

    def list_active_by_window(
        self,
        begin: datetime,
        end: datetime | None = None,
        *,
        host: str | None = None,
        expected_attrs: Sequence[str] = (),
    ) -> Sequence[Any]:
        """Servers that were there at any time of the window, dead ones too.

        Wire: InstanceList._get_active_by_window_joined.
        """

    def uuids_by_host(self, host: str) -> Sequence[str]:
        """Wire: InstanceList.get_uuids_by_host."""

    def create(self, instance: Any) -> None:
        """Insert it with its extra, metadata, system metadata and info cache. SQL only."""

    def save(
        self,
        instance: Any,
        *,
        expected_vm_state: Any = ANY,
        expected_task_state: Any = ANY,
    ) -> None:
        """Write the changes if the row still stands in an expected state (a value or a tuple).

        Raises: InstanceNotFound; InstanceDeleting when it is being deleted and that was not
        expected; StateConflict with expected and found. Wire: Instance.save.
        """

    def move(self, instance: Any, rule: Rule, step: Step) -> None:
        """Move it along a lifecycle rule (one compare-and-swap over `save`). Raises as `save`."""

    def destroy(self, instance: Any) -> None:
        """Soft-delete the row and what hangs on it. Wire: Instance.destroy."""


class InfoCacheStore(Protocol):
    """The network info as last seen, per server. Contract: InstanceInfoCache.network_info."""

    def get(self, instance_uuid: str) -> Any:
        """Raises: NotFound. Wire: InstanceInfoCache.get_by_instance_uuid."""

    def save(self, cache: Any) -> None:
        """Wire: InstanceInfoCache.save."""


class BlockDeviceStore(Protocol):
    """Disks and volumes of servers. Contract: BlockDeviceMapping."""

    def list(self, instance_uuid: str) -> Any:
        """A BlockDeviceMappingList. Wire: BlockDeviceMappingList.get_by_instance_uuid."""

    def create(self, bdm: Any) -> None: ...

    def save(self, bdm: Any) -> None: ...

    def destroy(self, bdm: Any) -> None: ...


class ActionStore(Protocol):
    """The log of what was done to a server. Contract: InstanceAction, InstanceActionEvent.

    The action is found by instance and request id of the context: all take a context.
    """

    def start(self, ctx: Any, instance_uuid: str, action: str) -> Any:
        """Wire: InstanceAction.action_start."""

    def finish(self, ctx: Any, instance_uuid: str) -> None:
        """Wire: InstanceAction.action_finish."""

    def event_start(self, ctx: Any, instance_uuid: str, event: str, host: str | None) -> None:
        """Quiet when the request has no action. Wire: InstanceActionEvent.event_start."""

    def event_finish(
        self,
        ctx: Any,
        instance_uuid: str,
        event: str,
        *,
        error: BaseException | None = None,
    ) -> None:
        """Wire: InstanceActionEvent.event_finish or event_finish_with_failure."""


class FaultStore(Protocol):
    """Why a server went wrong. Contract: InstanceFault."""

    def create(self, fault: Any) -> None:
        """Wire: InstanceFault.create."""


class ServiceStore(Protocol):
    """Daemons and their heartbeats. Contract: Service."""

    def find(self, host: str, binary: str) -> Any | None:
        """Wire: Service.get_by_host_and_binary."""

    def create(self, service: Any) -> None: ...

    def save(self, service: Any) -> None: ...

    def minimum_version(self, binary: str) -> int:
        """Wire: Service.get_minimum_version."""


class ComputeNodeStore(Protocol):
    """Hypervisor nodes. Contract: ComputeNode."""

    def find(self, host: str, nodename: str) -> Any | None:
        """Wire: ComputeNode.get_by_host_and_nodename."""

    def list_by_host(self, host: str) -> Sequence[Any]:
        """Wire: ComputeNodeList.get_all_by_host."""

    def create(self, node: Any) -> None: ...

    def save(self, node: Any) -> None: ...

    def destroy(self, node: Any) -> None: ...


class MigrationStore(Protocol):
    """Moves under way. Contract: Migration."""

    def list_in_progress(self, host: str, node: str) -> Sequence[Any]:
        """Wire: MigrationList.get_in_progress_and_error."""

    def list_by_filters(self, filters: Mapping[str, Any]) -> Sequence[Any]:
        """Wire: MigrationList.get_by_filters."""


class VirtualInterfaceStore(Protocol):
    """NICs with their tags. Contract: VirtualInterface."""

    def list(self, instance_uuid: str) -> Sequence[Any]:
        """Wire: VirtualInterfaceList.get_by_instance_uuid."""

    def create(self, vif: Any) -> None: ...

    def destroy(self, vif: Any) -> None: ...


class TaskLogStore(Protocol):
    """Runs of tasks that are done once per host and period. Contract: TaskLog."""

    def find(self, name: str, begin: datetime, end: datetime, host: str) -> Any | None:
        """Wire: TaskLog.get."""

    def begin(self, task: Any) -> None:
        """Raises: TaskAlreadyRunning. Wire: TaskLog.begin_task."""

    def end(self, task: Any) -> None:
        """Raises: TaskNotRunning. Wire: TaskLog.end_task."""


class CellStores(Protocol):
    """Everything of one cell's database that both sides share."""

    @property
    def instances(self) -> InstanceStore: ...

    @property
    def info_caches(self) -> InfoCacheStore: ...

    @property
    def bdms(self) -> BlockDeviceStore: ...

    @property
    def actions(self) -> ActionStore: ...

    @property
    def faults(self) -> FaultStore: ...

    @property
    def services(self) -> ServiceStore: ...

    @property
    def compute_nodes(self) -> ComputeNodeStore: ...

    @property
    def migrations(self) -> MigrationStore: ...

    @property
    def task_logs(self) -> TaskLogStore: ...

    @property
    def vifs(self) -> VirtualInterfaceStore: ...


def utc_naive(moment: datetime) -> datetime:
    """Databases keep naive UTC: the one place where awareness is dropped."""
    return moment.replace(tzinfo=None)
