"""Security groups by name or id, as far as the compute service keeps them."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, ObjectList, PersistentObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class SecurityGroup(PersistentObject, NovaObject):
    VERSION = "1.2"
    fields = {
        "id": fields.IntegerField(),
        "uuid": fields.UUIDField(),
        "description": fields.StringField(),
        "name": fields.StringField(),
        "project_id": fields.StringField(),
        "user_id": fields.StringField(),
    }
    since = {
        "uuid": "1.2",
    }


@VersionedObjectRegistry.register
class SecurityGroupList(ObjectList[SecurityGroup]):
    VERSION = "1.1"
    fields = {
        "objects": fields.ListOfObjectsField("SecurityGroup"),
    }
