"""A server that no cell knows yet: what the API shows while it is being scheduled."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, ObjectList, VersionedObjectRegistry


@VersionedObjectRegistry.register
class BuildRequest(NovaObject):
    VERSION = "1.3"
    fields = {
        "id": fields.IntegerField(),
        "block_device_mappings": fields.ObjectField("BlockDeviceMappingList"),
        "created_at": fields.DateTimeField(nullable=True),
        "instance": fields.ObjectField("Instance"),
        "instance_uuid": fields.UUIDField(),
        "project_id": fields.StringField(),
        "tags": fields.ObjectField("TagList"),
        "updated_at": fields.DateTimeField(nullable=True),
    }
    since = {
        "block_device_mappings": "1.1",
        "tags": "1.3",
    }


@VersionedObjectRegistry.register
class BuildRequestList(ObjectList[BuildRequest]):
    VERSION = "1.0"
    fields = {
        "objects": fields.ListOfObjectsField("BuildRequest"),
    }
