"""What every capability of the daemon is given: the host and all that belongs to it, built once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from openkeel import objects
from openkeel.clients.placement.interface import Placement
from openkeel.common.clock import Clock
from openkeel.common.context import Context
from openkeel.common.locks import NamedLocks
from openkeel.common.periodic import Periodic
from openkeel.compute.guest_spec import guest_spec, image_remembered
from openkeel.compute.network import Allocator, cached
from openkeel.compute.operation import Operations
from openkeel.compute.records import project_of
from openkeel.compute.settings import Settings
from openkeel.compute.tasks import Tasks
from openkeel.compute.tracker import Tracker
from openkeel.compute.waiters import Waiters
from openkeel.domain.states import PowerState
from openkeel.objects.stores import CellStores
from openkeel.virt.driver import Driver, GuestSpec


class Rebuilder(Protocol):
    """Where failed builds go on (rpc.conductor.ComputeTaskClient)."""

    @property
    def build_instances(self) -> Callable[..., None]: ...


class SchedulerNews(Protocol):
    """Who is told about this host's servers (rpc.scheduler.SchedulerClient)."""

    def update_instance_info(
        self, ctx: Context, *, host_name: str, instance_info: objects.InstanceList
    ) -> None: ...

    def delete_instance_info(self, ctx: Context, *, host_name: str, instance_uuid: str) -> None: ...

    def sync_instance_info(self, ctx: Context, *, host_name: str, instance_uuids: Sequence[str]) -> None: ...


class ServerGroups(Protocol):
    """Who knows the server groups (rpc.remote_stores.groups.RemoteServerGroups)."""

    def find_by_instance(self, instance_uuid: str) -> objects.InstanceGroup | None:
        """The group a server is in."""


class Capability(Protocol):
    """A part of the daemon. RPC methods, if any, are its public ones named in the contract."""

    def periodics(self) -> Sequence[Periodic]:
        """Work to be done again and again."""


@dataclass(frozen=True, slots=True)
class Host:
    """One compute host. `name` is the service's host, `node` the hypervisor's name."""

    name: str
    node: str
    driver: Driver
    stores: CellStores
    placement: Placement
    network: Allocator
    conductor: Rebuilder
    scheduler: SchedulerNews
    groups: ServerGroups
    operations: Operations
    tracker: Tracker
    waiters: Waiters
    tasks: Tasks
    locks: NamedLocks
    clock: Clock
    settings: Settings

    def power_of(self, instance: objects.Instance) -> PowerState:
        """What the guest does; NOSTATE when there is none."""
        status = self.driver.lifecycle.observe(instance.uuid, project_of(instance))
        return PowerState.NOSTATE if status is None else status.power

    def spec_of(self, instance: objects.Instance) -> GuestSpec:
        """The guest as our records have it now, for a guest that exists already."""
        return guest_spec(
            instance,
            image_remembered(instance),
            cached(instance),
            self.stores.bdms.list(instance.uuid),
            name_template=self.settings.instance_name_template,
            force_config_drive=self.settings.force_config_drive,
        )
