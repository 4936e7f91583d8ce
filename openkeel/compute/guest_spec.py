"""From a server's records to what the driver needs: pure.

Contract: system_metadata keys `image_*` keep the boot image's properties; block device mappings
with destination local are the disks (swap sizes in MiB, the others in GiB); image properties hw_*.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from openkeel import objects
from openkeel.compute.records import loaded, project_of
from openkeel.objects.network_info import NetworkInfo
from openkeel.virt.driver import DiskSpec, GuestSpec, ImageSpec, NicSpec

MIB_PER_GIB: Final = 1024
INTEGRATION_BRIDGE: Final = "br-int"  # where OVN ports are plugged when Neutron names no bridge

_IMAGE_PREFIX: Final = "image_"
# Keys under the prefix that are the image's own fields and no properties.
_IMAGE_FIELDS: Final = frozenset(
    {
        "base_image_ref",
        "checksum",
        "container_format",
        "created_at",
        "disk_format",
        "id",
        "min_disk",
        "min_ram",
        "name",
        "owner",
        "size",
        "status",
        "updated_at",
        "visibility",
    }
)
_TRUE: Final = frozenset({"1", "on", "t", "true", "y", "yes"})


def image_given(image: Mapping[str, Any] | None) -> ImageSpec | None:
    """The image as a build message carries it; None when the server boots from a volume."""
    if not image or not image.get("id"):
        return None
    return ImageSpec(
        id=str(image["id"]),
        disk_format=image.get("disk_format") or "raw",
        container_format=image.get("container_format") or "bare",
        size_bytes=image.get("size"),
        min_disk_gib=int(image.get("min_disk") or 0),
        checksum=_checksum(image.get("checksum"), image.get("properties") or {}),
        properties=_texts(image.get("properties") or {}),
    )


def _checksum(md5: str | None, properties: Mapping[str, Any]) -> str | None:
    """As algorithm:hex; the strong hash where Glance has one."""
    algorithm, value = properties.get("os_hash_algo"), properties.get("os_hash_value")
    if algorithm and value:
        return f"{algorithm}:{value}"
    return f"md5:{md5}" if md5 else None


def image_remembered(instance: objects.Instance) -> ImageSpec | None:
    """The image as the server remembers it, for guests made again later."""
    if not instance.image_ref:
        return None
    kept = {
        key.removeprefix(_IMAGE_PREFIX): value
        for key, value in instance.system_metadata.items()
        if key.startswith(_IMAGE_PREFIX)
    }
    return ImageSpec(
        id=instance.image_ref,
        disk_format=kept.get("disk_format") or "raw",
        container_format=kept.get("container_format") or "bare",
        size_bytes=int(kept.get("size") or 0) or None,
        min_disk_gib=int(kept.get("min_disk") or 0),
        checksum=_checksum(kept.get("checksum"), kept),
        properties=_texts({key: value for key, value in kept.items() if key not in _IMAGE_FIELDS}),
    )


def guest_spec(
    instance: objects.Instance,
    image: ImageSpec | None,
    network_info: NetworkInfo,
    bdms: Sequence[objects.BlockDeviceMapping],
    *,
    name_template: str,
    force_config_drive: bool = False,
    admin_password: str | None = None,
    injected_files: Sequence[Sequence[str]] = (),
) -> GuestSpec:
    """Everything the driver needs, explicit."""
    properties = image.properties if image else {}
    return GuestSpec(
        instance_uuid=instance.uuid,
        name=hypervisor_name(instance, name_template),
        display_name=instance.display_name or "",
        project_id=project_of(instance),
        user_id=instance.user_id or "",
        vcpus=instance.flavor.vcpus,
        memory_mib=instance.flavor.memory_mb,
        disks=tuple(_disks(instance, image, bdms)),
        nics=tuple(_nic(vif, properties) for vif in network_info),
        hostname=instance.hostname or "",
        user_data=instance.user_data,
        config_drive=_wants_config_drive(instance, properties, force=force_config_drive),
        metadata=dict(instance.metadata),
        ssh_public_key=instance.key_data,
        admin_password=admin_password,
        injected_files=tuple((path, contents) for path, contents in injected_files or ()),
        firmware=properties.get("hw_firmware_type", "bios"),
        machine_type=properties.get("hw_machine_type"),
        flavor_extra_specs=dict(loaded(instance.flavor, "extra_specs") or {}),
    )


def hypervisor_name(instance: objects.Instance, template: str) -> str:
    """The name of the guest at the hypervisor (contract: option instance_name_template)."""
    try:
        return template % instance.id
    except TypeError:  # a template of named fields
        fields = {"uuid": instance.uuid, "id": instance.id, "hostname": instance.hostname or ""}
        try:
            return template % fields
        except (KeyError, TypeError):
            return str(instance.uuid)


def _disks(
    instance: objects.Instance, image: ImageSpec | None, bdms: Sequence[objects.BlockDeviceMapping]
) -> list[DiskSpec]:
    bus = (image.properties if image else {}).get("hw_disk_bus", "virtio")
    local = [bdm for bdm in bdms if loaded(bdm, "destination_type") == "local"]
    blank = [bdm for bdm in local if loaded(bdm, "source_type") == "blank"]
    roots = [bdm for bdm in bdms if loaded(bdm, "boot_index") == 0]
    disks = []
    if image is not None and all(loaded(bdm, "destination_type") == "local" for bdm in roots):
        root_bus = (loaded(roots[0], "disk_bus") if roots else None) or bus
        size = instance.flavor.root_gb * MIB_PER_GIB
        disks.append(DiskSpec("root", 0, size, bus=root_bus, image=image, boot_index=0))
    ephemeral = [bdm for bdm in blank if loaded(bdm, "guest_format") != "swap"]
    for index, bdm in enumerate(ephemeral):
        size = (bdm.volume_size or 0) * MIB_PER_GIB
        disks.append(DiskSpec("ephemeral", index, size, bus=loaded(bdm, "disk_bus") or bus))
    swap = [bdm for bdm in blank if loaded(bdm, "guest_format") == "swap"]
    for index, bdm in enumerate(swap):
        disks.append(DiskSpec("swap", index, bdm.volume_size or 0, bus=loaded(bdm, "disk_bus") or bus))
    return [disk for disk in disks if disk.kind == "root" or disk.size_mib > 0]


def _nic(vif: Mapping[str, Any], properties: Mapping[str, str]) -> NicSpec:
    network = vif.get("network") or {}
    return NicSpec(
        port_id=vif["id"],
        mac_address=vif["address"],
        network_id=network.get("id") or "",
        bridge=network.get("bridge") or INTEGRATION_BRIDGE,
        vif_type=vif.get("type") or "",
        vnic_type=vif.get("vnic_type") or "normal",
        mtu=(network.get("meta") or {}).get("mtu"),
        model=properties.get("hw_vif_model", "virtio"),
        details=dict(vif.get("details") or {}),
    )


def _wants_config_drive(instance: objects.Instance, properties: Mapping[str, str], *, force: bool) -> bool:
    asked = str(instance.config_drive or "").lower() in _TRUE
    return asked or force or properties.get("img_config_drive") == "mandatory"


def _texts(properties: Mapping[str, Any]) -> dict[str, str]:
    return {key: str(value) for key, value in properties.items() if value is not None}
