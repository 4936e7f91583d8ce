"""The scheduler's choice for one server."""

from openkeel.objects import fields
from openkeel.objects.base import Comparable, NovaObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class Selection(Comparable, NovaObject):
    VERSION = "1.1"
    fields = {
        "allocation_request": fields.StringField(nullable=True),
        "allocation_request_version": fields.StringField(nullable=True),
        "availability_zone": fields.StringField(nullable=True),
        "cell_uuid": fields.UUIDField(),
        "compute_node_uuid": fields.UUIDField(),
        "limits": fields.ObjectField("SchedulerLimits", nullable=True),
        "nodename": fields.StringField(),
        "service_host": fields.StringField(),
    }
    since = {
        "availability_zone": "1.1",
    }
