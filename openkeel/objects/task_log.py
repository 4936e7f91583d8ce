"""Which periodic audits were done, and by whom."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, ObjectList, PersistentObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class TaskLog(PersistentObject, NovaObject):
    VERSION = "1.0"
    fields = {
        "id": fields.IntegerField(read_only=True),
        "errors": fields.IntegerField(),
        "host": fields.StringField(),
        "message": fields.StringField(),
        "period_beginning": fields.DateTimeField(),
        "period_ending": fields.DateTimeField(),
        "state": fields.StringField(read_only=True),
        "task_items": fields.IntegerField(),
        "task_name": fields.StringField(),
    }


@VersionedObjectRegistry.register
class TaskLogList(ObjectList[TaskLog]):
    VERSION = "1.0"
    fields = {
        "objects": fields.ListOfObjectsField("TaskLog"),
    }
