"""Images as a boot needs them: may it boot on this flavor, and what of it is written down.

The properties of the image are copied into the server's system metadata (keys `image_*`), so that
a later change or removal of the image does not change the server.
"""

from collections.abc import Mapping
from typing import Any, Final

from openkeel import objects
from openkeel.clients.glance.types import Image
from openkeel.domain.errors import Invalid

GIB: Final = 1 << 30
_MAX_VALUE: Final = 255  # width of the column system_metadata.value

# Base fields of an image that servers inherit beside its properties.
INHERITED: Final = ("min_ram", "min_disk", "disk_format", "container_format")

# Compat: names that image properties had before they were put in families (hw_, img_, os_).
_OLD_NAMES: Final[Mapping[str, str]] = {
    "architecture": "hw_architecture",
    "auto_disk_config": "hw_auto_disk_config",
    "bdm_v2": "img_bdm_v2",
    "block_device_mapping": "img_block_device_mapping",
    "hypervisor_type": "img_hv_type",
    "hypervisor_version_requires": "img_hv_requested_version",
    "ipxe_boot": "hw_ipxe_boot",
    "mappings": "img_mappings",
    "owner_id": "img_owner_id",
    "root_device_name": "img_root_device_name",
    "vm_mode": "hw_vm_mode",
}
# Properties whose form is not text (a server keeps its disks in rows of their own), and what Glance
# alone says.
_NOT_KEPT: Final = frozenset(
    {"block_device_mapping", "mappings", "bdm_v2", "os_hash_algo", "os_hash_value", "os_hidden"}
)
_TRAIT_PREFIX: Final = "trait:"
_PREFIX: Final = "image_"


def check_fits(image: Image, flavor: Any) -> None:
    """Refuse an image that cannot boot on the flavor. Raises: Invalid."""
    if not image.is_active:
        raise Invalid(f"Image {image.id} is not active.")
    if flavor.memory_mb < image.min_ram_mib:
        raise Invalid(
            f"Flavor's memory ({flavor.memory_mb} MiB) is too small for image {image.id},"
            f" which needs {image.min_ram_mib} MiB."
        )
    if not flavor.root_gb:
        return  # the disk is then as large as the image says
    if (image.size_bytes or 0) > flavor.root_gb * GIB:
        raise Invalid(
            f"Flavor's disk ({flavor.root_gb} GiB) is too small for image {image.id}"
            f" of {image.size_bytes} bytes."
        )
    if image.min_disk_gib > flavor.root_gb:
        raise Invalid(
            f"Flavor's disk ({flavor.root_gb} GiB) is too small for image {image.id},"
            f" which needs {image.min_disk_gib} GiB."
        )


def forbids_auto_disk_config(image: Image) -> bool:
    """Whether the image says that nobody may resize its file system."""
    value = image.properties.get("hw_auto_disk_config", image.properties.get("auto_disk_config"))
    return value == "Disabled"


def image_meta(image: Image | None) -> objects.ImageMeta:
    """The image as the scheduler and the computes get it.

    Raises: Invalid when a property has a value that its name does not allow.
    """
    if image is None:
        return objects.ImageMeta(properties=objects.ImageMetaProps())
    known = objects.ImageMetaProps.fields
    properties = objects.ImageMetaProps()
    traits: list[str] = []
    for name, value in image.properties.items():
        if name.startswith(_TRAIT_PREFIX):
            traits += [name.removeprefix(_TRAIT_PREFIX)] if value == "required" else []
            continue
        field = _OLD_NAMES.get(name, name)
        if field not in known or field in {"img_block_device_mapping", "img_mappings", "traits_required"}:
            continue
        try:
            setattr(properties, field, value)
        except (ValueError, TypeError) as error:
            raise Invalid(f"Image {image.id} has an unusable property {name}: {error}") from error
    if traits:
        properties.traits_required = sorted(traits)
    values = {
        name: value
        for name, value in image.to_image_meta().items()
        if value is not None and name in objects.ImageMeta.fields and name != "properties"
    }
    return objects.ImageMeta(properties=properties, **values)


def shown_properties(kept: Mapping[str, str]) -> dict[str, str]:
    """Of what a server keeps of its image, the properties that clients may see: those with a known name.

    Contract: Server.image.properties, 2.98.
    """
    found = {}
    for key, value in kept.items():
        name = key.removeprefix(_PREFIX)
        if name != key and _OLD_NAMES.get(name, name) in objects.ImageMetaProps.fields:
            found[_OLD_NAMES.get(name, name)] = value
    return found


def system_metadata(image: Image | None, flavor: Any) -> dict[str, str]:
    """What a server keeps of its image. Contract: keys of instance_system_metadata.

    Compat: an image made of the server will need at least the disk that the server has.
    """
    if image is None:
        return {}
    facts: dict[str, Any] = {name: value for name, value in image.properties.items() if name not in _NOT_KEPT}
    base = image.to_image_meta()
    facts.update({name: base[name] for name in INHERITED if base[name] is not None})
    facts["min_disk"] = max(image.min_disk_gib, flavor.root_gb)
    facts["base_image_ref"] = image.id
    return {f"{_PREFIX}{name}": str(value)[:_MAX_VALUE] for name, value in facts.items()}
