"""Scheduler and kubelets: a pod gets a node, its networks, its containers, and an end."""

from collections.abc import Callable, Iterable
from typing import Final

import orjson

from devstack.cluster import objects
from devstack.cluster.bridges import BRIDGE, Plug
from devstack.cluster.controllers.placement import FINAL, Placement
from devstack.cluster.controllers.plane import Plane
from devstack.cluster.controllers.runtime import Interests, itself
from devstack.cluster.kinds import CLAIM, GUEST, NETWORK, NODE, POD
from devstack.cluster.objects import Key, Object
from devstack.cluster.registry import Deletion
from devstack.cluster.store import DELETED, Change

SELECTED_NODE: Final = "volume.kubernetes.io/selected-node"
NETWORKS: Final = "k8s.v1.cni.cncf.io/networks"
NETWORK_STATUS: Final = "k8s.v1.cni.cncf.io/network-status"
PLUGGING: Final = "plugging"
PLUGGED: Final = "plugged"


class PodController:
    """All pods. The kubelet of a node that is not ready does nothing."""

    name = "kubelet"

    def __init__(self, plane: Plane, placement: Placement, again: Callable[[Key], None]) -> None:
        self._plane = plane
        self._placement = placement
        self._again = again
        self._networks: dict[str, str] = {}  # pod uid: PLUGGING, PLUGGED, or what went wrong
        self._plugs: dict[str, list[Plug]] = {}
        self._since: dict[str, float] = {}
        self._waiting: dict[Key, None] = {}

    @property
    def interests(self) -> Interests:
        return {POD: self._pod_changed, NODE: self._node_changed, GUEST: self._guest_changed}

    def _pod_changed(self, change: Change) -> Iterable[Key]:
        if change.type == DELETED:
            self._since.pop(change.record.uid, None)
            self._waiting.pop(change.record.key, None)
            self._networks.pop(change.record.uid, None)
            self._clean_up(change.record.uid)
            return [*self._waiting][:1]  # room was made for one
        return itself(change)

    def _node_changed(self, change: Change) -> Iterable[Key]:
        here = {"spec.nodeName": change.record.key.name}.items()
        mine = [each.key for each in self._plane.store.records(POD) if here <= each.fields.items()]
        return [*self._waiting, *mine]

    def _guest_changed(self, change: Change) -> Iterable[Key]:
        return [each.key for each in self._plane.store.dependents(change.record.uid) if each.kind is POD]

    def reconcile(self, key: Key) -> float | None:
        pod = self._plane.store.find(POD, key)
        if pod is None:
            return None
        if pod["spec"].get("nodeName") and not self._node_lives(pod["spec"]["nodeName"]):
            return None
        if objects.is_deleting(pod):
            return self._terminate(key, pod)
        if not pod["spec"].get("nodeName"):
            return self._schedule(key, pod)
        match pod["status"]["phase"]:
            case "Pending":
                again_s = self._set_up(key, pod)
            case "Running":
                again_s = self._watch_over(key, pod)
            case _:
                again_s = self._tear_down(pod, lambda: None)
        return again_s

    def _node_lives(self, name: str) -> bool:
        node = self._plane.store.find(NODE, Key("", name))
        return node is not None and objects.is_true(node, "Ready")

    def _schedule(self, key: Key, pod: Object) -> float | None:
        fault = self._plane.faults.find("unschedulable", namespace=key.namespace, name=_guest_name(pod))
        if fault:
            node, message = (
                "",
                str(fault.arguments.get("message", "0/0 nodes are available: the stand-in was asked to.")),
            )
        else:
            node, message = self._placement.choose(pod)
        if not node:
            self._waiting[key] = None
            self._plane.registry.edit(
                POD, key, lambda obj: self._mark_unschedulable(obj, message), "kube-scheduler"
            )
            self._plane.tell(pod, "Warning", "FailedScheduling", message, "default-scheduler")
            return self._plane.timings.unschedulable_retry
        self._waiting.pop(key, None)
        self._plane.tell(
            pod,
            "Normal",
            "Scheduled",
            f"Successfully assigned {key.namespace}/{key.name} to {node}",
            "default-scheduler",
        )
        self._select_node_for_claims(key.namespace, pod, node)

        def assign(obj: Object) -> None:
            obj["spec"]["nodeName"] = node
            objects.set_condition(obj, "PodScheduled", True, self._plane.now())

        self._plane.registry.edit(POD, key, assign, "kube-scheduler")
        return None

    def _mark_unschedulable(self, pod: Object, message: str) -> None:
        objects.set_condition(pod, "PodScheduled", False, self._plane.now(), "Unschedulable", message)

    def _select_node_for_claims(self, namespace: str, pod: Object, node: str) -> None:
        for name in claims_of(pod):
            self._plane.registry.edit(
                CLAIM, Key(namespace, name), lambda claim: _select_node(claim, node), "kube-scheduler"
            )

    def _set_up(self, key: Key, pod: Object) -> float | None:
        uid = pod["metadata"]["uid"]
        unbound = [name for name in claims_of(pod) if not self._is_bound(Key(key.namespace, name))]
        if unbound:
            return 0.2
        waited_s = self._plane.clock.monotonic() - self._since.setdefault(uid, self._plane.clock.monotonic())
        if waited_s < self._plane.timings.container_start:
            return self._plane.timings.container_start - waited_s
        state = self._networks.get(uid)
        if state is None:
            return self._plug(key, pod)
        if state == PLUGGING:
            return None
        if state != PLUGGED:
            plugin = 'plugin type="multus" name="multus-cni-network"'
            message = f"Failed to create pod sandbox: {plugin} failed (add): {state}"
            self._plane.tell(pod, "Warning", "FailedCreatePodSandBox", message, "kubelet")
            del self._networks[uid]
            return self._plane.timings.plug_retry
        self._plane.tell(pod, "Normal", "Started", "Started container compute", "kubelet")
        self._plane.registry.edit(POD, key, self._run_containers, "kubelet")
        return None

    def _is_bound(self, key: Key) -> bool:
        claim = self._plane.store.find(CLAIM, key)
        return claim is not None and claim.get("status", {}).get("phase") == "Bound"

    def _plug(self, key: Key, pod: Object) -> float | None:
        uid = pod["metadata"]["uid"]
        fault = self._plane.faults.find("plug-fail", namespace=key.namespace, name=_guest_name(pod))
        plugs, error = self.plugs_of(pod)
        if fault:
            error = str(fault.arguments.get("message", "the stand-in was asked to"))
        if error:
            self._networks[uid] = error
            return 0.0
        self._networks[uid] = PLUGGING
        self._plugs[uid] = plugs
        self._plane.bridges.plug(plugs, lambda failure: self._plugged(key, uid, failure))
        return None

    def _plugged(self, key: Key, uid: str, failure: str) -> None:
        if self._plane.store.by_uid(uid) is None:
            self._clean_up(uid)
            return
        self._networks[uid] = failure or PLUGGED
        self._again(key)

    def _clean_up(self, uid: str) -> None:
        """A pod that was removed by force leaves its sandbox to the kubelet."""
        self._plane.bridges.unplug(self._plugs.pop(uid, []), lambda _failure: None)

    def plugs_of(self, pod: Object) -> tuple[list[Plug], str]:
        """The OVS ports of a pod's networks, and what is wrong with them."""
        plugs: list[Plug] = []
        for network in orjson.loads((pod["metadata"].get("annotations") or {}).get(NETWORKS) or "[]"):
            where = Key(network["namespace"], network["name"])
            definition = self._plane.store.find(NETWORK, where)
            if definition is None:
                return [], f"cannot find network-attachment-definition {where.namespace}/{where.name}"
            plug = _plug_of(definition, pod, network)
            if plug:
                plugs.append(plug)
        return plugs, ""

    def _run_containers(self, pod: Object) -> None:
        now = self._plane.now()
        status = pod["status"]
        status["phase"] = "Running"
        status.setdefault("startTime", now)
        status["podIP"] = status.get("podIP") or _address(pod["metadata"]["uid"])
        status["podIPs"] = [{"ip": status["podIP"]}]
        for kind in ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"):
            objects.set_condition(pod, kind, True, now)
        for field, specs in (
            ("initContainerStatuses", "initContainers"),
            ("containerStatuses", "containers"),
        ):
            running = [_running(each, now) for each in pod["spec"].get(specs) or ()]
            if running:
                status[field] = running
        networks = orjson.loads((pod["metadata"].get("annotations") or {}).get(NETWORKS) or "[]")
        if networks:
            told = [
                {
                    "name": f"{each['namespace']}/{each['name']}",
                    "interface": each.get("interface", ""),
                    "mac": each.get("mac", ""),
                    "dns": {},
                }
                for each in networks
            ]
            pod["metadata"]["annotations"][NETWORK_STATUS] = orjson.dumps(told).decode()

    def _watch_over(self, key: Key, pod: Object) -> float | None:
        """A launcher ends when its guest is final."""
        owner = next(
            (each for each in pod["metadata"].get("ownerReferences") or () if each["kind"] == GUEST.kind),
            None,
        )
        record = self._plane.store.by_uid(owner["uid"]) if owner else None
        if record is None:
            return None
        phase = record.load().get("status", {}).get("phase")
        if phase in FINAL:
            self._plane.registry.edit(POD, key, lambda obj: _finish(obj, phase, self._plane.now()), "kubelet")
        return None

    def _terminate(self, key: Key, pod: Object) -> float | None:
        uid = pod["metadata"]["uid"]
        created_by = (pod["metadata"].get("labels") or {}).get("kubevirt.io/created-by", "")
        self._plane.guests.power_off(created_by)
        return self._tear_down(pod, lambda: self._remove(key, uid))

    def _remove(self, key: Key, uid: str) -> None:
        record = self._plane.store.record(POD, key)
        if record and record.uid == uid:
            self._plane.registry.delete(POD, key, Deletion(grace_period_s=0))

    def _tear_down(self, pod: Object, then: Callable[[], None]) -> float | None:
        """Unplug what was plugged, then go on."""
        uid = pod["metadata"]["uid"]
        if self._networks.get(uid) == PLUGGING:
            return 0.05
        self._networks.pop(uid, None)
        self._plane.bridges.unplug(self._plugs.pop(uid, []), lambda _failure: then())
        return None

    def adopt(self) -> list[Plug]:
        """After a restart: what is plugged for the running pods."""
        plugged: list[Plug] = []
        for record in self._plane.store.records(POD):
            if record.fields["status.phase"] == "Running":
                self._networks[record.uid] = PLUGGED
                self._plugs[record.uid] = self.plugs_of(record.load())[0]
                plugged += self._plugs[record.uid]
        return plugged


def claims_of(pod: Object) -> list[str]:
    """The claims that a pod mounts."""
    volumes = pod["spec"].get("volumes") or ()
    return [
        each["persistentVolumeClaim"]["claimName"] for each in volumes if each.get("persistentVolumeClaim")
    ]


def _guest_name(pod: Object) -> str:
    annotations = pod["metadata"].get("annotations") or {}
    return str(annotations.get("kubevirt.io/domain", pod["metadata"]["name"]))


def _select_node(claim: Object, node: str) -> None:
    if not claim["spec"].get("volumeName"):
        claim["metadata"].setdefault("annotations", {}).setdefault(SELECTED_NODE, node)


def _plug_of(definition: Object, pod: Object, network: Object) -> Plug | None:
    """What ovs-cni would do for a network attachment; None when it is no OVS network or names no OVN port."""
    config = orjson.loads((definition.get("spec") or {}).get("config") or "{}")
    given = {key.lower(): value for key, value in (config.get("args", {}).get("cni") or {}).items()}
    if config.get("type") != "ovs" or not given.get("ovnport"):
        return None
    annotations = pod["metadata"].get("annotations") or {}
    return Plug(
        node=pod["spec"]["nodeName"],
        port_id=given["ovnport"],
        mac=given.get("mac") or network.get("mac", ""),
        machine_uuid=annotations.get("kubevirt.io/vm-uuid", ""),
        mtu=config.get("mtu"),
        bridge=config.get("bridge") or BRIDGE,
    )


def _running(container: Object, now: str) -> Object:
    return {
        "name": container["name"],
        "image": container.get("image", ""),
        "imageID": container.get("image", ""),
        "containerID": f"containerd://{objects.new_uid().replace('-', '')}",
        "ready": True,
        "started": True,
        "restartCount": 0,
        "lastState": {},
        "state": {"running": {"startedAt": now}},
    }


def _finish(pod: Object, phase: str, now: str) -> None:
    pod["status"]["phase"] = phase
    code = 0 if phase == "Succeeded" else 1
    for kind in ("Ready", "ContainersReady"):
        objects.set_condition(pod, kind, False, now, "PodCompleted" if code == 0 else "PodFailed")
    for field in ("initContainerStatuses", "containerStatuses"):
        for each in pod["status"].get(field) or ():
            each["ready"] = each["started"] = False
            reason = "Completed" if code == 0 else "Error"
            each["state"] = {"terminated": {"exitCode": code, "reason": reason, "finishedAt": now}}


def _address(uid: str) -> str:
    """A pod address in 10.244/16, steady for a uid."""
    number = int(uid.replace("-", "")[:8], 16)
    return f"10.244.{number >> 8 & 255}.{number & 255}"
