"""What hosts and volumes were seen to do."""

from openkeel.notifications.payloads.base import Payload, nested, payload
from openkeel.notifications.payloads.exception import ExceptionPayload
from openkeel.objects import enums, fields


@payload
class MetricPayload(Payload):
    VERSION = "1.0"
    fields = {
        "name": fields.ChoiceField(enums.MonitorMetricType),
        "value": fields.IntegerField(),
        "numa_membw_values": fields.DictOfIntegersField(nullable=True),
        "timestamp": fields.DateTimeField(),
        "source": fields.StringField(),
    }


@payload
class MetricsPayload(Payload):
    VERSION = "1.0"
    fields = {
        "host": fields.StringField(),
        "host_ip": fields.StringField(),
        "nodename": fields.StringField(),
        "metrics": fields.ListOfObjectsField("MetricPayload"),
    }


@payload
class VolumeUsagePayload(Payload):
    VERSION = "1.0"
    fields = {
        "volume_id": fields.UUIDField(),
        "project_id": fields.StringField(nullable=True),
        "user_id": fields.StringField(nullable=True),
        "instance_uuid": fields.UUIDField(nullable=True),
        "availability_zone": fields.StringField(nullable=True),
        "last_refreshed": fields.DateTimeField(nullable=True),
        "reads": fields.IntegerField(),
        "read_bytes": fields.IntegerField(),
        "writes": fields.IntegerField(),
        "write_bytes": fields.IntegerField(),
    }


@payload
class LibvirtErrorPayload(Payload):
    """Only where libvirt is the hypervisor, which here it never is."""

    VERSION = "1.0"
    fields = {
        "ip": fields.StringField(),
        "reason": fields.ObjectField("ExceptionPayload"),
    }
    sources = {"reason": nested(ExceptionPayload, "reason")}
