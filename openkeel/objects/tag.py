"""Tags of a server."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, ObjectList, VersionedObjectRegistry


@VersionedObjectRegistry.register
class Tag(NovaObject):
    VERSION = "1.1"
    fields = {
        "resource_id": fields.StringField(),
        "tag": fields.StringField(),
    }


@VersionedObjectRegistry.register
class TagList(ObjectList[Tag]):
    VERSION = "1.1"
    fields = {
        "objects": fields.ListOfObjectsField("Tag"),
    }
