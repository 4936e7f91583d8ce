"""The launcher pod that virt-controller makes for an instance."""

import hashlib
import math
from typing import Any, Final

import orjson

from devstack.cluster import objects
from devstack.cluster.objects import Object, bytes_of

IMAGE: Final = "quay.io/kubevirt/virt-launcher:v1.9.0"
MIB: Final = 1024 * 1024
DEFAULT_CPU_RATIO: Final = 10
_FIXED_OVERHEAD_MIB: Final = 220 + 8 + 32  # processes, IO thread, graphics
_OVERHEAD_PER_CPU_MIB: Final = 8
_GUEST_PAGES_SHARE: Final = 512
PERSISTENT: Final = ("persistentVolumeClaim", "dataVolume", "ephemeral")


def cpus_of(spec: Object) -> int:
    """A guest's vCPUs."""
    cpu = spec.get("domain", {}).get("cpu") or {}
    return int((cpu.get("sockets") or 1) * (cpu.get("cores") or 1) * (cpu.get("threads") or 1))


def guest_bytes(spec: Object) -> int:
    """What the guest sees as its memory."""
    domain = spec.get("domain", {})
    memory = (domain.get("memory") or {}).get("guest")
    if memory is None:
        memory = ((domain.get("resources") or {}).get("requests") or {}).get("memory", 0)
    return bytes_of(memory)


def overhead_bytes(spec: Object) -> int:
    """What virt-controller adds to the guest's memory."""
    guest = guest_bytes(spec)
    fixed = _FIXED_OVERHEAD_MIB + _OVERHEAD_PER_CPU_MIB * cpus_of(spec)
    if (spec.get("domain", {}).get("cpu") or {}).get("dedicatedCpuPlacement"):
        fixed += 100
    return guest // _GUEST_PAGES_SHARE + fixed * MIB


def claim_names(spec: Object) -> list[str]:
    """The claims an instance's volumes stand on."""
    names = []
    for volume in spec.get("volumes") or ():
        if volume.get("dataVolume"):
            names.append(volume["dataVolume"]["name"])
        elif volume.get("persistentVolumeClaim"):
            names.append(volume["persistentVolumeClaim"]["claimName"])
        elif volume.get("ephemeral"):
            names.append(volume["ephemeral"]["persistentVolumeClaim"]["claimName"])
    return names


def pod_interface(network_name: str) -> str:
    """KubeVirt's hashed name of a pod's network interface."""
    return "pod" + hashlib.sha256(network_name.encode()).hexdigest()[:11]


def network_key(instance: Object, network: Object) -> objects.Key:
    """The attachment definition that a multus network names."""
    space, slash, name = network["multus"]["networkName"].rpartition("/")
    return objects.Key(space if slash else instance["metadata"]["namespace"], name)


def launcher(instance: Object, cpu_ratio: int = DEFAULT_CPU_RATIO) -> Object:
    """The pod for an instance."""
    meta, spec = instance["metadata"], instance["spec"]
    annotations = {
        "kubevirt.io/domain": meta["name"],
        "kubectl.kubernetes.io/default-container": "compute",
        "kubevirt.io/vm-uuid": str((spec.get("domain", {}).get("firmware") or {}).get("uuid", "")),
    }
    networks = _networks(instance)
    if networks:
        annotations["k8s.v1.cni.cncf.io/networks"] = orjson.dumps(networks).decode()
    labels = {
        **(meta.get("labels") or {}),
        "kubevirt.io": "virt-launcher",
        "kubevirt.io/created-by": meta["uid"],
        "vm.kubevirt.io/name": meta["name"],
        "vmi.kubevirt.io/id": meta["name"],
    }
    selector = {"kubevirt.io/schedulable": "true", "kubernetes.io/arch": spec.get("architecture", "amd64")}
    cpu = spec.get("domain", {}).get("cpu") or {}
    if cpu.get("dedicatedCpuPlacement"):
        selector["kubevirt.io/cpumanager"] = "true"
    pod_spec: Object = {
        "containers": [_compute(spec, cpu_ratio)],
        "volumes": _volumes(spec),
        "nodeSelector": {**selector, **(spec.get("nodeSelector") or {})},
        "tolerations": spec.get("tolerations") or [],
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": int(spec.get("terminationGracePeriodSeconds", 30)) + 15,
        "hostname": spec.get("hostname") or meta["name"][:63],
        "enableServiceLinks": False,
        "automountServiceAccountToken": False,
        "schedulerName": spec.get("schedulerName") or "default-scheduler",
    }
    if _logs_console(spec):
        pod_spec["initContainers"] = [_console_log()]
    return {
        "metadata": {
            "generateName": f"virt-launcher-{meta['name']}-",
            "namespace": meta["namespace"],
            "labels": labels,
            "annotations": annotations,
            "ownerReferences": [objects.owner_reference(instance)],
        },
        "spec": pod_spec,
    }


def _logs_console(spec: Object) -> bool:
    devices = spec.get("domain", {}).get("devices") or {}
    return (
        devices.get("autoattachSerialConsole", True) is not False
        and devices.get("logSerialConsole", True) is not False
    )


def _console_log() -> Object:
    return {
        "name": "guest-console-log",
        "image": IMAGE,
        "command": ["/usr/bin/virt-tail"],
        "restartPolicy": "Always",
        "resources": {"requests": {"cpu": "5m", "memory": "35M"}, "limits": {"cpu": "15m", "memory": "60M"}},
    }


def _compute(spec: Object, cpu_ratio: int) -> Object:
    cpus, memory = cpus_of(spec), guest_bytes(spec) + overhead_bytes(spec)
    dedicated = (spec.get("domain", {}).get("cpu") or {}).get("dedicatedCpuPlacement")
    given = spec.get("domain", {}).get("resources") or {}
    cpu = str(cpus) if dedicated else f"{math.ceil(cpus * 1000 / cpu_ratio)}m"
    requests: Object = {
        "cpu": (given.get("requests") or {}).get("cpu", cpu),
        "memory": str(memory),
        "ephemeral-storage": "50M",
    }
    limits: dict[str, Any] = {f"devices.kubevirt.io/{device}": "1" for device in ("kvm", "tun", "vhost-net")}
    page = ((spec.get("domain", {}).get("memory") or {}).get("hugepages") or {}).get("pageSize")
    if page:
        limits[f"hugepages-{page}"] = str(guest_bytes(spec))
        requests["memory"] = str(overhead_bytes(spec))
    for device in (*(_devices(spec, "hostDevices")), *(_devices(spec, "gpus"))):
        limits[device] = str(int(limits.get(device, 0)) + 1)
    if dedicated:
        limits |= {"cpu": cpu, "memory": requests["memory"]}
    return {
        "name": "compute",
        "image": IMAGE,
        "command": ["/usr/bin/virt-launcher-monitor"],
        "resources": {"requests": {**requests, **limits}, "limits": limits},
    }


def _devices(spec: Object, what: str) -> list[str]:
    devices = (spec.get("domain", {}).get("devices") or {}).get(what) or ()
    return [each["deviceName"] for each in devices if each.get("deviceName")]


def _volumes(spec: Object) -> list[Object]:
    volumes: list[Object] = [{"name": "private", "emptyDir": {}}]
    for volume in spec.get("volumes") or ():
        name = next(iter(claim_names({"volumes": [volume]})), None)
        if name:
            volumes.append({"name": volume["name"], "persistentVolumeClaim": {"claimName": name}})
    return volumes


def _networks(instance: Object) -> list[Object]:
    spec = instance["spec"]
    interfaces = {
        each["name"]: each for each in spec.get("domain", {}).get("devices", {}).get("interfaces") or ()
    }
    found = []
    for network in spec.get("networks") or ():
        if not network.get("multus"):
            continue
        interface = interfaces.get(network["name"], {})
        if interface.get("state") == "absent":
            continue
        key = network_key(instance, network)
        entry = {"name": key.name, "namespace": key.namespace, "interface": pod_interface(network["name"])}
        if interface.get("macAddress"):
            entry["mac"] = interface["macAddress"]
        found.append(entry)
    return found
