"""Images, as the scheduler is told of them."""

from openkeel.notifications.payloads.base import Payload, nested, payload
from openkeel.objects import fields
from openkeel.objects.image_meta import ImageMetaProps

_SECRET = {"hw_ephemeral_encryption_secret_uuid"}


@payload
class ImageMetaPropsPayload(Payload):
    """All properties that the image has, but for those that lead to a secret."""

    VERSION = "1.20"
    fields = {name: field for name, field in ImageMetaProps.fields.items() if name not in _SECRET}


@payload
class ImageMetaPayload(Payload):
    VERSION = "1.0"
    fields = {
        "id": fields.UUIDField(nullable=True),
        "name": fields.StringField(nullable=True),
        "status": fields.StringField(nullable=True),
        "visibility": fields.StringField(nullable=True),
        "protected": fields.FlexibleBooleanField(nullable=True),
        "checksum": fields.StringField(nullable=True),
        "owner": fields.StringField(nullable=True),
        "size": fields.IntegerField(nullable=True),
        "virtual_size": fields.IntegerField(nullable=True),
        "container_format": fields.StringField(nullable=True),
        "disk_format": fields.StringField(nullable=True),
        "created_at": fields.DateTimeField(nullable=True),
        "updated_at": fields.DateTimeField(nullable=True),
        "tags": fields.ListOfStringsField(nullable=True),
        "direct_url": fields.StringField(nullable=True),
        "min_ram": fields.IntegerField(nullable=True),
        "min_disk": fields.IntegerField(nullable=True),
        "properties": fields.ObjectField("ImageMetaPropsPayload"),
    }
    sources = {"properties": nested(ImageMetaPropsPayload, "properties")}
