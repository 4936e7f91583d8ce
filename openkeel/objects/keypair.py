"""Public keys of users."""

from openkeel.objects import fields
from openkeel.objects.base import (
    DictCompat,
    NovaObject,
    ObjectList,
    PersistentObject,
    VersionedObjectRegistry,
)


@VersionedObjectRegistry.register
class KeyPair(PersistentObject, NovaObject, DictCompat):
    VERSION = "1.4"
    fields = {
        "id": fields.IntegerField(),
        "fingerprint": fields.StringField(nullable=True),
        "name": fields.StringField(),
        "public_key": fields.StringField(nullable=True),
        "type": fields.StringField(),
        "user_id": fields.StringField(nullable=True),
    }
    since = {
        "type": "1.2",
    }


@VersionedObjectRegistry.register
class KeyPairList(ObjectList[KeyPair]):
    VERSION = "1.3"
    fields = {
        "objects": fields.ListOfObjectsField("KeyPair"),
    }
