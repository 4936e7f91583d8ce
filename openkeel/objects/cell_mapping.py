"""Cells: where their databases and message queues are."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, ObjectList, TimestampedObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class CellMapping(TimestampedObject, NovaObject):
    VERSION = "1.1"
    fields = {
        "id": fields.IntegerField(read_only=True),
        "uuid": fields.UUIDField(),
        "database_connection": fields.StringField(),
        "disabled": fields.BooleanField(default=False),
        "name": fields.StringField(nullable=True),
        "transport_url": fields.StringField(),
    }
    since = {
        "disabled": "1.1",
    }


@VersionedObjectRegistry.register
class CellMappingList(ObjectList[CellMapping]):
    VERSION = "1.1"
    fields = {
        "objects": fields.ListOfObjectsField("CellMapping"),
    }
