"""What holds in every phase of an instance: how it goes from one to the next, and who writes it."""

from collections.abc import Callable
from typing import Final

from devstack.cluster import objects
from devstack.cluster.controllers.plane import Plane
from devstack.cluster.kinds import GUEST, NODE
from devstack.cluster.objects import Key, Object

FINALIZERS: Final = (
    "kubevirt.io/foregroundDeleteVirtualMachine",
    "kubevirt.io/virtualMachineControllerFinalize",
)
NODE_LABEL: Final = "kubevirt.io/nodeName"
CONTROLLER: Final = "virt-controller"
HANDLER: Final = "virt-handler"


class Phases:
    """Moves instances along their phases."""

    def __init__(self, plane: Plane) -> None:
        self._plane = plane

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
