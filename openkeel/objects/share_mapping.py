"""Shared file systems attached to a server."""

from openkeel.objects import enums, fields
from openkeel.objects.base import NovaObject, ObjectList, TimestampedObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class ShareMapping(TimestampedObject, NovaObject):
    VERSION = "1.2"
    fields = {
        "id": fields.IntegerField(read_only=True),
        "uuid": fields.UUIDField(),
        "access_key": fields.StringField(nullable=True),
        "access_to": fields.StringField(nullable=True),
        "access_type": fields.StringField(nullable=True),
        "export_location": fields.StringField(),
        "instance_uuid": fields.UUIDField(),
        "share_id": fields.UUIDField(),
        "share_proto": fields.ChoiceField(enums.ShareMappingProto),
        "status": fields.ChoiceField(enums.ShareMappingStatus),
        "tag": fields.StringField(),
    }
    widened = {"status": {"attaching": "1.1", "detaching": "1.1"}}


@VersionedObjectRegistry.register
class ShareMappingList(ObjectList[ShareMapping]):
    VERSION = "1.1"
    fields = {
        "objects": fields.ListOfObjectsField("ShareMapping"),
    }
