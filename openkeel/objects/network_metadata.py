"""Which physical networks a NUMA node is near to."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class NetworkMetadata(NovaObject):
    VERSION = "1.0"
    fields = {
        "physnets": fields.SetOfStringsField(),
        "tunneled": fields.BooleanField(),
    }
