"""The log of what was done to a server."""

from openkeel.objects import fields
from openkeel.objects.base import (
    DictCompat,
    NovaObject,
    ObjectList,
    PersistentObject,
    VersionedObjectRegistry,
)


@VersionedObjectRegistry.register
class InstanceAction(PersistentObject, NovaObject, DictCompat):
    VERSION = "1.2"
    fields = {
        "id": fields.IntegerField(),
        "action": fields.StringField(nullable=True),
        "finish_time": fields.DateTimeField(nullable=True),
        "instance_uuid": fields.UUIDField(nullable=True),
        "message": fields.StringField(nullable=True),
        "project_id": fields.StringField(nullable=True),
        "request_id": fields.StringField(nullable=True),
        "start_time": fields.DateTimeField(nullable=True),
        "user_id": fields.StringField(nullable=True),
    }


@VersionedObjectRegistry.register
class InstanceActionEvent(PersistentObject, NovaObject, DictCompat):
    VERSION = "1.4"
    fields = {
        "id": fields.IntegerField(),
        "action_id": fields.IntegerField(nullable=True),
        "details": fields.StringField(nullable=True),
        "event": fields.StringField(nullable=True),
        "finish_time": fields.DateTimeField(nullable=True),
        "host": fields.StringField(nullable=True),
        "result": fields.StringField(nullable=True),
        "start_time": fields.DateTimeField(nullable=True),
        "traceback": fields.StringField(nullable=True),
    }
    since = {
        "host": "1.2",
        "details": "1.4",
    }


@VersionedObjectRegistry.register
class InstanceActionEventList(ObjectList[InstanceActionEvent]):
    VERSION = "1.1"
    fields = {
        "objects": fields.ListOfObjectsField("InstanceActionEvent"),
    }


@VersionedObjectRegistry.register
class InstanceActionList(ObjectList[InstanceAction]):
    VERSION = "1.1"
    fields = {
        "objects": fields.ListOfObjectsField("InstanceAction"),
    }
