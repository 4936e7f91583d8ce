"""The node: identity, inventory, events (docs/kubevirt.md, 1.1, 2.1, 2.12, 2.13)."""

import logging
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import os_traits

from openkeel.virt.driver import GuestEvent, GuestEventKind, HostFailure, HostInventory
from openkeel.virt.kubevirt import names, status
from openkeel.virt.kubevirt.client import KubeClient, Object
from openkeel.virt.kubevirt.errors import Clash, KubeError
from openkeel.virt.kubevirt.guests import driver_errors
from openkeel.virt.kubevirt.quantities import bytes_of, cores_of
from openkeel.virt.kubevirt.settings import Settings
from openkeel.virt.kubevirt.uptime import uptime_line
from openkeel.virt.kubevirt.watch import Cache

LOG = logging.getLogger(__name__)

_FLOOR: Final = (1, 8)
_NEEDED_GROUPS: Final = ("kubevirt.io", "subresources.kubevirt.io", "cdi.kubevirt.io", "k8s.cni.cncf.io")
_ARCHITECTURES: Final = {"amd64": "x86_64", "arm64": "aarch64", "s390x": "s390x"}
_FEATURE_LABEL: Final = "cpu-feature.node.kubevirt.io/"
_SYNC_S: Final = 60.0
_MIB: Final = 1024**2
_GIB: Final = 1024**3

# KubeVirt's name of a processor feature -> the trait, where the two differ in more than spelling.
_FEATURE_TRAITS: Final = {
    "aes": "AESNI", "pclmuldq": "CLMUL", "fma": "FMA3", "pni": "SSE3", "sha-ni": "SHA",
    "sse4.1": "SSE41", "sse4.2": "SSE42", "sse4a": "SSE4A", "bmi1": "BMI", "avx512vbmi2": "AVX512VBMI2",
}  # fmt: skip

# What KubeVirt offers on every node (docs/kubevirt.md, 2.12).
_STATIC_TRAITS: Final = frozenset(
    {
        "COMPUTE_STORAGE_BUS_VIRTIO", "COMPUTE_STORAGE_BUS_SCSI", "COMPUTE_STORAGE_BUS_SATA",
        "COMPUTE_STORAGE_BUS_USB", "COMPUTE_NET_VIF_MODEL_VIRTIO", "COMPUTE_NET_VIF_MODEL_E1000",
        "COMPUTE_NET_VIF_MODEL_E1000E", "COMPUTE_NET_VIF_MODEL_IGB", "COMPUTE_NET_VIF_MODEL_NE2K_PCI",
        "COMPUTE_NET_VIF_MODEL_PCNET", "COMPUTE_NET_VIF_MODEL_RTL8139", "COMPUTE_FIRMWARE_BIOS",
        "COMPUTE_FIRMWARE_UEFI",
    }
)  # fmt: skip


class KubevirtHost:
    """`virt.driver.Host` on a cluster."""

    def __init__(self, client: KubeClient, settings: Settings) -> None:
        self._client = client
        self._settings = settings
        self._on_event: Callable[[GuestEvent], None] = lambda _event: None
        self._version = 0
        self._node_label = settings.node_name
        self.vms = Cache(
            client,
            "/apis/kubevirt.io/v1/virtualmachines",
            f"{names.MANAGED_BY}={names.OPENKEEL},{names.HOST}={settings.node_name}",
            lambda _old, _new: None,
        )
        self.vmis = Cache(
            client,
            "/apis/kubevirt.io/v1/virtualmachineinstances",
            f"{names.MANAGED_BY}={names.OPENKEEL},{names.VMI_NODE}={settings.node_name}",
            self._instance_changed,
        )

    # Identity

    def start(self, on_event: Callable[[GuestEvent], None]) -> None:
        """Refuse to serve a cluster that cannot carry guests, naming what is amiss."""
        self._on_event = on_event
        with driver_errors():
            groups = {group["name"] for group in self._client.get("/apis")["groups"]}
            missing = [group for group in _NEEDED_GROUPS if group not in groups]
            if missing:
                raise HostFailure(reason=f"the cluster has no {', '.join(missing)}")
            kubevirts = self._client.get("/apis/kubevirt.io/v1/kubevirts")["items"]
            if not kubevirts:
                raise HostFailure(reason="KubeVirt is not deployed in the cluster")
            self._check_kubevirt(kubevirts[0])
            node = self._client.get(f"/api/v1/nodes/{self._settings.node_name}")
            self._node_label = (
                node["metadata"].get("labels", {}).get("kubernetes.io/hostname", self._settings.node_name)
            )
            self.vms.start(_SYNC_S)
            self.vmis.start(_SYNC_S)

    def _check_kubevirt(self, kubevirt: Object) -> None:
        text = str(kubevirt.get("status", {}).get("observedKubeVirtVersion", ""))
        match = re.match(r"v?(\d+)\.(\d+)(?:\.(\d+))?", text)
        if not match:
            raise HostFailure(reason=f"KubeVirt's version {text!r} is unknown")
        major, minor, patch = (int(part or 0) for part in match.groups())
        if (major, minor) < _FLOOR:
            raise HostFailure(reason=f"KubeVirt {text} is older than {_FLOOR[0]}.{_FLOOR[1]}")
        self._version = major * 1_000_000 + minor * 1_000 + patch
        rollout = kubevirt.get("spec", {}).get("configuration", {}).get("vmRolloutStrategy")
        if rollout == "Stage":
            raise HostFailure(reason="vmRolloutStrategy is Stage; OpenKeel needs LiveUpdate")

    def stop(self) -> None:
        """Stop watching."""
        self.vms.stop()
        self.vmis.stop()

    def node_name(self) -> str:
        """As configured: host, node and chassis have one name."""
        return self._settings.node_name

    def node_label(self) -> str:
        """What pods select the node by; it may differ from its name."""
        return self._node_label

    def node_uuid(self, proposed: str) -> str:
        """Kept as an annotation of the node, since pods have no file that stays."""
        path = f"/api/v1/nodes/{self._settings.node_name}"
        with driver_errors():
            while True:
                node = self._client.get(path)
                known = node["metadata"].get("annotations", {}).get(names.COMPUTE_NODE_UUID)
                if known:
                    return str(known)
                try:
                    self._client.merge(
                        path,
                        {
                            "metadata": {
                                "resourceVersion": node["metadata"]["resourceVersion"],
                                "annotations": {names.COMPUTE_NODE_UUID: proposed},
                            }
                        },
                    )
                except Clash:
                    continue  # the kubelet writes its status every few seconds

    # Inventory

    def inventory(self) -> HostInventory:
        """What the node can give to guests, less what pods that are not ours have asked for."""
        with driver_errors():
            name = self._settings.node_name
            node = self._client.get(f"/api/v1/nodes/{name}")
            pods = self._client.list("/api/v1/pods", fieldSelector=f"spec.nodeName={name}")[0]
            label = node["metadata"].get("labels", {})
            allocatable = node["status"]["allocatable"]
            cores, memory = _foreign_requests(pods)
            info = node["status"].get("nodeInfo", {})
            arch = _ARCHITECTURES.get(info.get("architecture", ""), info.get("architecture", ""))
            return HostInventory(
                vcpus=int(cores_of(allocatable["cpu"])),
                memory_mib=bytes_of(allocatable["memory"]) // _MIB,
                disk_gib=self._disk_gib(allocatable),
                hypervisor_type="KubeVirt",
                hypervisor_version=self._version,
                architecture=arch,
                cpu_info=_cpu_info(label, arch, int(cores_of(allocatable["cpu"]))),
                memory_mib_reserved=-(-memory // _MIB),
                vcpus_reserved=int(-(-cores // 1)),
                host_ip=next(
                    (
                        address["address"]
                        for address in node["status"].get("addresses", ())
                        if address["type"] == "InternalIP"
                    ),
                    None,
                ),
                traits=_traits(label),
            )

    def _disk_gib(self, allocatable: Mapping[str, Any]) -> int:
        if self._settings.disk_gib:
            return self._settings.disk_gib
        capacities = self._client.list("/apis/storage.k8s.io/v1/csistoragecapacities")[0]
        wanted = self._settings.root_storage_class
        reported = [
            bytes_of(item["capacity"])
            for item in capacities
            if item.get("capacity")
            and (wanted is None or item.get("storageClassName") == wanted)
            and self._reaches(item.get("nodeTopology"))
        ]
        if reported:
            return max(reported) // _GIB
        return bytes_of(allocatable.get("ephemeral-storage", "0")) // _GIB

    def _reaches(self, topology: Mapping[str, Any] | None) -> bool:
        wanted = (topology or {}).get("matchLabels", {}).get("kubernetes.io/hostname")
        return wanted in {None, self._node_label}

    def uptime(self) -> str | None:
        """Known to a compute that runs on its node."""
        with driver_errors():
            node = self._client.get(f"/api/v1/nodes/{self._settings.node_name}")
        return uptime_line(
            node["status"].get("nodeInfo", {}).get("bootID", ""), datetime.now(UTC).astimezone()
        )

    # Events

    def _instance_changed(self, old: Object | None, new: Object | None) -> None:
        kind = _event_kind(old, new)
        if kind is None:
            return
        subject = new or old or {}
        uuid = subject["metadata"].get("labels", {}).get(names.INSTANCE)
        if kind is GuestEventKind.STOPPED and new is None and self._moved_away(subject):
            return
        if uuid:
            self._on_event(GuestEvent(uuid, kind, datetime.now(UTC)))

    def _moved_away(self, vmi: Object) -> bool:
        """An instance that leaves the selection was migrated, not stopped."""
        meta = vmi["metadata"]
        try:
            now = self._client.find(names.virtual_machine_instances(meta["namespace"], meta["name"]))
        except KubeError:
            return False
        return bool(
            now
            and now["metadata"]["uid"] == meta["uid"]
            and now.get("status", {}).get("nodeName") not in {None, self._settings.node_name}
        )


def _event_kind(old: Object | None, new: Object | None) -> GuestEventKind | None:
    before, after = status.guest_status(old).power, status.guest_status(new).power
    was, now = status.phase_of(old), status.phase_of(new)
    if now in status.FINAL and was not in status.FINAL:
        return GuestEventKind.STOPPED
    if new is None:
        return GuestEventKind.STOPPED if was == "Running" else None
    if now == "Running" and was != "Running":
        return GuestEventKind.STARTED
    if before != after and now == "Running":
        return GuestEventKind.PAUSED if status.is_true(new, "Paused") else GuestEventKind.RESUMED
    return None


def _foreign_requests(pods: list[Object]) -> tuple[float, int]:
    """Cores and bytes asked for by pods that OpenKeel did not make."""
    cores, memory = 0.0, 0
    for pod in pods:
        if pod["metadata"].get("labels", {}).get(names.MANAGED_BY) == names.OPENKEEL:
            continue
        if pod.get("status", {}).get("phase") in {"Succeeded", "Failed"}:
            continue
        for container in pod["spec"].get("containers", ()):
            requests = container.get("resources", {}).get("requests", {})
            cores += cores_of(requests.get("cpu", "0"))
            memory += bytes_of(requests.get("memory", "0"))
    return cores, memory


def _cpu_info(label: Mapping[str, str], arch: str, cores: int) -> dict[str, object]:
    def suffix_of(prefix: str) -> str | None:
        return next((key.removeprefix(prefix) for key in label if key.startswith(prefix)), None)

    return {
        "arch": arch,
        "model": suffix_of("host-model-cpu.node.kubevirt.io/"),
        "vendor": suffix_of("cpu-vendor.node.kubevirt.io/"),
        "topology": {"sockets": 1, "cores": cores, "threads": 1},
        "features": sorted(
            key.removeprefix(_FEATURE_LABEL) for key, value in label.items()
            if key.startswith(_FEATURE_LABEL) and value == "true"
        ),
    }  # fmt: skip


def _traits(label: Mapping[str, str]) -> frozenset[str]:
    known = set(os_traits.get_traits())
    found = set(_STATIC_TRAITS)
    for key, value in label.items():
        if key.startswith(_FEATURE_LABEL) and value == "true":
            feature = key.removeprefix(_FEATURE_LABEL)
            found.add(f"HW_CPU_X86_{_FEATURE_TRAITS.get(feature, feature.upper())}")
    return frozenset(found & known)
