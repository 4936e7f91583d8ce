"""Daemons."""

from openkeel.notifications.payloads.base import Payload, payload
from openkeel.objects import fields


@payload
class ServiceStatusPayload(Payload):
    VERSION = "1.1"
    fields = {
        "uuid": fields.UUIDField(),
        "host": fields.StringField(nullable=True),
        "binary": fields.StringField(nullable=True),
        "topic": fields.StringField(nullable=True),
        "report_count": fields.IntegerField(),
        "disabled": fields.BooleanField(),
        "disabled_reason": fields.StringField(nullable=True),
        "availability_zone": fields.StringField(nullable=True),
        "last_seen_up": fields.DateTimeField(nullable=True),
        "forced_down": fields.BooleanField(),
        "version": fields.IntegerField(),
    }
