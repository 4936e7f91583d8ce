"""What this host has and who uses it: claims, the compute_nodes record, the provider in Placement.

Placement grants resources to servers; the claim here checks the grant once more against what really
is on the host. Usage is kept per server, so claiming and releasing twice is harmless. `update` is a
reconciler: it reads host, servers and Placement anew and makes the three records agree.

The record is written after every change. Writers queue up, and one write carries the changes of all
who waited, so fifty boots at once do not cost fifty writes.
"""

import json
import logging
import math
import threading
import uuid
from collections.abc import Mapping
from typing import Any, Final

import os_traits

from openkeel import objects
from openkeel.clients.placement.interface import Placement
from openkeel.clients.placement.types import Inventory
from openkeel.compute.identity import NodeIdentity
from openkeel.compute.settings import Ratios, Reserved
from openkeel.compute.traits import provider_traits
from openkeel.compute.usage import Amounts, Usage, allocated, stats, total, usage_of, workload
from openkeel.domain.errors import ComputeResourcesUnavailable, Internal, KeelError
from openkeel.domain.states import VMState
from openkeel.objects.stores import CellStores
from openkeel.virt.driver import Driver, HostInventory

LOG = logging.getLogger(__name__)

MIB_PER_GIB: Final = 1024


class Tracker:
    """The resources of one host."""

    def __init__(
        self,
        host: str,
        driver: Driver,
        stores: CellStores,
        placement: Placement,
        *,
        ratios: Ratios | None = None,
        reserved: Reserved | None = None,
        identity: NodeIdentity | None = None,
    ) -> None:
        self._identity = identity
        self._host = host
        self._node = driver.host.node_name()
        self._driver = driver
        self._stores = stores
        self._placement = placement
        self._ratios = ratios or Ratios()
        self._reserved = reserved or Reserved()
        self._lock = threading.Lock()  # guards what follows
        self._usages: dict[str, Usage] = {}
        self._changed_at: dict[str, int] = {}  # server -> change number, to see changes during `update`
        self._change = 0
        self._failed_builds = 0
        self._inventory: HostInventory | None = None
        self._present_ratios: dict[str, float] = {}
        self._writing = threading.Lock()  # guards the record and the number of the change it shows
        self._record: objects.ComputeNode | None = None
        self._written = -1

    @property
    def node_uuid(self) -> str:
        """The compute node's identity in the database, in Placement and at the node itself."""
        if self._record is None:
            raise Internal("The host was not registered yet.")
        return str(self._record.uuid)

    @property
    def node_id(self) -> int | None:
        """The number of the compute node's record, which servers point to (Instance.compute_id)."""
        record = self._record
        return record.id if record is not None and record.obj_attr_is_set("id") else None

    # The life of the host

    def register(self) -> None:
        """Find or make the record of this host and bring everything up to date.

        Raises: Internal when the node and the database disagree who this is; HostFailure.
        """
        record = self._stores.compute_nodes.find(self._host, self._node)
        kept = self._identity.read() if self._identity else None
        if record is not None and kept not in {None, record.uuid}:
            raise Internal(
                f"Host {self._host} says in its state folder that it is compute node {kept}, "
                f"the database says {record.uuid}: was another deployment's host renamed or copied?"
            )
        proposed = kept or (record.uuid if record else str(uuid.uuid4()))
        recorded = self._driver.host.node_uuid(proposed)
        if kept not in {None, recorded}:
            raise Internal(
                f"Node {self._node} says it is compute node {recorded}, the host's state folder says {kept}: "
                "was another deployment's host renamed or copied?"
            )
        if record is not None and recorded != record.uuid:
            raise Internal(
                f"Node {self._node} says it is compute node {recorded}, the database says {record.uuid}: "
                "was another deployment's host renamed or copied?"
            )
        if self._identity and kept is None:
            self._identity.write(recorded)
        with self._lock:
            self._inventory = self._driver.host.inventory()
        if record is None:
            record = objects.ComputeNode(
                uuid=recorded, host=self._host, hypervisor_hostname=self._node, mapped=0
            )
            self._fill(record)
            self._stores.compute_nodes.create(record)
        self._record = record
        self.update()

    def update(self) -> None:
        """Reconcile host, database and Placement. Placement being down costs nothing but a log line."""
        inventory = self._driver.host.inventory()
        with self._lock:
            began = self._change
        instances = self._stores.instances.list_by_host(self._host, ("flavor",))
        with self._lock:
            self._inventory = inventory
            self._adopt(instances, began)
            self._change += 1
        try:
            self._sync_provider(inventory)
            self._drop_allocations_of_deleted()
        except KeelError as error:
            LOG.error("the provider of %s is not up to date in Placement: %s", self._node, error)  # noqa: TRY400 known
        self.publish()

    # Claims

    def claim(self, instance: objects.Instance, resources: Mapping[str, int]) -> None:
        """Take what Placement granted on this host. Idempotent.

        Raises: ComputeResourcesUnavailable.
        """
        usage = usage_of(instance, allocated(resources))
        try:
            self._claim(instance.uuid, usage)
        except ComputeResourcesUnavailable:
            self.update()  # servers that were deleted behind our back may have made room
            self._claim(instance.uuid, usage)
        self.publish()

    def release(self, instance_uuid: str) -> None:
        """Give back what the server took; fine when it has nothing."""
        with self._lock:
            self._usages.pop(instance_uuid, None)
            self._touch(instance_uuid)
        self.publish()

    def note_states(self, instance: objects.Instance) -> None:
        """The server's states changed: the counts follow."""
        with self._lock:
            usage = self._usages.get(instance.uuid)
            if usage is None:
                return
            self._usages[instance.uuid] = usage.with_states(instance.vm_state, instance.task_state)
            self._touch(instance.uuid)
        self.publish()

    def build_failed(self) -> None:
        """Count a failed build: schedulers then prefer other hosts."""
        with self._lock:
            self._failed_builds += 1
            self._change += 1

    def build_succeeded(self) -> None:
        """A build worked: the host is fine."""
        with self._lock:
            self._failed_builds = 0
            self._change += 1

    def used(self) -> Amounts:
        """What all servers take together."""
        with self._lock:
            return total(self._usages.values())

    def _claim(self, instance_uuid: str, usage: Usage) -> None:
        with self._lock:
            others = total(share for key, share in self._usages.items() if key != instance_uuid)
            limits = self._limits()
            wanted = usage.amounts
            lacking = [
                f"{name}: {want} wanted, {limit - used} of {limit} free"
                for name, want, used, limit in (
                    ("vCPUs", wanted.vcpus, others.vcpus, limits.vcpus),
                    ("MiB of memory", wanted.memory_mib, others.memory_mib, limits.memory_mib),
                    ("GiB of disk", wanted.disk_gib, others.disk_gib, limits.disk_gib),
                )
                if want and used + want > limit
            ]
            if lacking:
                raise ComputeResourcesUnavailable(reason="; ".join(lacking))
            self._usages[instance_uuid] = usage
            self._touch(instance_uuid)

    def _limits(self) -> Amounts:
        capacities = {name: entry.capacity for name, entry in self._inventories().items()}
        return allocated(capacities)

    def _touch(self, instance_uuid: str) -> None:
        self._change += 1
        self._changed_at[instance_uuid] = self._change

    def _adopt(self, instances: Any, began: int) -> None:
        """Take the servers in the database as the truth, except what changed here since we asked."""
        found: dict[str, Usage] = {}
        for instance in instances:
            if instance.vm_state in {VMState.DELETED, VMState.SHELVED_OFFLOADED}:
                continue
            known = self._usages.get(instance.uuid)
            found[instance.uuid] = usage_of(instance, known.amounts if known else None)
        for key, change in self._changed_at.items():
            if change > began:
                if key in self._usages:
                    found[key] = self._usages[key]
                else:
                    found.pop(key, None)
        self._changed_at = {key: change for key, change in self._changed_at.items() if change > began}
        self._usages = found

    # The record in the database

    def publish(self) -> None:
        """Write the record if it shows less than we know. Failing to is logged: `update` comes again."""
        with self._writing:
            record = self._record
            if record is None:
                return
            with self._lock:
                if self._written >= self._change:
                    return
                change = self._change
            self._fill(record)
            try:
                if record.obj_what_changed():
                    self._stores.compute_nodes.save(record)
                self._written = change
            except KeelError as error:
                LOG.warning("the record of node %s was not written: %s", self._node, error)

    def _fill(self, record: objects.ComputeNode) -> None:
        for field, value in self._row().items():
            if not record.obj_attr_is_set(field) or getattr(record, field) != value:
                setattr(record, field, value)

    def _row(self) -> dict[str, Any]:
        with self._lock:
            inventory, usages = self._inventory, list(self._usages.values())
            failed_builds, ratios = self._failed_builds, self._effective_ratios()
            reserved = self._reserved_amounts()
        if inventory is None:
            raise Internal("The host's inventory is not known yet.")
        used = total(usages) + reserved
        return {
            "hypervisor_type": inventory.hypervisor_type,
            "hypervisor_version": inventory.hypervisor_version,
            "host_ip": inventory.host_ip,
            "cpu_info": json.dumps(dict(inventory.cpu_info), sort_keys=True),
            "vcpus": inventory.vcpus,
            "vcpus_used": used.vcpus,
            "memory_mb": inventory.memory_mib,
            "memory_mb_used": used.memory_mib,
            "free_ram_mb": inventory.memory_mib - used.memory_mib,
            "local_gb": inventory.disk_gib,
            "local_gb_used": used.disk_gib,
            "free_disk_gb": inventory.disk_gib - used.disk_gib,
            "disk_available_least": inventory.disk_gib - used.disk_gib,
            "cpu_allocation_ratio": ratios["VCPU"],
            "ram_allocation_ratio": ratios["MEMORY_MB"],
            "disk_allocation_ratio": ratios["DISK_GB"],
            "running_vms": len(usages),
            "current_workload": workload(usages),
            "stats": stats(usages, failed_builds),
            # Compat: `kvm` keeps images that ask for img_hv_type=kvm schedulable.
            "supported_hv_specs": [objects.HVSpec(arch=inventory.architecture, hv_type="kvm", vm_mode="hvm")],
            "metrics": "[]",
            "numa_topology": None,
        }

    # The provider in Placement

    def _sync_provider(self, inventory: HostInventory) -> None:
        provider = self._placement.ensure_provider(self.node_uuid, self._node)
        with self._lock:
            self._present_ratios = {
                name: entry.allocation_ratio for name, entry in provider.inventories.items()
            }
            inventories = self._inventories()
        is_disabled = self._is_disabled()
        self._placement.update_provider(
            self.node_uuid,
            inventories={name: entry for name, entry in inventories.items() if entry.total > 0},
            traits=lambda present: provider_traits(
                present, self._driver.capabilities, inventory.traits, is_disabled=is_disabled
            ),
        )

    def show_disabled(self, *, is_disabled: bool) -> None:
        """Say in Placement whether new servers may come, so that the scheduler never asks in vain."""

        def wanted(present: frozenset[str]) -> frozenset[str]:
            disabled = frozenset({os_traits.COMPUTE_STATUS_DISABLED})
            return present | disabled if is_disabled else present - disabled

        self._placement.update_provider(self.node_uuid, traits=wanted)

    def _is_disabled(self) -> bool:
        service = self._stores.services.find(self._host, "nova-compute")
        return bool(service is not None and service.disabled)

    def _drop_allocations_of_deleted(self) -> None:
        """Free what deleted servers still hold here, e.g. after a delete while Placement was down."""
        consumers = self._placement.allocations_of_provider(self.node_uuid)
        with self._lock:
            strangers = [consumer for consumer in consumers if consumer not in self._usages]
        if not strangers:
            return
        # Whoever is not found at all is about to be created, or a move: not ours to judge.
        gone = {"uuid": strangers, "deleted": True, "soft_deleted": False}
        for instance in self._stores.instances.list_by_filters(gone):
            LOG.warning("deleted instance %s still had an allocation on this host", instance.uuid)
            self._placement.delete_allocations(instance.uuid)

    def _inventories(self) -> dict[str, Inventory]:
        inventory = self._inventory
        if inventory is None:
            return {}
        ratios, reserved = self._effective_ratios(), self._reserved_amounts()
        return {
            "VCPU": Inventory(inventory.vcpus, reserved.vcpus, ratios["VCPU"]),
            "MEMORY_MB": Inventory(inventory.memory_mib, reserved.memory_mib, ratios["MEMORY_MB"]),
            "DISK_GB": Inventory(inventory.disk_gib, reserved.disk_gib, ratios["DISK_GB"]),
        }

    def _reserved_amounts(self) -> Amounts:
        inventory, own = self._inventory, self._reserved
        if inventory is None:
            return Amounts()
        return Amounts(
            vcpus=min(inventory.vcpus, own.cpus + inventory.vcpus_reserved),
            memory_mib=min(inventory.memory_mib, own.memory_mib + inventory.memory_mib_reserved),
            disk_gib=min(inventory.disk_gib, math.ceil(own.disk_mib / MIB_PER_GIB)),
        )

    def _effective_ratios(self) -> dict[str, float]:
        """Contract: a set option wins, else an operator's value in Placement stays, else the initial one."""
        own, present = self._ratios, self._present_ratios
        return {
            "VCPU": own.cpu or present.get("VCPU") or own.initial_cpu,
            "MEMORY_MB": own.memory or present.get("MEMORY_MB") or own.initial_memory,
            "DISK_GB": own.disk or present.get("DISK_GB") or own.initial_disk,
        }
