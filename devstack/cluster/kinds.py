"""The kinds this cluster serves, one row each. A kind without a row is a 404, as on a cluster without it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

ALL_VERBS: Final = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of `kubectl get`; `path` is dotted, `priority` 1 shows only with -o wide."""

    name: str
    path: str
    type: str = "string"
    priority: int = 0


AGE: Final = Column("Age", "metadata.creationTimestamp", "date")


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """What the API server knows about a kind before it sees an object of it.

    `custom` kinds come from a CustomResourceDefinition: no strategic merge, an own generation, selectable by
    name only. `fields` maps further field selectors to dotted paths.
    """

    group: str
    version: str
    kind: str
    plural: str
    schema: str
    namespaced: bool = True
    custom: bool = False
    has_status: bool = False
    singular: str = ""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ALL_VERBS
    columns: tuple[Column, ...] = (AGE,)
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def resource(self) -> str:
        """`virtualmachines.kubevirt.io`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural


NAMESPACE: Final = Kind(
    "",
    "v1",
    "Namespace",
    "namespaces",
    "core.v1.Namespace",
    namespaced=False,
    has_status=True,
    short_names=("ns",),
    columns=(Column("Status", "status.phase"), AGE),
    fields={"status.phase": "status.phase"},
)
NODE: Final = Kind(
    "",
    "v1",
    "Node",
    "nodes",
    "core.v1.Node",
    namespaced=False,
    has_status=True,
    short_names=("no",),
    columns=(
        Column("Status", "@ready"),
        Column("Roles", "@roles"),
        AGE,
        Column("Version", "status.nodeInfo.kubeletVersion"),
        Column("Internal-IP", "@internal_ip", priority=1),
        Column("OS-Image", "status.nodeInfo.osImage", priority=1),
        Column("Kernel-Version", "status.nodeInfo.kernelVersion", priority=1),
        Column("Container-Runtime", "status.nodeInfo.containerRuntimeVersion", priority=1),
    ),
    fields={"spec.unschedulable": "spec.unschedulable"},
)
POD: Final = Kind(
    "",
    "v1",
    "Pod",
    "pods",
    "core.v1.Pod",
    has_status=True,
    short_names=("po",),
    categories=("all",),
    columns=(
        Column("Ready", "@ready_containers"),
        Column("Status", "@pod_status"),
        Column("Restarts", "@restarts"),
        AGE,
        Column("IP", "status.podIP", priority=1),
        Column("Node", "spec.nodeName", priority=1),
        Column("Nominated Node", "status.nominatedNodeName", priority=1),
        Column("Readiness Gates", "@none", priority=1),
    ),
    fields={
        "spec.nodeName": "spec.nodeName",
        "status.phase": "status.phase",
        "status.podIP": "status.podIP",
        "spec.restartPolicy": "spec.restartPolicy",
        "spec.schedulerName": "spec.schedulerName",
        "spec.serviceAccountName": "spec.serviceAccountName",
    },
)
EVENT: Final = Kind(
    "",
    "v1",
    "Event",
    "events",
    "core.v1.Event",
    short_names=("ev",),
    columns=(
        Column("Last Seen", "lastTimestamp", "date"),
        Column("Type", "type"),
        Column("Reason", "reason"),
        Column("Object", "@event_object"),
        Column("Message", "message"),
    ),
    fields={
        "involvedObject.kind": "involvedObject.kind",
        "involvedObject.namespace": "involvedObject.namespace",
        "involvedObject.name": "involvedObject.name",
        "involvedObject.uid": "involvedObject.uid",
        "involvedObject.apiVersion": "involvedObject.apiVersion",
        "involvedObject.fieldPath": "involvedObject.fieldPath",
        "involvedObject.resourceVersion": "involvedObject.resourceVersion",
        "reason": "reason",
        "type": "type",
        "reportingComponent": "reportingComponent",
        "source": "source.component",
    },
)
SECRET: Final = Kind(
    "",
    "v1",
    "Secret",
    "secrets",
    "core.v1.Secret",
    columns=(Column("Type", "type"), Column("Data", "@data_count", "integer"), AGE),
    fields={"type": "type"},
)
CONFIG_MAP: Final = Kind(
    "",
    "v1",
    "ConfigMap",
    "configmaps",
    "core.v1.ConfigMap",
    short_names=("cm",),
    columns=(Column("Data", "@data_count", "integer"), AGE),
)
CLAIM: Final = Kind(
    "",
    "v1",
    "PersistentVolumeClaim",
    "persistentvolumeclaims",
    "core.v1.PersistentVolumeClaim",
    has_status=True,
    short_names=("pvc",),
    columns=(
        Column("Status", "@claim_status"),
        Column("Volume", "spec.volumeName"),
        Column("Capacity", "status.capacity.storage"),
        Column("Access Modes", "@access_modes"),
        Column("StorageClass", "spec.storageClassName"),
        AGE,
        Column("VolumeMode", "spec.volumeMode", priority=1),
    ),
)
VOLUME: Final = Kind(
    "",
    "v1",
    "PersistentVolume",
    "persistentvolumes",
    "core.v1.PersistentVolume",
    namespaced=False,
    has_status=True,
    short_names=("pv",),
    columns=(
        Column("Capacity", "spec.capacity.storage"),
        Column("Access Modes", "@access_modes"),
        Column("Reclaim Policy", "spec.persistentVolumeReclaimPolicy"),
        Column("Status", "status.phase"),
        Column("Claim", "@claim_of_volume"),
        Column("StorageClass", "spec.storageClassName"),
        AGE,
        Column("VolumeMode", "spec.volumeMode", priority=1),
    ),
)
STORAGE_CLASS: Final = Kind(
    "storage.k8s.io",
    "v1",
    "StorageClass",
    "storageclasses",
    "storage.v1.StorageClass",
    namespaced=False,
    short_names=("sc",),
    columns=(
        Column("Provisioner", "provisioner"),
        Column("ReclaimPolicy", "reclaimPolicy"),
        Column("VolumeBindingMode", "volumeBindingMode"),
        Column("AllowVolumeExpansion", "allowVolumeExpansion"),
        AGE,
    ),
)
STORAGE_CAPACITY: Final = Kind(
    "storage.k8s.io",
    "v1",
    "CSIStorageCapacity",
    "csistoragecapacities",
    "storage.v1.CSIStorageCapacity",
    columns=(Column("StorageClass", "storageClassName"), Column("Capacity", "capacity"), AGE),
)
LEASE: Final = Kind(
    "coordination.k8s.io",
    "v1",
    "Lease",
    "leases",
    "coordination.v1.Lease",
    columns=(Column("Holder", "spec.holderIdentity"), AGE),
)
CONTROLLER_REVISION: Final = Kind(
    "apps",
    "v1",
    "ControllerRevision",
    "controllerrevisions",
    "apps.v1.ControllerRevision",
    columns=(Column("Revision", "revision", "integer"), AGE),
)
ACCESS_REVIEW: Final = Kind(
    "authorization.k8s.io",
    "v1",
    "SelfSubjectAccessReview",
    "selfsubjectaccessreviews",
    "authorization.v1.SelfSubjectAccessReview",
    namespaced=False,
    verbs=("create",),
)
MACHINE: Final = Kind(
    "kubevirt.io",
    "v1",
    "VirtualMachine",
    "virtualmachines",
    "kubevirt.v1.VirtualMachine",
    custom=True,
    has_status=True,
    short_names=("vm", "vms"),
    categories=("all",),
    columns=(AGE, Column("Status", "status.printableStatus"), Column("Ready", "@condition:Ready")),
)
GUEST: Final = Kind(
    "kubevirt.io",
    "v1",
    "VirtualMachineInstance",
    "virtualmachineinstances",
    "kubevirt.v1.VirtualMachineInstance",
    custom=True,
    short_names=("vmi", "vmis"),
    categories=("all",),
    columns=(
        AGE,
        Column("Phase", "status.phase"),
        Column("IP", "@guest_ip"),
        Column("NodeName", "status.nodeName"),
        Column("Ready", "@condition:Ready"),
        Column("Live-Migratable", "@condition:LiveMigratable", priority=1),
        Column("Paused", "@condition:Paused", priority=1),
    ),
)
KUBEVIRT: Final = Kind(
    "kubevirt.io",
    "v1",
    "KubeVirt",
    "kubevirts",
    "kubevirt.v1.KubeVirt",
    custom=True,
    has_status=True,
    short_names=("kv", "kvs"),
    categories=("all",),
    columns=(AGE, Column("Phase", "status.phase")),
)
DATA_VOLUME: Final = Kind(
    "cdi.kubevirt.io",
    "v1beta1",
    "DataVolume",
    "datavolumes",
    "cdi.v1beta1.DataVolume",
    custom=True,
    has_status=True,
    short_names=("dv", "dvs"),
    categories=("all",),
    columns=(
        Column("Phase", "status.phase"),
        Column("Progress", "status.progress"),
        Column("Restarts", "status.restartCount", "integer"),
        AGE,
    ),
)
DATA_SOURCE: Final = Kind(
    "cdi.kubevirt.io",
    "v1beta1",
    "DataSource",
    "datasources",
    "cdi.v1beta1.DataSource",
    custom=True,
    short_names=("das",),
    categories=("all",),
)
STORAGE_PROFILE: Final = Kind(
    "cdi.kubevirt.io",
    "v1beta1",
    "StorageProfile",
    "storageprofiles",
    "cdi.v1beta1.StorageProfile",
    namespaced=False,
    custom=True,
    has_status=True,
)
CDI_CONFIG: Final = Kind(
    "cdi.kubevirt.io",
    "v1beta1",
    "CDIConfig",
    "cdiconfigs",
    "cdi.v1beta1.CDIConfig",
    namespaced=False,
    custom=True,
)
NETWORK: Final = Kind(
    "k8s.cni.cncf.io",
    "v1",
    "NetworkAttachmentDefinition",
    "network-attachment-definitions",
    "cni.v1.NetworkAttachmentDefinition",
    custom=True,
    singular="network-attachment-definition",
    short_names=("net-attach-def",),
)

KINDS: Final = (
    NAMESPACE,
    NODE,
    POD,
    EVENT,
    SECRET,
    CONFIG_MAP,
    CLAIM,
    VOLUME,
    STORAGE_CLASS,
    STORAGE_CAPACITY,
    LEASE,
    CONTROLLER_REVISION,
    ACCESS_REVIEW,
    MACHINE,
    GUEST,
    KUBEVIRT,
    DATA_VOLUME,
    DATA_SOURCE,
    STORAGE_PROFILE,
    CDI_CONFIG,
    NETWORK,
)
BY_PATH: Final = {(kind.group, kind.version, kind.plural): kind for kind in KINDS}
BY_NAME: Final = {(kind.api_version, kind.kind): kind for kind in KINDS}
