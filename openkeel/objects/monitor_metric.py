"""Measurements of a host."""

from openkeel.objects import enums, fields
from openkeel.objects.base import NovaObject, ObjectList, VersionedObjectRegistry


@VersionedObjectRegistry.register
class MonitorMetric(NovaObject):
    VERSION = "1.1"
    fields = {
        "name": fields.ChoiceField(enums.MonitorMetricType),
        "numa_membw_values": fields.DictOfIntegersField(nullable=True),
        "source": fields.StringField(),
        "timestamp": fields.DateTimeField(),
        "value": fields.IntegerField(),
    }
    since = {
        "numa_membw_values": "1.1",
    }


@VersionedObjectRegistry.register
class MonitorMetricList(ObjectList[MonitorMetric]):
    VERSION = "1.1"
    fields = {
        "objects": fields.ListOfObjectsField("MonitorMetric"),
    }
