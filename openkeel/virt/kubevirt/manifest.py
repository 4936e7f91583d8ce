"""Guest specs as Kubernetes objects. Pure: values in, dictionaries out (docs/kubevirt.md, section 3)."""

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from openkeel.virt.driver import DiskSpec, GuestRejected, GuestSpec, NicSpec
from openkeel.virt.kubevirt import names
from openkeel.virt.kubevirt.settings import Settings

Object = dict[str, Any]

_VIF_MODELS: Final = frozenset({"virtio", "e1000", "e1000e", "igb", "ne2k_pci", "pcnet", "rtl8139"})
_DISK_BUSES: Final = frozenset({"virtio", "scsi", "sata", "usb"})
_HOSTNAME_MAX: Final = 63
_TOTAL_NAME_MAX: Final = 63


def labels(spec: GuestSpec) -> dict[str, str]:
    """Labels that every object of a guest carries: undo and recovery find them so."""
    return {
        names.MANAGED_BY: names.OPENKEEL,
        names.INSTANCE: spec.instance_uuid,
        names.PROJECT: spec.project_id,
    }


def namespace(name: str, project_id: str) -> Object:
    """The namespace of a project."""
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": name,
            "labels": {
                names.MANAGED_BY: names.OPENKEEL,
                names.PROJECT: project_id,
                "pod-security.kubernetes.io/enforce": "privileged",
            },
        },
    }


def attachment(spec: GuestSpec, nic: NicSpec, namespace: str) -> Object:
    """The port for Multus and ovs-cni, which writes it on the OVS interface as iface-id."""
    if nic.vif_type != "ovs" or nic.vnic_type != "normal":
        raise GuestRejected(
            reason=f"port {nic.port_id} is bound as {nic.vif_type}/{nic.vnic_type}, only ovs/normal works"
        )
    name = names.attachment(nic.port_id)
    config: Object = {
        "cniVersion": "0.4.0",
        "name": name,
        "type": "ovs",
        "bridge": nic.bridge,
        # Literal args: Multus passes them on unchanged, and ovs-cni takes the port from nowhere else.
        "args": {"cni": {"ovnPort": nic.port_id, "mac": nic.mac_address}},
    }
    if nic.mtu:
        config["mtu"] = nic.mtu
    return {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {**labels(spec), names.PORT: nic.port_id},
        },
        "spec": {"config": json.dumps(config, sort_keys=True)},
    }


def blank_disk(spec: GuestSpec, disk: DiskSpec, namespace: str, storage_class: str | None) -> Object:
    """An empty DataVolume, for ephemeral and swap disks."""
    return data_volume(
        names.disk(spec.instance_uuid, disk.kind, disk.index),
        namespace,
        labels(spec),
        {"blank": {}},
        f"{disk.size_mib}Mi",
        storage_class,
    )


def data_volume(
    name: str,
    namespace: str,
    label: Mapping[str, str],
    source: Mapping[str, Any],
    size: str,
    storage_class: str | None,
    annotations: Mapping[str, str] | None = None,
) -> Object:
    """A DataVolume; CDI makes the claim and fills it."""
    storage: Object = {"resources": {"requests": {"storage": size}}}
    if storage_class:
        storage["storageClassName"] = storage_class
    metadata: Object = {"name": name, "namespace": namespace, "labels": dict(label)}
    if annotations:
        metadata["annotations"] = dict(annotations)
    return {
        "apiVersion": "cdi.kubevirt.io/v1beta1",
        "kind": "DataVolume",
        "metadata": metadata,
        "spec": {"source": dict(source), "contentType": "kubevirt", "storage": storage},
    }


def config_drive_secret(spec: GuestSpec, namespace: str) -> Object:
    """User data for the config drive. KubeVirt makes the drive and its meta data itself."""
    user_data = base64.b64decode(spec.user_data) if spec.user_data else b"#cloud-config\n"
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": names.config_drive(spec.instance_uuid),
            "namespace": namespace,
            "labels": labels(spec),
        },
        "type": "Opaque",
        "data": {"userdata": base64.b64encode(user_data).decode()},
    }


def virtual_machine(spec: GuestSpec, settings: Settings, node_label: str, namespace: str) -> Object:
    """The VirtualMachine. runStrategy Manual: OpenKeel alone decides when it runs."""
    template = _template(spec, settings, node_label)
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {
            "name": names.guest(spec.instance_uuid),
            "namespace": namespace,
            "labels": {**labels(spec), names.HOST: settings.node_name},
            "annotations": {
                names.INSTANCE_NAME: spec.name,
                names.DISPLAY_NAME: spec.display_name,
                names.USER: spec.user_id,
                names.SPEC_HASH: spec_hash(template),
            },
        },
        "spec": {"runStrategy": "Manual", "template": template},
    }


def spec_hash(template: Mapping[str, Any]) -> str:
    """Tells whether a running guest still fits its spec."""
    rendered = json.dumps(template, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(rendered.encode()).hexdigest()[:32]


def _template(spec: GuestSpec, settings: Settings, node_label: str) -> Object:
    disks, volumes = _disks(spec)
    interfaces, networks = _nics(spec)
    devices: Object = {
        "disks": disks,
        "interfaces": interfaces,
        "autoattachPodInterface": False,  # the guest's networks are Neutron's ports and nothing else
        "autoattachSerialConsole": True,
        "logSerialConsole": True,
        "inputs": [{"name": "tablet", "type": "tablet", "bus": "usb"}],
    }
    if _wants_rng(spec):
        devices["rng"] = {}
    domain: Object = {
        "cpu": {
            "sockets": spec.vcpus,
            "cores": 1,
            "threads": 1,
            "maxSockets": spec.vcpus,
            "model": settings.cpu_mode,
        },
        "memory": {"guest": f"{spec.memory_mib}Mi", "maxGuest": f"{spec.memory_mib}Mi"},
        "resources": {"requests": {"memory": f"{spec.memory_mib}Mi"}},
        "firmware": {
            "uuid": spec.instance_uuid,
            "serial": spec.instance_uuid,
            "bootloader": _bootloader(spec.firmware),
        },
        "chassis": {"asset": "OpenStack Nova"},  # by this cloud-init knows where it is
        "clock": {
            "utc": {},
            "timer": {
                "hpet": {"present": False},
                "pit": {"tickPolicy": "delay"},
                "rtc": {"tickPolicy": "catchup"},
                "kvm": {},
            },
        },
        "devices": devices,
    }
    if spec.machine_type:
        domain["machine"] = {"type": spec.machine_type}
    body: Object = {
        "domain": domain,
        "networks": networks,
        "volumes": volumes,
        "nodeSelector": {"kubernetes.io/hostname": node_label},
        "evictionStrategy": "External",
        "terminationGracePeriodSeconds": settings.shutdown_timeout_s,
    }
    hostname = _hostname(spec)
    if hostname:
        body["hostname"] = hostname
    if settings.tolerations:
        body["tolerations"] = [_toleration(text) for text in settings.tolerations]
    return {"metadata": {"labels": labels(spec)}, "spec": body}


def _disks(spec: GuestSpec) -> tuple[list[Object], list[Object]]:
    disks: list[Object] = []
    volumes: list[Object] = []
    for disk in spec.disks:
        name = f"eph{disk.index}" if disk.kind == "ephemeral" else disk.kind
        if disk.bus not in _DISK_BUSES:
            raise GuestRejected(reason=f"disk bus {disk.bus!r} is not supported")
        entry: Object = {"name": name, "disk": {"bus": disk.bus}}
        if disk.boot_index is not None and disk.boot_index >= 0:
            entry["bootOrder"] = disk.boot_index + 1
        disks.append(entry)
        volumes.append(
            {
                "name": name,
                "dataVolume": {"name": names.disk(spec.instance_uuid, disk.kind, disk.index)},
            }
        )
    if spec.config_drive:
        disks.append({"name": "cfg", "cdrom": {"bus": "sata", "readonly": True}})
        volumes.append(
            {
                "name": "cfg",
                "cloudInitConfigDrive": {"secretRef": {"name": names.config_drive(spec.instance_uuid)}},
            }
        )
    return disks, volumes


def _nics(spec: GuestSpec) -> tuple[list[Object], list[Object]]:
    interfaces: list[Object] = []
    networks: list[Object] = []
    for nic in spec.nics:
        if nic.model not in _VIF_MODELS:
            raise GuestRejected(reason=f"network interface model {nic.model!r} is not supported")
        name = names.network(nic.port_id)
        interfaces.append({"name": name, "bridge": {}, "model": nic.model, "macAddress": nic.mac_address})
        networks.append({"name": name, "multus": {"networkName": names.attachment(nic.port_id)}})
    return interfaces, networks


def _bootloader(firmware: str) -> Object:
    if firmware == "uefi":
        # Explicit, since KubeVirt's own default is secure boot, which then wants SMM as well.
        return {"efi": {"secureBoot": False, "persistent": True}}
    if firmware == "bios":
        return {"bios": {}}
    raise GuestRejected(reason=f"firmware {firmware!r} is not supported")


def _wants_rng(spec: GuestSpec) -> bool:
    image: Mapping[str, str] = next((d.image.properties for d in spec.disks if d.image), {})
    allowed = spec.flavor_extra_specs.get("hw_rng:allowed", "true").lower() != "false"
    return allowed and image.get("hw_rng_model", "virtio") == "virtio"


def _hostname(spec: GuestSpec) -> str:
    label = spec.hostname.split(".")[0].lower()[:_HOSTNAME_MAX].strip("-")
    return label if label and all(c.isascii() and (c.isalnum() or c == "-") for c in label) else ""


def _toleration(text: str) -> Object:
    key, equals, value = text.partition("=")
    if equals:
        return {"key": key, "operator": "Equal", "value": value}
    return {"key": key, "operator": "Exists"}
