"""Names, labels and paths. Names are made of uuids: nothing a user typed becomes one."""

import re
from typing import Final

MANAGED_BY: Final = "app.kubernetes.io/managed-by"
OPENKEEL: Final = "openkeel"
INSTANCE: Final = "openkeel.io/instance"
PROJECT: Final = "openkeel.io/project"
HOST: Final = "openkeel.io/host"  # on the VM only: the one authority on who owns it
IMAGE: Final = "openkeel.io/image"
PORT: Final = "openkeel.io/port"
SPEC_HASH: Final = "openkeel.io/spec-hash"
INSTANCE_NAME: Final = "openkeel.io/instance-name"
DISPLAY_NAME: Final = "openkeel.io/display-name"
USER: Final = "openkeel.io/user"
COMPUTE_NODE_UUID: Final = "openkeel.io/compute-node-uuid"
VMI_NODE: Final = "kubevirt.io/nodeName"  # KubeVirt's own, moves with a migration

_PROJECT_ID = re.compile(r"[0-9a-z]([0-9a-z-]{0,58}[0-9a-z])?")


def guest(instance_uuid: str) -> str:
    """Name of the VirtualMachine and of its VirtualMachineInstance."""
    return f"i-{instance_uuid}"


def disk(instance_uuid: str, kind: str, index: int) -> str:
    """Name of a local disk's DataVolume and claim; `kind` is root, ephemeral or swap."""
    suffix = f"eph{index}" if kind == "ephemeral" else kind
    return f"i-{instance_uuid}-{suffix}"


def config_drive(instance_uuid: str) -> str:
    """Name of the secret behind the config drive."""
    return f"i-{instance_uuid}-cfg"


def console_log(instance_uuid: str) -> str:
    """Name of the ConfigMap with the console log of a stopped guest."""
    return f"i-{instance_uuid}-conlog"


def attachment(port_id: str) -> str:
    """Name of a port's NetworkAttachmentDefinition."""
    return f"okp-{port_id}"


def network(port_id: str) -> str:
    """Name of a port's network and interface inside the VM."""
    return f"p-{port_id}"


def namespace(prefix: str, project_id: str) -> str:
    """The namespace of a project.

    Raises: ValueError for an id that is no label of the domain name system.
    """
    project = project_id.lower()
    if not _PROJECT_ID.fullmatch(project):
        raise ValueError(f"project id {project_id!r} cannot name a namespace")
    return f"{prefix}{project}"


# Paths of the Kubernetes API


def core(namespace: str, kind: str, name: str = "") -> str:
    """A namespaced object or collection of the core group."""
    return _path(f"/api/v1/namespaces/{namespace}/{kind}", name)


def virtual_machines(namespace: str, name: str = "") -> str:
    """VirtualMachines of a namespace, or one."""
    return _path(f"/apis/kubevirt.io/v1/namespaces/{namespace}/virtualmachines", name)


def virtual_machine_instances(namespace: str, name: str = "") -> str:
    """VirtualMachineInstances of a namespace, or one."""
    return _path(f"/apis/kubevirt.io/v1/namespaces/{namespace}/virtualmachineinstances", name)


def vm_subresource(namespace: str, name: str, verb: str) -> str:
    """start, stop or restart of a VirtualMachine."""
    return f"/apis/subresources.kubevirt.io/v1/namespaces/{namespace}/virtualmachines/{name}/{verb}"


def vmi_subresource(namespace: str, name: str, verb: str) -> str:
    """softreboot, pause and others of a VirtualMachineInstance."""
    return f"/apis/subresources.kubevirt.io/v1/namespaces/{namespace}/virtualmachineinstances/{name}/{verb}"


def data_volumes(namespace: str, name: str = "") -> str:
    """DataVolumes of a namespace, or one."""
    return _path(f"/apis/cdi.kubevirt.io/v1beta1/namespaces/{namespace}/datavolumes", name)


def attachments(namespace: str, name: str = "") -> str:
    """NetworkAttachmentDefinitions of a namespace, or one."""
    return _path(f"/apis/k8s.cni.cncf.io/v1/namespaces/{namespace}/network-attachment-definitions", name)


def _path(collection: str, name: str) -> str:
    return f"{collection}/{name}" if name else collection
