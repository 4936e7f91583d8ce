"""Groups of hosts."""

from openkeel.notifications.payloads.base import Payload, payload
from openkeel.objects import fields


@payload
class AggregatePayload(Payload):
    VERSION = "1.1"
    fields = {
        "id": fields.IntegerField(nullable=True),
        "uuid": fields.UUIDField(),
        "name": fields.StringField(),
        "hosts": fields.ListOfStringsField(nullable=True),
        "metadata": fields.DictOfStringsField(nullable=True),
    }


@payload
class AggregateCachePayload(Payload):
    """How far hosts have come with images they were asked to fetch."""

    VERSION = "1.0"
    sources = {"id": "aggregate.id", "uuid": "aggregate.uuid", "name": "aggregate.name"}
    fields = {
        "id": fields.IntegerField(),
        "uuid": fields.UUIDField(),
        "name": fields.StringField(),
        "host": fields.StringField(),
        "images_cached": fields.ListOfStringsField(),
        "images_failed": fields.ListOfStringsField(),
        "index": fields.IntegerField(),
        "total": fields.IntegerField(),
    }
