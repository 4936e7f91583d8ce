"""NICs of a server with their tags."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, ObjectList, PersistentObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class VirtualInterface(PersistentObject, NovaObject):
    VERSION = "1.3"
    fields = {
        "id": fields.IntegerField(),
        "uuid": fields.UUIDField(),
        "address": fields.StringField(nullable=True),
        "instance_uuid": fields.UUIDField(),
        "network_id": fields.IntegerField(),
        "tag": fields.StringField(nullable=True),
    }
    since = {
        "tag": "1.1",
    }


@VersionedObjectRegistry.register
class VirtualInterfaceList(ObjectList[VirtualInterface]):
    VERSION = "1.0"
    fields = {
        "objects": fields.ListOfObjectsField("VirtualInterface"),
    }
