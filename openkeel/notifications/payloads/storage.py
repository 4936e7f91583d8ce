"""Volumes and shared file systems of a server, without what gives access to them."""

from openkeel.notifications.payloads.base import Payload, payload
from openkeel.objects import fields


@payload
class SharePayload(Payload):
    VERSION = "1.0"
    fields = {
        "share_mapping_uuid": fields.UUIDField(),
        "share_id": fields.UUIDField(),
        "status": fields.StringField(),
        "tag": fields.StringField(),
    }
    sources = {"share_mapping_uuid": "uuid"}


@payload
class BlockDevicePayload(Payload):
    VERSION = "1.0"
    fields = {
        "device_name": fields.StringField(nullable=True),
        "boot_index": fields.IntegerField(nullable=True),
        "delete_on_termination": fields.BooleanField(default=False),
        "volume_id": fields.UUIDField(),
        "tag": fields.StringField(nullable=True),
    }
