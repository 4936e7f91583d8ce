"""Daemons and their heartbeats."""

from openkeel.objects import fields
from openkeel.objects.base import (
    DictCompat,
    NovaObject,
    ObjectList,
    PersistentObject,
    VersionedObjectRegistry,
)


@VersionedObjectRegistry.register
class Service(PersistentObject, NovaObject, DictCompat):
    VERSION = "1.22"
    fields = {
        "id": fields.IntegerField(read_only=True),
        "uuid": fields.UUIDField(),
        "availability_zone": fields.StringField(nullable=True),
        "binary": fields.StringField(nullable=True),
        "compute_node": fields.ObjectField("ComputeNode"),
        "disabled": fields.BooleanField(),
        "disabled_reason": fields.StringField(nullable=True),
        "forced_down": fields.BooleanField(),
        "host": fields.StringField(nullable=True),
        "last_seen_up": fields.DateTimeField(nullable=True),
        "report_count": fields.IntegerField(),
        "topic": fields.StringField(nullable=True),
        "version": fields.IntegerField(),
    }
    since = {
        "last_seen_up": "1.13",
        "forced_down": "1.14",
        "version": "1.16",
        "uuid": "1.21",
    }


@VersionedObjectRegistry.register
class ServiceList(ObjectList[Service]):
    VERSION = "1.19"
    fields = {
        "objects": fields.ListOfObjectsField("Service"),
    }
