"""Server groups: affinity and anti-affinity."""

from openkeel.objects import fields
from openkeel.objects.base import (
    DictCompat,
    NovaObject,
    ObjectList,
    PersistentObject,
    VersionedObjectRegistry,
)


@VersionedObjectRegistry.register
class InstanceGroup(PersistentObject, NovaObject, DictCompat):
    VERSION = "1.11"
    fields = {
        "id": fields.IntegerField(),
        "uuid": fields.UUIDField(),
        "_rules": fields.DictOfStringsField(),
        "hosts": fields.ListOfStringsField(nullable=True),
        "members": fields.ListOfStringsField(nullable=True),
        "name": fields.StringField(nullable=True),
        "policies": fields.ListOfStringsField(nullable=True, read_only=True),
        "policy": fields.StringField(nullable=True),
        "project_id": fields.StringField(nullable=True),
        "user_id": fields.StringField(nullable=True),
    }
    since = {
        "policies": "1.11",
        "policy": "1.11",
    }


@VersionedObjectRegistry.register
class InstanceGroupList(ObjectList[InstanceGroup]):
    VERSION = "1.8"
    fields = {
        "objects": fields.ListOfObjectsField("InstanceGroup"),
    }
