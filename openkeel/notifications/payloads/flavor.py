"""Flavors."""

from openkeel.notifications.payloads.base import Payload, payload
from openkeel.objects import fields


@payload
class FlavorPayload(Payload):
    VERSION = "1.4"
    fields = {
        "flavorid": fields.StringField(nullable=True),
        "name": fields.StringField(),
        "description": fields.StringField(nullable=True),
        "memory_mb": fields.IntegerField(nullable=True),
        "vcpus": fields.IntegerField(nullable=True),
        "root_gb": fields.IntegerField(nullable=True),
        "ephemeral_gb": fields.IntegerField(nullable=True),
        "swap": fields.IntegerField(),
        "rxtx_factor": fields.FloatField(nullable=True),
        "vcpu_weight": fields.IntegerField(nullable=True),
        "disabled": fields.BooleanField(),
        "is_public": fields.BooleanField(),
        "extra_specs": fields.DictOfStringsField(nullable=True),
        "projects": fields.ListOfStringsField(nullable=True),
    }
