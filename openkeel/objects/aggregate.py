"""Groups of hosts with metadata, of which availability zones are one kind."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, ObjectList, PersistentObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class Aggregate(PersistentObject, NovaObject):
    VERSION = "1.3"
    fields = {
        "id": fields.IntegerField(),
        "uuid": fields.UUIDField(),
        "hosts": fields.ListOfStringsField(nullable=True),
        "metadata": fields.DictOfStringsField(nullable=True),
        "name": fields.StringField(),
    }


@VersionedObjectRegistry.register
class AggregateList(ObjectList[Aggregate]):
    VERSION = "1.3"
    fields = {
        "objects": fields.ListOfObjectsField("Aggregate"),
    }
