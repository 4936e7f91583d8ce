"""A kind of guest that a hypervisor can run."""

from typing import Any

from openkeel.objects import enums, fields
from openkeel.objects.base import NovaObject, VersionedObjectRegistry, is_older


@VersionedObjectRegistry.register
class HVSpec(NovaObject):
    VERSION = "1.2"
    fields = {
        "arch": fields.ChoiceField(enums.Architecture),
        "hv_type": fields.ChoiceField(enums.HVType),
        "vm_mode": fields.ChoiceField(enums.VMMode),
    }

    def obj_make_compatible(self, primitive: dict[str, Any], target_version: str) -> None:
        super().obj_make_compatible(primitive, target_version)
        if is_older(target_version, "1.1") and primitive.get("hv_type") == "vz":
            primitive["hv_type"] = "parallels"  # its name of old
