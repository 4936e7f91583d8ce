"""A server's network as last seen."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, PersistentObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class InstanceInfoCache(PersistentObject, NovaObject):
    VERSION = "1.5"
    fields = {
        "instance_uuid": fields.UUIDField(),
        "network_info": fields.NetworkModelField(nullable=True),
    }
