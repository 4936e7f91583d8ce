"""Keypairs. Of a keypair only the public part is ever known here."""

from openkeel.notifications.payloads.base import Payload, payload
from openkeel.objects import fields


@payload
class KeypairPayload(Payload):
    VERSION = "1.0"
    fields = {
        "name": fields.StringField(),
        "user_id": fields.StringField(nullable=True),
        "type": fields.StringField(),
        "fingerprint": fields.StringField(nullable=True),
        "public_key": fields.StringField(nullable=True),
    }
