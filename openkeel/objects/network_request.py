"""Networks and ports a server is created with."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, ObjectList, VersionedObjectRegistry


@VersionedObjectRegistry.register
class NetworkRequest(NovaObject):
    VERSION = "1.3"
    fields = {
        "address": fields.IPAddressField(nullable=True),
        "arq_uuid": fields.UUIDField(nullable=True),
        "device_profile": fields.StringField(nullable=True),
        "network_id": fields.StringField(nullable=True),
        "pci_request_id": fields.UUIDField(nullable=True),
        "port_id": fields.UUIDField(nullable=True),
        "tag": fields.StringField(nullable=True),
    }
    since = {
        "tag": "1.2",
        "arq_uuid": "1.3",
        "device_profile": "1.3",
    }


@VersionedObjectRegistry.register
class NetworkRequestList(ObjectList[NetworkRequest]):
    VERSION = "1.1"
    fields = {
        "objects": fields.ListOfObjectsField("NetworkRequest"),
    }
