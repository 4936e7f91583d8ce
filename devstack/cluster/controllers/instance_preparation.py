"""virt-controller: from a new instance to a launcher pod that runs on a node."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from devstack.cluster import objects
from devstack.cluster.controllers.instance_phases import CONTROLLER, FINALIZERS, NODE_LABEL, Phases
from devstack.cluster.controllers.launchers import claim_names, launcher, network_key
from devstack.cluster.controllers.placement import FINAL, Placement
from devstack.cluster.controllers.plane import Plane
from devstack.cluster.controllers.pods import SELECTED_NODE
from devstack.cluster.kinds import CLAIM, DATA_VOLUME, KUBEVIRT, NETWORK, POD
from devstack.cluster.objects import Key, Object
from devstack.cluster.store import Change
from devstack.cluster.write_checks import Write

WAITS_FOR_CONSUMER: Final = frozenset({"WaitForFirstConsumer", "PendingPopulation"})


class Preparation(Phases):
    """Phases up to Scheduling."""

    def __init__(self, plane: Plane, placement: Placement) -> None:
        super().__init__(plane)
        self._placement = placement
        self._awaiting: dict[Key, set[Key]] = defaultdict(set)  # claim or network: the instances that lack it

    def waiting_for(self, change: Change) -> Iterable[Key]:
        """Instances that lacked what is there now."""
        return self._awaiting.pop(change.record.key, ())

    def begin(self, key: Key, instance: Object, pod: Object | None) -> float | None:
        del pod

        def set_out(obj: Object) -> None:
            finalizers = obj["metadata"].setdefault("finalizers", [])
            finalizers += [each for each in FINALIZERS if each not in finalizers]
            self._enter(obj, "Pending")
            now = self._plane.now()
            objects.set_condition(
                obj, "Ready", False, now, "GuestNotRunning", "Guest VM is not reported as running"
            )

        self._save(key, set_out, CONTROLLER)
        del instance
        return None

    def prepare(self, key: Key, instance: Object, pod: Object | None) -> float | None:
        """Pending: wait for disks and networks, then make the launcher pod."""
        if pod is not None:
            self._save(key, lambda obj: self._enter(obj, "Scheduling"), CONTROLLER)
            return None
        lacking = self._disks(key, instance) or self._networks(key, instance)
        if lacking is not None:
            return lacking

        def ready(obj: Object) -> None:
            objects.drop_condition(obj, "Synchronized")
            objects.drop_condition(obj, "Provisioning")
            if claim_names(obj["spec"]):
                objects.set_condition(
                    obj,
                    "DataVolumesReady",
                    True,
                    self._plane.now(),
                    "AllDVsReady",
                    "All of the VMI's DVs are bound and ready",
                )
            self._enter(obj, "Scheduling")

        made = self._plane.registry.create(
            POD, launcher(instance, self._cpu_ratio()), Write(CONTROLLER, trusted=True)
        )
        name = made["metadata"]["name"]
        self._plane.tell(
            instance, "Normal", "SuccessfulCreate", f"Created virtual machine pod {name}", CONTROLLER
        )
        self._save(key, ready, CONTROLLER)
        return None

    def await_pod(self, key: Key, instance: Object, pod: Object | None) -> float | None:
        """Scheduling: follow the launcher pod."""
        del instance
        if pod is None or objects.is_deleting(pod) or pod["status"]["phase"] in FINAL:
            self._end(key, "Failed", "the launcher pod is gone")
            return None
        scheduled = objects.condition(pod, "PodScheduled")
        if pod["status"]["phase"] != "Running":
            if scheduled and scheduled["status"] == "False":
                self._save(
                    key, lambda obj: self._unschedulable(obj, scheduled.get("message", "")), CONTROLLER
                )
            return None
        node = pod["spec"]["nodeName"]

        def hand_over(obj: Object) -> None:
            obj["status"]["nodeName"] = node
            obj["metadata"].setdefault("labels", {})[NODE_LABEL] = node
            obj["status"]["activePods"] = {pod["metadata"]["uid"]: node}
            obj["status"]["launcherContainerImageVersion"] = "quay.io/kubevirt/virt-launcher:v1.9.0"
            obj["status"]["qosClass"] = "Burstable"
            objects.drop_condition(obj, "PodScheduled")
            self._enter(obj, "Scheduled")

        self._save(key, hand_over, CONTROLLER)
        return None

    def _cpu_ratio(self) -> int:
        for record in self._plane.store.records(KUBEVIRT):
            developer = (
                record.load().get("spec", {}).get("configuration", {}).get("developerConfiguration") or {}
            )
            return int(developer.get("cpuAllocationRatio") or 10)
        return 10

    def _disks(self, key: Key, instance: Object) -> float | None:
        """None when every disk is there; else the instance says what it waits for."""
        for name in claim_names(instance["spec"]):
            where = Key(key.namespace, name)
            volume = self._plane.store.find(DATA_VOLUME, where)
            claim = self._plane.store.find(CLAIM, where)
            phase = (volume or {}).get("status", {}).get("phase", "")
            if volume is not None and phase != "Succeeded":
                self._awaiting[where].add(key)
                self._save(key, self._still_provisioning, CONTROLLER)
                return self._consume(instance, where) if phase in WAITS_FOR_CONSUMER else 60.0
            if volume is None and claim is None:
                self._awaiting[where].add(key)
                message = f"PVC {where.namespace}/{where.name} does not exist, waiting for it to appear"
                self._fail_sync(key, instance, "FailedPvcNotFound", message)
                return 60.0
            if claim is not None and claim.get("status", {}).get("phase") == "Lost":
                self._fail_sync(key, instance, "FailedPvcLost", f"PVC {where.name} is lost")
                return 60.0
        return None

    def _still_provisioning(self, obj: Object) -> None:
        now = self._plane.now()
        objects.set_condition(obj, "Provisioning", True, now)
        objects.set_condition(
            obj, "DataVolumesReady", False, now, "NotAllDVsReady", "Not all of the VMI's DVs are ready"
        )

    def _consume(self, instance: Object, claim: Key) -> float:
        """Be the first consumer: choose the node, as the pod KubeVirt starts for this would."""
        node, message = self._placement.choose(launcher(instance, self._cpu_ratio()))
        key = objects.key_of(instance)
        if not node:
            self._save(key, lambda obj: self._unschedulable(obj, message), CONTROLLER)
            return self._plane.timings.unschedulable_retry
        self._plane.registry.edit(CLAIM, claim, lambda obj: _select(obj, node), "kube-scheduler")
        return 60.0

    def _unschedulable(self, obj: Object, message: str) -> None:
        objects.set_condition(obj, "PodScheduled", False, self._plane.now(), "Unschedulable", message)

    def _networks(self, key: Key, instance: Object) -> float | None:
        for network in instance["spec"].get("networks") or ():
            if not network.get("multus"):
                continue
            where = network_key(instance, network)
            if self._plane.store.record(NETWORK, where) is None:
                self._awaiting[where].add(key)
                missing = f"network attachment definition {where.namespace}/{where.name}"
                message = f"failed to render launch manifest: failed to locate {missing}"
                self._fail_sync(key, instance, "FailedCreate", message)
                return 60.0
        return None

    def _fail_sync(self, key: Key, instance: Object, reason: str, message: str) -> None:
        now = self._plane.now()
        self._save(
            key,
            lambda obj: objects.set_condition(obj, "Synchronized", False, now, reason, message),
            CONTROLLER,
        )
        self._plane.tell(instance, "Warning", reason, message, CONTROLLER)


def _select(claim: Object, node: str) -> None:
    if not claim["spec"].get("volumeName"):
        claim["metadata"].setdefault("annotations", {}).setdefault(SELECTED_NODE, node)
