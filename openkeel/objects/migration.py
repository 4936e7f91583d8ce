"""Moves of a server between hosts or sizes."""

from openkeel.objects import enums, fields
from openkeel.objects.base import NovaObject, ObjectList, PersistentObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class Migration(PersistentObject, NovaObject):
    VERSION = "1.8"
    fields = {
        "id": fields.IntegerField(),
        "uuid": fields.UUIDField(),
        "cross_cell_move": fields.BooleanField(default=False),
        "dest_compute": fields.StringField(nullable=True),
        "dest_compute_id": fields.IntegerField(nullable=True),
        "dest_host": fields.StringField(nullable=True),
        "dest_node": fields.StringField(nullable=True),
        "disk_processed": fields.IntegerField(nullable=True),
        "disk_remaining": fields.IntegerField(nullable=True),
        "disk_total": fields.IntegerField(nullable=True),
        "hidden": fields.BooleanField(default=False),
        "instance_uuid": fields.StringField(nullable=True),
        "memory_processed": fields.IntegerField(nullable=True),
        "memory_remaining": fields.IntegerField(nullable=True),
        "memory_total": fields.IntegerField(nullable=True),
        "migration_type": fields.ChoiceField(enums.MigrationType),
        "new_instance_type_id": fields.IntegerField(nullable=True),
        "old_instance_type_id": fields.IntegerField(nullable=True),
        "project_id": fields.StringField(nullable=True),
        "source_compute": fields.StringField(nullable=True),
        "source_node": fields.StringField(nullable=True),
        "status": fields.StringField(nullable=True),
        "user_id": fields.StringField(nullable=True),
    }
    since = {
        "hidden": "1.2",
        "migration_type": "1.2",
        "disk_processed": "1.4",
        "disk_remaining": "1.4",
        "disk_total": "1.4",
        "memory_processed": "1.4",
        "memory_remaining": "1.4",
        "memory_total": "1.4",
        "uuid": "1.5",
        "cross_cell_move": "1.6",
        "project_id": "1.7",
        "user_id": "1.7",
        "dest_compute_id": "1.8",
    }


@VersionedObjectRegistry.register
class MigrationList(ObjectList[Migration]):
    VERSION = "1.5"
    fields = {
        "objects": fields.ListOfObjectsField("Migration"),
    }
