"""Numeric ids under which EC2-style metadata knows servers and images."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, PersistentObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class EC2Ids(NovaObject):
    VERSION = "1.0"
    fields = {
        "ami_id": fields.StringField(nullable=True, read_only=True),
        "instance_id": fields.StringField(read_only=True),
        "kernel_id": fields.StringField(nullable=True, read_only=True),
        "ramdisk_id": fields.StringField(nullable=True, read_only=True),
    }


@VersionedObjectRegistry.register
class EC2InstanceMapping(PersistentObject, NovaObject):
    VERSION = "1.0"
    fields = {
        "id": fields.IntegerField(),
        "uuid": fields.UUIDField(),
    }


@VersionedObjectRegistry.register
class S3ImageMapping(PersistentObject, NovaObject):
    VERSION = "1.0"
    fields = {
        "id": fields.IntegerField(read_only=True),
        "uuid": fields.UUIDField(),
    }
