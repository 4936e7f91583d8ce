"""Why a server went wrong."""

from openkeel.objects import fields
from openkeel.objects.base import (
    DictCompat,
    NovaObject,
    ObjectList,
    PersistentObject,
    VersionedObjectRegistry,
)


@VersionedObjectRegistry.register
class InstanceFault(PersistentObject, NovaObject, DictCompat):
    VERSION = "1.2"
    fields = {
        "id": fields.IntegerField(),
        "code": fields.IntegerField(),
        "details": fields.StringField(nullable=True),
        "host": fields.StringField(nullable=True),
        "instance_uuid": fields.UUIDField(),
        "message": fields.StringField(nullable=True),
    }


@VersionedObjectRegistry.register
class InstanceFaultList(ObjectList[InstanceFault]):
    VERSION = "1.2"
    fields = {
        "objects": fields.ListOfObjectsField("InstanceFault"),
    }
