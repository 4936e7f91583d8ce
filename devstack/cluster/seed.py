"""What a cluster has before anybody asks: nodes, storage classes, KubeVirt's own object."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devstack.cluster import objects
from devstack.cluster.discovery import GIT_VERSION, KUBEVIRT_VERSION
from devstack.cluster.kinds import (
    CDI_CONFIG,
    KUBEVIRT,
    NAMESPACE,
    NODE,
    STORAGE_CAPACITY,
    STORAGE_CLASS,
    Kind,
)
from devstack.cluster.objects import Key, Object
from devstack.cluster.registry import Registry
from devstack.cluster.write_checks import Write

BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
NAMESPACES: Final = ("default", "kube-system", "kube-public", "kube-node-lease", "kubevirt", "cdi")
PROVISIONER: Final = "block.standin.openkeel.io"
CPU_FEATURES: Final = (
    "aes",
    "apic",
    "avx",
    "avx2",
    "bmi1",
    "bmi2",
    "f16c",
    "fma",
    "mmx",
    "pclmuldq",
    "pdpe1gb",
    "pni",
    "rdrand",
    "sse",
    "sse2",
    "sse4.1",
    "sse4.2",
    "ssse3",
    "svm",
    "x2apic",
)
CPU_MODELS: Final = ("EPYC", "EPYC-Rome", "EPYC-Milan", "Nehalem", "Haswell-noTSX", "Skylake-Client-IBRS")
MACHINE_TYPES: Final = ("q35", "pc-q35-rhel9.6.0", "pc-q35-rhel9.4.0")
HYPERV: Final = (
    "base",
    "frequencies",
    "ipi",
    "reset",
    "runtime",
    "synic",
    "synictimer",
    "time",
    "tlbflush",
    "vpindex",
)
KUBEVIRT_CONFIGURATION: Final[Object] = {
    "vmRolloutStrategy": "LiveUpdate",
    "evictionStrategy": "External",
    "developerConfiguration": {"featureGates": ["CPUManager", "HostDevices"], "cpuAllocationRatio": 16},
    "liveUpdateConfiguration": {"maxHotplugRatio": 1},
    "smbios": {
        "manufacturer": "OpenStack Foundation",
        "product": "OpenStack Nova",
        "family": "Virtual Machine",
    },
    "migrations": {"parallelOutboundMigrationsPerNode": 2, "parallelMigrationsPerCluster": 10},
    "permittedHostDevices": {"pciHostDevices": [], "mediatedDevices": []},
}


@dataclass(frozen=True, slots=True)
class NodeSize:
    """What every node has to give."""

    cpus: int = 16
    memory: str = "64Gi"
    disk: str = "500Gi"
    pods: int = 1000


def seed(registry: Registry, nodes: tuple[str, ...], size: NodeSize) -> None:
    """Make what is missing; what an earlier start made, or somebody changed, stays."""
    for name in NAMESPACES:
        _ensure(registry, NAMESPACE, {"metadata": {"name": name}})
    for storage_class in _storage_classes():
        _ensure(registry, STORAGE_CLASS, storage_class)
        _ensure(registry, STORAGE_CAPACITY, _capacity(storage_class["metadata"]["name"], size))
    _ensure(
        registry,
        CDI_CONFIG,
        {"metadata": {"name": "config"}, "spec": {}, "status": {"filesystemOverhead": {"global": "0.06"}}},
    )
    _ensure(registry, KUBEVIRT, _kubevirt(registry))
    for number, name in enumerate(nodes, 1):
        _ensure(registry, NODE, node(name, number, size, registry.now()))
        registry.edit(NODE, Key("", name), _booted, "kubelet")


def _ensure(registry: Registry, kind: Kind, obj: Object) -> None:
    key = Key(obj["metadata"].get("namespace", ""), obj["metadata"]["name"])
    if registry.store.record(kind, key) is None:
        registry.create(kind, obj, Write("stand-in", trusted=True))


def _booted(obj: Object) -> None:
    """The nodes share this machine's kernel."""
    obj["status"]["nodeInfo"]["bootID"] = BOOT_ID.read_text().strip()


def _storage_classes() -> list[Object]:
    """Shared block storage by default; `local` binds on the node of the first consumer."""
    rows = (("standard", "Immediate", True), ("local", "WaitForFirstConsumer", False))
    return [
        {
            "metadata": {
                "name": name,
                "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}
                if name == "standard"
                else {},
            },
            "provisioner": PROVISIONER,
            "parameters": {"standin.openkeel.io/shared": str(shared).lower()},
            "reclaimPolicy": "Delete",
            "volumeBindingMode": mode,
            "allowVolumeExpansion": True,
        }
        for name, mode, shared in rows
    ]


def _capacity(storage_class: str, size: NodeSize) -> Object:
    return {
        "metadata": {"name": f"csisc-{storage_class}", "namespace": "kube-system"},
        "storageClassName": storage_class,
        "nodeTopology": {},
        "capacity": size.disk,
    }


def _kubevirt(registry: Registry) -> Object:
    now = registry.now()
    obj: Object = {
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
        "spec": {
            "workloadUpdateStrategy": {"workloadUpdateMethods": []},
            "configuration": KUBEVIRT_CONFIGURATION,
        },
        "status": {
            "phase": "Deployed",
            "observedKubeVirtVersion": KUBEVIRT_VERSION,
            "targetKubeVirtVersion": KUBEVIRT_VERSION,
            "operatorVersion": KUBEVIRT_VERSION,
            "observedKubeVirtRegistry": "quay.io/kubevirt",
            "observedGeneration": 1,
            "defaultArchitecture": "amd64",
        },
    }
    objects.set_condition(obj, "Available", True, now, "AllComponentsReady", "All components are ready.")
    objects.set_condition(obj, "Progressing", False, now, "AllComponentsReady", "All components are ready.")
    objects.set_condition(obj, "Degraded", False, now, "AllComponentsReady", "All components are ready.")
    return obj


def node(name: str, number: int, size: NodeSize, now: str) -> Object:
    """A node as kubelet and virt-handler describe it."""
    labels = {
        "kubernetes.io/hostname": name,
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": "linux",
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "node-role.kubernetes.io/worker": "",
        "openkeel.io/compute": "true",
        "kubevirt.io/schedulable": "true",
        "kubevirt.io/cpumanager": "false",
        "cpumanager": "false",
        "cpu-vendor.node.kubevirt.io/AMD": "true",
        "host-model-cpu.node.kubevirt.io/EPYC-Milan": "true",
        "cpu-timer.node.kubevirt.io/tsc-frequency": "2445000000",
        "cpu-timer.node.kubevirt.io/tsc-scalable": "true",
        "kubevirt.io/ksm-enabled": "false",
        **{f"cpu-feature.node.kubevirt.io/{each}": "true" for each in CPU_FEATURES},
        **{f"cpu-model.node.kubevirt.io/{each}": "true" for each in CPU_MODELS},
        **{f"machine-type.node.kubevirt.io/{each}": "true" for each in MACHINE_TYPES},
        **{f"hyperv.node.kubevirt.io/{each}": "true" for each in HYPERV},
    }
    amounts = {
        "cpu": str(size.cpus),
        "memory": f"{objects.bytes_of(size.memory) // 1024}Ki",
        "ephemeral-storage": f"{objects.bytes_of(size.disk) // 1024}Ki",
        "pods": str(size.pods),
        "hugepages-1Gi": "0",
        "hugepages-2Mi": "0",
        **{f"devices.kubevirt.io/{device}": "1k" for device in ("kvm", "tun", "vhost-net")},
    }
    obj: Object = {
        "kind": NODE.kind,
        "metadata": {
            "name": name,
            "labels": labels,
            "annotations": {"kubevirt.io/heartbeat": now, "node.alpha.kubernetes.io/ttl": "0"},
        },
        "spec": {"podCIDR": f"10.244.{number}.0/24", "podCIDRs": [f"10.244.{number}.0/24"]},
        "status": {
            "addresses": [
                {"type": "InternalIP", "address": f"127.0.0.{10 + number}"},
                {"type": "Hostname", "address": name},
            ],
            "capacity": dict(amounts),
            "allocatable": dict(amounts),
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "nodeInfo": {
                "architecture": "amd64",
                "bootID": BOOT_ID.read_text().strip(),
                "containerRuntimeVersion": "containerd://2.0.5",
                "kernelVersion": "6.1.0-standin-amd64",
                "kubeProxyVersion": "",
                "kubeletVersion": GIT_VERSION,
                "machineID": objects.new_uid().replace("-", ""),
                "operatingSystem": "linux",
                "osImage": "OpenKeel stand-in",
                "systemUUID": objects.new_uid(),
            },
        },
    }
    for kind, reason in (
        ("MemoryPressure", "KubeletHasSufficientMemory"),
        ("DiskPressure", "KubeletHasNoDiskPressure"),
        ("PIDPressure", "KubeletHasSufficientPID"),
    ):
        objects.set_condition(obj, kind, False, now, reason, reason)
    objects.set_condition(obj, "Ready", True, now, "KubeletReady", "kubelet is posting ready status")
    return obj
