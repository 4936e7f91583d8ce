"""Short-lived tokens that open a console."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, TimestampedObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class ConsoleAuthToken(TimestampedObject, NovaObject):
    VERSION = "1.3"
    fields = {
        "id": fields.IntegerField(),
        "access_url_base": fields.StringField(nullable=True),
        "console_type": fields.StringField(),
        "expires": fields.IntegerField(),
        "host": fields.StringField(),
        "instance_uuid": fields.UUIDField(),
        "internal_access_path": fields.StringField(nullable=True),
        "port": fields.IntegerField(),
        "tls_port": fields.IntegerField(nullable=True),
        "token": fields.StringField(),
    }
    since = {
        "expires": "1.2",
        "tls_port": "1.3",
    }
