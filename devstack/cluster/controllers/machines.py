"""virt-controller for one VirtualMachine: makes and ends its instance, tells its status."""

from typing import Final

from devstack.cluster import objects
from devstack.cluster.controllers.placement import FINAL
from devstack.cluster.controllers.plane import Plane
from devstack.cluster.controllers.runtime import Interests, itself, owners_of
from devstack.cluster.kinds import CLAIM, CONTROLLER_REVISION, DATA_VOLUME, GUEST, MACHINE
from devstack.cluster.objects import Key, Object
from devstack.cluster.write_checks import Write

FINALIZER: Final = "kubevirt.io/virtualMachineControllerFinalize"
GENERATION: Final = "kubevirt.io/vm-generation"
CONTROLLER: Final = "virt-controller"
OWN_CONDITIONS: Final = frozenset({"Ready", "Failure", "RestartRequired"})
LIVE_PLACEMENT: Final = ("nodeSelector", "affinity", "tolerations")


class MachineController:
    """All VirtualMachines."""

    name = "virt-controller-vm"

    def __init__(self, plane: Plane) -> None:
        self._plane = plane

    @property
    def interests(self) -> Interests:
        return {MACHINE: itself, GUEST: owners_of(MACHINE, self._plane.store)}

    def reconcile(self, key: Key) -> float | None:
        machine = self._plane.store.find(MACHINE, key)
        if machine is None:
            return None
        instance = self._plane.store.find(GUEST, key)
        if instance is not None and not objects.is_owned_by(instance, machine):
            return self._foreign_instance(key, machine)
        if objects.is_deleting(machine):
            return self._delete(key, machine, instance)
        if self._complete(key, machine):
            return None
        machine = self._act(key, machine, instance)
        instance = self._plane.store.find(GUEST, key)
        if instance is not None:
            self._live_update(key, machine, instance)
        self._tell_status(key, instance)
        return None

    def _complete(self, key: Key, machine: Object) -> bool:
        """Add what virt-controller writes into every machine; True when something was added."""
        template = machine["spec"]["template"]["spec"]
        firmware = template.get("domain", {}).get("firmware") or {}
        if FINALIZER in (machine["metadata"].get("finalizers") or ()) and firmware.get("uuid"):
            return False

        def complete(obj: Object) -> None:
            finalizers = obj["metadata"].setdefault("finalizers", [])
            if FINALIZER not in finalizers:
                finalizers.append(FINALIZER)
            domain = obj["spec"]["template"]["spec"].setdefault("domain", {})
            domain["firmware"] = {**(domain.get("firmware") or {})}
            domain["firmware"].setdefault("uuid", objects.new_uid())

        self._plane.registry.edit(MACHINE, key, complete, CONTROLLER)
        return True

    def _act(self, key: Key, machine: Object, instance: Object | None) -> Object:
        """Carry out the first state change request, or what the run strategy wants."""
        requests = machine.get("status", {}).get("stateChangeRequests") or []
        if not requests:
            self._follow_strategy(key, machine, instance)
            return machine
        first, uid = requests[0], (instance or {}).get("metadata", {}).get("uid")
        if first["action"] == "Stop":
            if uid is None or uid != first.get("uid"):
                return self._drop_request(key)
            self._end_instance(key, instance)
        elif instance is None:
            self._make_instance(key, machine, paused=(first.get("data") or {}).get("paused") == "true")
            return self._drop_request(key)
        elif not objects.is_deleting(instance) and instance.get("status", {}).get("phase") not in FINAL:
            return self._drop_request(key)
        return machine

    def _follow_strategy(self, key: Key, machine: Object, instance: Object | None) -> None:
        strategy = strategy_of(machine)
        phase = (instance or {}).get("status", {}).get("phase", "")
        if instance is None:
            started_once = machine.get("status", {}).get("created") is not None
            if strategy in {"Always", "RerunOnFailure"} or (strategy == "Once" and not started_once):
                self._make_instance(key, machine, paused=False)
        elif (
            strategy == "Halted"
            or (strategy == "Always" and phase in FINAL)
            or (strategy == "RerunOnFailure" and phase == "Failed")
        ):
            self._end_instance(key, instance)

    def _end_instance(self, key: Key, instance: Object | None) -> None:
        if instance is not None and not objects.is_deleting(instance):
            self._plane.registry.delete(GUEST, key)

    def _drop_request(self, key: Key) -> Object:
        def drop(obj: Object) -> None:
            left = (obj.get("status", {}).get("stateChangeRequests") or [])[1:]
            if left:
                obj["status"]["stateChangeRequests"] = left
            else:
                obj.get("status", {}).pop("stateChangeRequests", None)

        return self._plane.registry.edit(MACHINE, key, drop, CONTROLLER) or {}

    def _make_instance(self, key: Key, machine: Object, *, paused: bool) -> None:
        template = machine["spec"]["template"]
        template_meta = template.get("metadata") or {}
        generation = machine["metadata"].get("generation", 1)
        revision = self._keep_revision(machine, generation)
        spec = dict(template["spec"])
        if paused:
            spec["startStrategy"] = "Paused"
        instance: Object = {
            "metadata": {
                "name": key.name,
                "namespace": key.namespace,
                "labels": dict(template_meta.get("labels") or {}),
                "annotations": {
                    **(template_meta.get("annotations") or {}),
                    GENERATION: str(generation),
                    "kubevirt.io/latest-observed-api-version": "v1",
                    "kubevirt.io/storage-observed-api-version": "v1",
                },
                "ownerReferences": [objects.owner_reference(machine)],
            },
            "spec": spec,
            "status": {"virtualMachineRevisionName": revision},
        }
        self._plane.registry.create(GUEST, instance, Write(CONTROLLER, trusted=True))
        message = f"Started the virtual machine by creating the new virtual machine instance {key.name}"
        self._plane.tell(machine, "Normal", "SuccessfulCreate", message, "virtualmachine-controller")

    def _keep_revision(self, machine: Object, generation: int) -> str:
        """Remember the spec an instance starts from; later changes are compared with it."""
        meta = machine["metadata"]
        name = f"revision-start-vm-{meta['uid']}-{generation}"
        for record in self._plane.store.dependents(meta["uid"]):
            if record.kind is CONTROLLER_REVISION and record.key.name != name:
                self._plane.store.remove(CONTROLLER_REVISION, record.key)
        if self._plane.store.record(CONTROLLER_REVISION, Key(meta["namespace"], name)) is None:
            revision: Object = {
                "metadata": {
                    "name": name,
                    "namespace": meta["namespace"],
                    "ownerReferences": [objects.owner_reference(machine)],
                },
                "revision": generation,
                "data": {"spec": machine["spec"]},
            }
            self._plane.registry.create(CONTROLLER_REVISION, revision, Write(trusted=True))
        return name

    def _live_update(self, key: Key, machine: Object, instance: Object) -> None:
        """Roll out live: placement goes to the running instance, other changes want a restart."""
        if str(machine["metadata"].get("generation", 1)) == (
            instance["metadata"].get("annotations") or {}
        ).get(GENERATION):
            return
        if objects.is_deleting(instance) or instance.get("status", {}).get("phase") in FINAL:
            return
        if self._needs_restart(machine, instance):
            now = self._plane.now()
            message = "a non-live-updatable field was changed in the template spec"
            self._plane.registry.edit(
                MACHINE,
                key,
                lambda obj: objects.set_condition(
                    obj, "RestartRequired", True, now, "RestartRequired", message
                ),
                CONTROLLER,
            )
            return
        wanted = machine["spec"]["template"]["spec"]

        def follow(obj: Object) -> None:
            for name in LIVE_PLACEMENT:
                if name in wanted:
                    obj["spec"][name] = wanted[name]
                else:
                    obj["spec"].pop(name, None)

        self._plane.registry.edit(GUEST, key, follow, CONTROLLER)

    def _needs_restart(self, machine: Object, instance: Object) -> bool:
        if objects.is_true(machine, "RestartRequired"):
            return True
        name = instance.get("status", {}).get("virtualMachineRevisionName", "")
        revision = self._plane.store.find(CONTROLLER_REVISION, Key(machine["metadata"]["namespace"], name))
        if revision is None:
            return False
        return _fixed_part(revision["data"]["spec"]) != _fixed_part(machine["spec"])

    def _delete(self, key: Key, machine: Object, instance: Object | None) -> float | None:
        if instance is None:
            if FINALIZER in (machine["metadata"].get("finalizers") or ()):
                self._plane.registry.finalize(MACHINE, key, FINALIZER)
            return None
        self._end_instance(key, instance)
        self._tell_status(key, self._plane.store.find(GUEST, key))
        return None

    def _foreign_instance(self, key: Key, machine: Object) -> float | None:
        now = self._plane.now()
        message = f"VirtualMachineInstance {key.name} exists and is not owned by this VirtualMachine"
        self._plane.registry.edit(
            MACHINE,
            key,
            lambda obj: objects.set_condition(obj, "Failure", True, now, "FailedCreate", message),
            CONTROLLER,
        )
        del machine
        return None

    def _tell_status(self, key: Key, instance: Object | None) -> None:
        def tell(obj: Object) -> None:
            status = obj.setdefault("status", {})
            phase = (instance or {}).get("status", {}).get("phase", "")
            if instance is not None:
                status["created"] = True
            elif "created" in status:
                status["created"] = False
            status["ready"] = instance is not None and objects.is_true(instance, "Ready")
            status["observedGeneration"] = status["desiredGeneration"] = obj["metadata"].get("generation", 1)
            status["runStrategy"] = strategy_of(obj)
            status["printableStatus"] = self._printable(obj, instance, phase)
            status["volumeSnapshotStatuses"] = [
                {
                    "name": each["name"],
                    "enabled": False,
                    "reason": "No VolumeSnapshotClass: Volume snapshots are not configured",
                }
                for each in obj["spec"]["template"]["spec"].get("volumes") or ()
            ]
            self._copy_conditions(obj, instance)

        self._plane.registry.edit(MACHINE, key, tell, CONTROLLER)

    def _copy_conditions(self, obj: Object, instance: Object | None) -> None:
        now = self._plane.now()
        kept = [each for each in obj["status"].get("conditions") or () if each["type"] in OWN_CONDITIONS]
        obj["status"]["conditions"] = kept
        if instance is None:
            objects.set_condition(obj, "Ready", False, now, "VMINotExists", "VMI does not exist")
            objects.drop_condition(obj, "RestartRequired")
            return
        objects.drop_condition(obj, "Failure")
        ready = objects.condition(instance, "Ready")
        if ready is None:
            objects.set_condition(
                obj, "Ready", False, now, "VMIConditionMissing", "VMI is missing the Ready condition"
            )
        for entry in instance.get("status", {}).get("conditions") or ():
            if entry["type"] == "Ready":
                is_on = entry["status"] == "True"
                objects.set_condition(
                    obj, "Ready", is_on, now, entry.get("reason", ""), entry.get("message", "")
                )
            else:
                obj["status"]["conditions"].append(dict(entry))

    def _printable(self, obj: Object, instance: Object | None, phase: str) -> str:
        """The first row that fits, in KubeVirt's order."""
        requests = obj.get("status", {}).get("stateChangeRequests") or []
        asked = requests[0]["action"] if requests else ""
        lives = instance is not None and phase not in FINAL
        sync = objects.condition(instance or {}, "Synchronized") or {}
        scheduled = objects.condition(instance or {}, "PodScheduled") or {}
        wants_start = asked == "Start" or strategy_of(obj) in {"Always", "RerunOnFailure"}
        rows = (
            (objects.is_deleting(obj), "Terminating"),
            (lives and (objects.is_deleting(instance or {}) or asked == "Stop"), "Stopping"),
            (phase == "Running" and objects.is_true(instance or {}, "Paused"), "Paused"),
            (phase == "Running", "Running"),
            (sync.get("reason") == "FailedPvcNotFound", "ErrorPvcNotFound"),
            (self._any_volume(obj, "Failed") and (lives or wants_start), "DataVolumeError"),
            (scheduled.get("reason") == "Unschedulable", "ErrorUnschedulable"),
            (self._any_volume(obj, "") and (lives or wants_start), "Provisioning"),
            (lives and self._any_unbound(obj), "WaitingForVolumeBinding"),
            (sync.get("reason") in {"ErrImagePull", "ImagePullBackOff"}, str(sync.get("reason"))),
            (lives or (instance is None and wants_start), "Starting"),
        )
        return next((name for holds, name in rows if holds), "Stopped")

    def _any_volume(self, obj: Object, phase: str) -> bool:
        """Whether a data volume of the machine is in a phase; the empty one stands for all unfinished."""
        for volume in obj["spec"]["template"]["spec"].get("volumes") or ():
            if volume.get("dataVolume"):
                key = Key(obj["metadata"]["namespace"], volume["dataVolume"]["name"])
                found = self._plane.store.find(DATA_VOLUME, key)
                if found is None:
                    continue
                is_in = found.get("status", {}).get("phase", "")
                if is_in == phase or (
                    not phase and is_in not in {"Succeeded", "Failed", "WaitForFirstConsumer"}
                ):
                    return True
        return False

    def _any_unbound(self, obj: Object) -> bool:
        for volume in obj["spec"]["template"]["spec"].get("volumes") or ():
            name = (volume.get("persistentVolumeClaim") or {}).get("claimName") or (
                volume.get("dataVolume") or {}
            ).get("name")
            claim = self._plane.store.find(CLAIM, Key(obj["metadata"]["namespace"], name)) if name else None
            if claim is not None and claim.get("status", {}).get("phase") == "Pending":
                return True
        return False


def strategy_of(machine: Object) -> str:
    """The run strategy, also where it is said the old way."""
    spec = machine["spec"]
    if "runStrategy" in spec:
        return str(spec["runStrategy"])
    return "Always" if spec.get("running") else "Halted"


def _fixed_part(spec: Object) -> Object:
    """A machine's template without what a running instance can follow."""
    template = {name: value for name, value in spec["template"]["spec"].items() if name not in LIVE_PLACEMENT}
    template.pop("networks", None)
    domain = dict(template.get("domain") or {})
    cpu = {name: value for name, value in (domain.get("cpu") or {}).items() if name != "sockets"}
    memory = {name: value for name, value in (domain.get("memory") or {}).items() if name != "guest"}
    firmware = {name: value for name, value in (domain.get("firmware") or {}).items() if name != "uuid"}
    devices = {name: value for name, value in (domain.get("devices") or {}).items() if name != "interfaces"}
    template["domain"] = {**domain, "cpu": cpu, "memory": memory, "firmware": firmware, "devices": devices}
    return template
