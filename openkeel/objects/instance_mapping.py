"""Which cell a server lives in."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, ObjectList, TimestampedObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class InstanceMapping(TimestampedObject, NovaObject):
    VERSION = "1.2"
    fields = {
        "id": fields.IntegerField(read_only=True),
        "cell_mapping": fields.ObjectField("CellMapping", nullable=True),
        "instance_uuid": fields.UUIDField(),
        "project_id": fields.StringField(),
        "queued_for_delete": fields.BooleanField(default=False),
        "user_id": fields.StringField(),
    }
    since = {
        "queued_for_delete": "1.1",
        "user_id": "1.2",
    }


@VersionedObjectRegistry.register
class InstanceMappingList(ObjectList[InstanceMapping]):
    VERSION = "1.3"
    fields = {
        "objects": fields.ListOfObjectsField("InstanceMapping"),
    }
