"""virt-controller and virt-handler for one instance: from Pending to Running to its end."""

from collections.abc import Callable, Iterable

from devstack.cluster import objects
from devstack.cluster.controllers.instance_domains import Domains
from devstack.cluster.controllers.instance_phases import NODE_LABEL
from devstack.cluster.controllers.instance_preparation import Preparation
from devstack.cluster.controllers.placement import Placement
from devstack.cluster.controllers.plane import Plane
from devstack.cluster.controllers.runtime import Interests, itself, owners_of
from devstack.cluster.guests import seconds_running
from devstack.cluster.kinds import CLAIM, DATA_VOLUME, GUEST, NETWORK, NODE, POD
from devstack.cluster.objects import Key, Object
from devstack.cluster.store import Change


class InstanceController:
    """All VirtualMachineInstances."""

    name = "virt-controller-vmi"

    def __init__(self, plane: Plane, placement: Placement) -> None:
        self._plane = plane
        self._preparation = preparation = Preparation(plane, placement)
        self._domains = domains = Domains(plane)
        self._steps: dict[str, Callable[[Key, Object, Object | None], float | None]] = {
            "": preparation.begin,
            "Pending": preparation.prepare,
            "Scheduling": preparation.await_pod,
            "Scheduled": domains.start,
            "Running": domains.observe,
        }

    @property
    def interests(self) -> Interests:
        return {
            GUEST: itself,
            POD: owners_of(GUEST, self._plane.store),
            CLAIM: self._preparation.waiting_for,
            DATA_VOLUME: self._preparation.waiting_for,
            NETWORK: self._preparation.waiting_for,
            NODE: self._on_node,
        }

    def _on_node(self, change: Change) -> Iterable[Key]:
        name = change.record.key.name
        return [each.key for each in self._plane.store.records(GUEST) if each.labels.get(NODE_LABEL) == name]

    def reconcile(self, key: Key) -> float | None:
        instance = self._plane.store.find(GUEST, key)
        if instance is None:
            return None
        pod = self._pod(instance)
        phase = instance.get("status", {}).get("phase", "")
        if objects.is_deleting(instance):
            return self._domains.delete(key, instance, pod, phase)
        step = self._steps.get(phase)
        return step(key, instance, pod) if step else None

    def adopt(self) -> None:
        """After a restart: the guests of running instances run still."""
        for record in self._plane.store.records(GUEST):
            instance = record.load()
            status = instance.get("status", {})
            if status.get("phase") == "Running":
                self._plane.guests.power_on(instance, since_s=seconds_running(instance))
                self._plane.guests.set_paused(record.uid, paused=objects.is_true(instance, "Paused"))

    def guest_changed(self, uid: str) -> Key | None:
        record = self._plane.store.by_uid(uid)
        return record.key if record else None

    def _pod(self, instance: Object) -> Object | None:
        for record in self._plane.store.dependents(instance["metadata"]["uid"]):
            if record.kind is POD:
                return record.load()
        return None
