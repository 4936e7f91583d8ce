"""What a server read from and wrote to a volume."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, PersistentObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class VolumeUsage(PersistentObject, NovaObject):
    VERSION = "1.0"
    fields = {
        "id": fields.IntegerField(read_only=True),
        "availability_zone": fields.StringField(nullable=True),
        "curr_last_refreshed": fields.DateTimeField(nullable=True, read_only=True),
        "curr_read_bytes": fields.IntegerField(),
        "curr_reads": fields.IntegerField(),
        "curr_write_bytes": fields.IntegerField(),
        "curr_writes": fields.IntegerField(),
        "instance_uuid": fields.UUIDField(nullable=True),
        "project_id": fields.StringField(nullable=True),
        "tot_last_refreshed": fields.DateTimeField(nullable=True, read_only=True),
        "tot_read_bytes": fields.IntegerField(read_only=True),
        "tot_reads": fields.IntegerField(read_only=True),
        "tot_write_bytes": fields.IntegerField(read_only=True),
        "tot_writes": fields.IntegerField(read_only=True),
        "user_id": fields.StringField(nullable=True),
        "volume_id": fields.UUIDField(),
    }
