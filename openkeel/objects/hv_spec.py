"""A kind of guest that a hypervisor can run."""

from openkeel.objects import enums, fields
from openkeel.objects.base import NovaObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class HVSpec(NovaObject):
    VERSION = "1.2"
    fields = {
        "arch": fields.ChoiceField(enums.Architecture),
        "hv_type": fields.ChoiceField(enums.HVType),
        "vm_mode": fields.ChoiceField(enums.VMMode),
    }
