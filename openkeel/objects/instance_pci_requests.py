"""Host devices a server asks for."""

from openkeel.objects import enums, fields
from openkeel.objects.base import NovaObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class InstancePCIRequest(NovaObject):
    VERSION = "1.4"
    fields = {
        "alias_name": fields.StringField(nullable=True),
        "count": fields.IntegerField(),
        "is_new": fields.BooleanField(default=False),
        "numa_policy": fields.ChoiceField(enums.PCINUMAAffinityPolicy, nullable=True),
        "request_id": fields.UUIDField(nullable=True),
        "requester_id": fields.StringField(nullable=True),
        "spec": fields.ListOfDictOfNullableStringsField(),
    }
    since = {
        "request_id": "1.1",
        "numa_policy": "1.2",
        "requester_id": "1.3",
    }


@VersionedObjectRegistry.register
class InstancePCIRequests(NovaObject):
    VERSION = "1.1"
    fields = {
        "instance_uuid": fields.UUIDField(),
        "requests": fields.ListOfObjectsField("InstancePCIRequest"),
    }
