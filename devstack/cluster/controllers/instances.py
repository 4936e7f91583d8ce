"""virt-controller and virt-handler for one instance: from Pending to Running to its end."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Final

from devstack.cluster import objects
from devstack.cluster.controllers.launchers import (
    claim_names,
    launcher,
    network_key,
    overhead_bytes,
    pod_interface,
)
from devstack.cluster.controllers.placement import FINAL, Placement
from devstack.cluster.controllers.plane import Plane
from devstack.cluster.controllers.pods import SELECTED_NODE
from devstack.cluster.controllers.runtime import Interests, itself, owners_of
from devstack.cluster.guests import GuestState, seconds_running
from devstack.cluster.kinds import CLAIM, DATA_VOLUME, GUEST, KUBEVIRT, NETWORK, NODE, POD
from devstack.cluster.objects import Key, Object
from devstack.cluster.registry import Write
from devstack.cluster.store import Change

FINALIZERS: Final = (
    "kubevirt.io/foregroundDeleteVirtualMachine",
    "kubevirt.io/virtualMachineControllerFinalize",
)
NODE_LABEL: Final = "kubevirt.io/nodeName"
CONTROLLER: Final = "virt-controller"
HANDLER: Final = "virt-handler"
WAITS_FOR_CONSUMER: Final = frozenset({"WaitForFirstConsumer", "PendingPopulation"})


class InstanceController:
    """All VirtualMachineInstances."""

    name = "virt-controller-vmi"

    def __init__(self, plane: Plane, placement: Placement) -> None:
        self._plane = plane
        self._placement = placement
        self._awaiting: dict[Key, set[Key]] = defaultdict(set)  # claim or network: the instances that lack it
        self._since: dict[str, float] = {}
        self._stopping: dict[str, float] = {}
        self._steps: dict[str, Callable[[Key, Object, Object | None], float | None]] = {
            "": self._begin,
            "Pending": self._prepare,
            "Scheduling": self._await_pod,
            "Scheduled": self._start,
            "Running": self._observe,
        }

    @property
    def interests(self) -> Interests:
        return {
            GUEST: itself,
            POD: owners_of(GUEST, self._plane.store),
            CLAIM: self._needed,
            DATA_VOLUME: self._needed,
            NETWORK: self._needed,
            NODE: self._on_node,
        }

    def _needed(self, change: Change) -> Iterable[Key]:
        return self._awaiting.pop(change.record.key, ())

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
            return self._delete(key, instance, pod, phase)
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

    def _begin(self, key: Key, instance: Object, pod: Object | None) -> float | None:
        del pod

        def begin(obj: Object) -> None:
            finalizers = obj["metadata"].setdefault("finalizers", [])
            finalizers += [each for each in FINALIZERS if each not in finalizers]
            self._enter(obj, "Pending")
            now = self._plane.now()
            objects.set_condition(
                obj, "Ready", False, now, "GuestNotRunning", "Guest VM is not reported as running"
            )

        self._save(key, begin, CONTROLLER)
        del instance
        return None

    def _prepare(self, key: Key, instance: Object, pod: Object | None) -> float | None:
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

    def _await_pod(self, key: Key, instance: Object, pod: Object | None) -> float | None:
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

    def _start(self, key: Key, instance: Object, pod: Object | None) -> float | None:
        """Scheduled: virt-handler starts the domain."""
        meta = instance["metadata"]
        if pod is None:
            self._end(key, "Failed", "the launcher pod is gone")
            return None
        if not self._node_lives(instance):
            return None
        facts = {"namespace": key.namespace, "name": key.name, "node": instance["status"]["nodeName"]}
        waited_s = self._plane.clock.monotonic()
        if meta["uid"] not in self._since:
            delay_s = self._plane.timings.domain_start + self._plane.faults.seconds("start-slow", **facts)
            self._since[meta["uid"]] = waited_s + delay_s
        left_s = self._since[meta["uid"]] - waited_s
        if left_s > 0:
            return left_s
        fault = self._plane.faults.find("start-fail", **facts)
        if fault:
            message = str(
                fault.arguments.get(
                    "message", "server error. command SyncVMI failed: the stand-in was asked to"
                )
            )
            self._plane.tell(instance, "Warning", "SyncFailed", message, HANDLER)
            self._end(key, "Failed", message)
            return None
        self._plane.guests.power_on(instance)
        paused = instance["spec"].get("startStrategy") == "Paused"
        self._plane.guests.set_paused(meta["uid"], paused=paused)
        self._save(key, lambda obj: self._run(obj, paused=paused), HANDLER)
        self._plane.tell(instance, "Normal", "Created", "VirtualMachineInstance defined.", HANDLER)
        self._plane.tell(instance, "Normal", "Started", "VirtualMachineInstance started.", HANDLER)
        return None

    def _run(self, obj: Object, *, paused: bool) -> None:
        now = self._plane.now()
        self._enter(obj, "Running")
        objects.set_condition(obj, "Ready", True, now)
        objects.drop_condition(obj, "Synchronized")
        if paused:
            objects.set_condition(obj, "Paused", True, now, "PausedByUser", "VMI was paused by user")
        spec, status = obj["spec"], obj["status"]
        cpu = spec.get("domain", {}).get("cpu") or {}
        status["currentCPUTopology"] = {part: cpu.get(part) or 1 for part in ("sockets", "cores", "threads")}
        guest = (spec.get("domain", {}).get("memory") or {}).get("guest")
        if guest is not None:
            at_boot = {"guestAtBoot": guest, "guestCurrent": guest, "guestRequested": guest}
            status["memory"] = {**at_boot, "memoryOverhead": str(overhead_bytes(spec))}
        status["machine"] = {"type": "pc-q35-rhel9.6.0"}
        status["migrationMethod"] = "LiveMigration"
        status["migrationTransport"] = "Unix"
        status["runtimeUser"] = 107
        status["selinuxContext"] = "none"
        status["interfaces"] = _interfaces(spec)
        status["volumeStatus"] = self._volume_status(obj)
        local = self._local_claim(obj)
        if local:
            message = (
                f"cannot migrate VMI: PVC {local} is not shared, live migration requires that all PVCs "
                "must be shared (using ReadWriteMany access mode)"
            )
            objects.set_condition(obj, "LiveMigratable", False, now, "DisksNotLiveMigratable", message)
        else:
            objects.set_condition(obj, "LiveMigratable", True, now)
        objects.set_condition(obj, "StorageLiveMigratable", True, now)

    def _volume_status(self, obj: Object) -> list[Object]:
        disks = {
            each["name"]: each for each in obj["spec"].get("domain", {}).get("devices", {}).get("disks") or ()
        }
        found = []
        letters: dict[str, int] = defaultdict(int)
        for volume in obj["spec"].get("volumes") or ():
            disk = disks.get(volume["name"], {})
            target = disk.get("disk") or disk.get("cdrom") or disk.get("lun") or {}
            prefix = {"virtio": "vd"}.get(
                target.get("bus", "virtio" if disk.get("cdrom") is None else "sata"), "sd"
            )
            entry: Object = {"name": volume["name"], "target": prefix + chr(ord("a") + letters[prefix] % 26)}
            letters[prefix] += 1
            name = next(iter(claim_names({"volumes": [volume]})), None)
            claim = self._plane.store.find(CLAIM, Key(obj["metadata"]["namespace"], name)) if name else None
            if claim:
                entry["persistentVolumeClaimInfo"] = {
                    "accessModes": claim["spec"]["accessModes"],
                    "capacity": claim["status"].get("capacity") or {},
                    "claimName": name,
                    "filesystemOverhead": "0.055",
                    "requests": claim["spec"]["resources"]["requests"],
                    "volumeMode": claim["spec"].get("volumeMode", "Filesystem"),
                }
            found.append(entry)
        return found

    def _local_claim(self, obj: Object) -> str:
        for name in claim_names(obj["spec"]):
            claim = self._plane.store.find(CLAIM, Key(obj["metadata"]["namespace"], name))
            if claim and "ReadWriteMany" not in claim["spec"]["accessModes"]:
                return name
        return ""

    def _observe(self, key: Key, instance: Object, pod: Object | None) -> float | None:
        """Running: see whether guest, pod and node are still there."""
        uid = instance["metadata"]["uid"]
        state = self._plane.guests.state(uid)
        if pod is None:
            self._plane.guests.power_off(uid)
            self._end(key, "Failed", "the launcher pod is gone")
        elif not self._node_lives(instance):
            return self._node_is_silent(key, instance)
        elif objects.is_deleting(pod) or pod["status"]["phase"] == "Failed":
            self._plane.guests.power_off(uid)
            self._end(key, "Failed", "the launcher pod ends")
        elif state is GuestState.CRASHED:
            self._plane.tell(instance, "Warning", "Stopped", "The VirtualMachineInstance crashed.", HANDLER)
            self._end(key, "Failed", "")
        elif state is not GuestState.ON:
            self._plane.tell(
                instance, "Normal", "Stopped", "The VirtualMachineInstance was shut down.", HANDLER
            )
            self._end(key, "Succeeded", "")
        else:
            self._save(key, lambda obj: self._see_agent(obj, uid), HANDLER)
        return None

    def _see_agent(self, obj: Object, uid: str) -> None:
        if self._plane.guests.has_agent(uid):
            objects.set_condition(obj, "AgentConnected", True, self._plane.now())
            for interface in obj["status"].get("interfaces") or ():
                interface["infoSource"] = "domain, guest-agent, multus-status"
            obj["status"]["guestOSInfo"] = GUEST_OS
        else:
            objects.drop_condition(obj, "AgentConnected")

    def _node_lives(self, instance: Object) -> bool:
        node = self._plane.store.find(NODE, Key("", instance.get("status", {}).get("nodeName", "")))
        return node is not None and objects.is_true(node, "Ready")

    def _node_is_silent(self, key: Key, instance: Object) -> float | None:
        node = self._plane.store.find(NODE, Key("", instance["status"]["nodeName"]))
        entry = objects.condition(node, "Ready") if node else None
        since_s = objects.seconds_of(entry["lastTransitionTime"]) if entry else 0.0
        left_s = since_s + self._plane.timings.node_unresponsive - self._plane.clock.wall()
        if left_s > 0:
            return left_s

        def fail(obj: Object) -> None:
            obj["status"]["reason"] = "NodeUnresponsive"
            self._finish(obj, "Failed", "virt-handler is not responsive")

        self._save(key, fail, CONTROLLER)
        return None

    def _delete(self, key: Key, instance: Object, pod: Object | None, phase: str) -> float | None:
        """Shut the guest down, end the pod, let go."""
        uid = instance["metadata"]["uid"]
        if (
            phase == "Running"
            and self._plane.guests.state(uid) is GuestState.ON
            and self._node_lives(instance)
        ):
            return self._shut_down(key, instance)
        if phase == "Running" and pod is not None and not self._node_lives(instance):
            return self._node_is_silent(key, instance)
        if phase not in FINAL:
            crashed = self._plane.guests.state(uid) is GuestState.CRASHED
            self._end(key, "Failed" if crashed else "Succeeded", "")
            return None
        if pod is not None:
            if not objects.is_deleting(pod):
                self._plane.registry.delete(POD, objects.key_of(pod))
            return None
        self._plane.guests.forget(uid)
        self._since.pop(uid, None)
        self._stopping.pop(uid, None)
        if FINALIZERS[0] in (instance["metadata"].get("finalizers") or ()):
            self._plane.tell(instance, "Normal", "Deleted", "Signaled Deletion", HANDLER)
        for finalizer in FINALIZERS:
            self._plane.registry.finalize(GUEST, key, finalizer)
        return None

    def _shut_down(self, key: Key, instance: Object) -> float | None:
        uid = instance["metadata"]["uid"]
        grace_s = float(instance["spec"].get("terminationGracePeriodSeconds", 30))
        now = self._plane.clock.monotonic()
        if grace_s == 0:
            self._plane.guests.power_off(uid)
            self._end(key, "Succeeded", "")
            return None
        if uid not in self._stopping:
            self._stopping[uid] = now + grace_s
            self._plane.tell(instance, "Normal", "ShuttingDown", "Signaled Graceful Shutdown", HANDLER)
            self._plane.guests.press_power_button(uid)
        left_s = self._stopping[uid] - now
        if left_s > 0:
            return left_s
        self._plane.guests.power_off(uid)
        self._end(key, "Failed", "the guest did not shut down in time")
        return None

    def _end(self, key: Key, phase: str, message: str) -> None:
        self._save(key, lambda obj: self._finish(obj, phase, message), HANDLER)

    def _finish(self, obj: Object, phase: str, message: str) -> None:
        self._enter(obj, phase)
        now = self._plane.now()
        objects.set_condition(
            obj,
            "Ready",
            False,
            now,
            "PodTerminating" if objects.is_deleting(obj) else "GuestNotRunning",
            message,
        )
        for kind in ("Paused", "AgentConnected", "PodScheduled"):
            objects.drop_condition(obj, kind)
        obj["status"].pop("guestOSInfo", None)

    def _enter(self, obj: Object, phase: str) -> None:
        status = obj.setdefault("status", {})
        if status.get("phase") != phase:
            status["phase"] = phase
            moment = {"phase": phase, "phaseTransitionTimestamp": self._plane.now()}
            status.setdefault("phaseTransitionTimestamps", []).append(moment)

    def _save(self, key: Key, change: Callable[[Object], None], manager: str) -> None:
        self._plane.registry.edit(GUEST, key, change, manager)


GUEST_OS: Final = {
    "name": "Debian GNU/Linux",
    "kernelRelease": "6.1.0-standin-amd64",
    "kernelVersion": "#1 SMP PREEMPT_DYNAMIC",
    "prettyName": "Debian GNU/Linux 12 (bookworm)",
    "version": "12 (bookworm)",
    "versionId": "12",
    "machine": "x86_64",
    "id": "debian",
}


def _select(claim: Object, node: str) -> None:
    if not claim["spec"].get("volumeName"):
        claim["metadata"].setdefault("annotations", {}).setdefault(SELECTED_NODE, node)


def _interfaces(spec: Object) -> list[Object]:
    found = []
    for number, each in enumerate(spec.get("domain", {}).get("devices", {}).get("interfaces") or ()):
        if each.get("state") == "absent":
            continue
        entry: Object = {
            "name": each["name"],
            "infoSource": "domain, multus-status",
            "interfaceName": f"eth{number}",
            "podInterfaceName": pod_interface(each["name"]),
            "linkState": each.get("state") or "up",
            "queueCount": 1,
        }
        if each.get("macAddress"):
            entry["mac"] = each["macAddress"]
        found.append(entry)
    return found
