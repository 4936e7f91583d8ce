"""virt-handler: the domain of an instance, from its start to its end."""

from devstack.cluster import objects
from devstack.cluster.controllers.instance_phases import FINALIZERS, HANDLER, Phases
from devstack.cluster.controllers.instance_status import GUEST_OS, describe, local_claim, volumes_of
from devstack.cluster.controllers.placement import FINAL
from devstack.cluster.controllers.plane import Plane
from devstack.cluster.guests import GuestState
from devstack.cluster.kinds import GUEST, POD
from devstack.cluster.objects import Key, Object


class Domains(Phases):
    """Phases from Scheduled on, and the end in any."""

    def __init__(self, plane: Plane) -> None:
        super().__init__(plane)
        self._since: dict[str, float] = {}
        self._stopping: dict[str, float] = {}

    def start(self, key: Key, instance: Object, pod: Object | None) -> float | None:
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
        status = obj["status"]
        describe(status, obj["spec"])
        status["volumeStatus"] = volumes_of(obj, self._plane.store)
        local = local_claim(obj, self._plane.store)
        if local:
            message = (
                f"cannot migrate VMI: PVC {local} is not shared, live migration requires that all PVCs "
                "must be shared (using ReadWriteMany access mode)"
            )
            objects.set_condition(obj, "LiveMigratable", False, now, "DisksNotLiveMigratable", message)
        else:
            objects.set_condition(obj, "LiveMigratable", True, now)
        objects.set_condition(obj, "StorageLiveMigratable", True, now)

    def observe(self, key: Key, instance: Object, pod: Object | None) -> float | None:
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

    def delete(self, key: Key, instance: Object, pod: Object | None, phase: str) -> float | None:
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
