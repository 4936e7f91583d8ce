"""Disks of a server: what each is made from, where it lives, how the guest sees it."""

from openkeel.objects import enums, fields
from openkeel.objects.base import (
    DictCompat,
    NovaObject,
    ObjectList,
    PersistentObject,
    VersionedObjectRegistry,
)


@VersionedObjectRegistry.register
class BlockDeviceMapping(PersistentObject, NovaObject, DictCompat):
    VERSION = "1.21"
    fields = {
        # Identity
        "id": fields.IntegerField(),
        "uuid": fields.UUIDField(),
        "instance_uuid": fields.UUIDField(),
        # Source and place
        "source_type": fields.ChoiceField(enums.BlockDeviceSourceType, nullable=True),
        "destination_type": fields.ChoiceField(enums.BlockDeviceDestinationType, nullable=True),
        "image_id": fields.StringField(nullable=True),
        "snapshot_id": fields.StringField(nullable=True),
        "volume_id": fields.StringField(nullable=True),
        "volume_size": fields.IntegerField(nullable=True),
        "volume_type": fields.StringField(nullable=True),
        "no_device": fields.BooleanField(default=False),
        "delete_on_termination": fields.BooleanField(default=False),
        # As the guest sees it
        "boot_index": fields.IntegerField(nullable=True),
        "device_name": fields.StringField(nullable=True),
        "device_type": fields.ChoiceField(enums.BlockDeviceType, nullable=True),
        "disk_bus": fields.StringField(nullable=True),
        "guest_format": fields.StringField(nullable=True),
        "tag": fields.StringField(nullable=True),
        # Attachment
        "attachment_id": fields.UUIDField(nullable=True),
        "connection_info": fields.SensitiveStringField(nullable=True),
        # Encryption
        "encrypted": fields.BooleanField(default=False),
        "encryption_secret_uuid": fields.UUIDField(nullable=True),
        "encryption_format": fields.ChoiceField(enums.BlockDeviceEncryptionFormatType, nullable=True),
        "encryption_options": fields.StringField(nullable=True),
        # Rest
        "instance": fields.ObjectField("Instance", nullable=True),
    }
    since = {
        "tag": "1.17",
        "attachment_id": "1.18",
        "uuid": "1.19",
        "volume_type": "1.20",
        "encrypted": "1.21",
        "encryption_format": "1.21",
        "encryption_options": "1.21",
        "encryption_secret_uuid": "1.21",
    }


@VersionedObjectRegistry.register
class BlockDeviceMappingList(ObjectList[BlockDeviceMapping]):
    VERSION = "1.18"
    fields = {
        "objects": fields.ListOfObjectsField("BlockDeviceMapping"),
    }
