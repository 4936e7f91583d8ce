"""Which cell a compute host belongs to."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, ObjectList, TimestampedObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class HostMapping(TimestampedObject, NovaObject):
    VERSION = "1.0"
    fields = {
        "id": fields.IntegerField(read_only=True),
        "cell_mapping": fields.ObjectField("CellMapping"),
        "host": fields.StringField(),
    }


@VersionedObjectRegistry.register
class HostMappingList(ObjectList[HostMapping]):
    VERSION = "1.1"
    fields = {
        "objects": fields.ListOfObjectsField("HostMapping"),
    }
