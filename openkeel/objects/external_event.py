"""Something that another service reports about a server."""

from openkeel.objects import enums, fields
from openkeel.objects.base import NovaObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class InstanceExternalEvent(NovaObject):
    VERSION = "1.5"
    fields = {
        "data": fields.DictOfStringsField(),
        "instance_uuid": fields.UUIDField(),
        "name": fields.EnumField(list(map(str, enums.ExternalEventName))),
        "status": fields.EnumField(list(map(str, enums.ExternalEventStatus))),
        "tag": fields.StringField(nullable=True),
    }
