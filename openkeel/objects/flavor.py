"""Sizes of servers."""

from openkeel.objects import fields
from openkeel.objects.base import (
    DictCompat,
    NovaObject,
    ObjectList,
    PersistentObject,
    VersionedObjectRegistry,
)


@VersionedObjectRegistry.register
class Flavor(PersistentObject, NovaObject, DictCompat):
    VERSION = "1.2"
    fields = {
        "id": fields.IntegerField(),
        "description": fields.StringField(nullable=True),
        "disabled": fields.BooleanField(),
        "ephemeral_gb": fields.IntegerField(),
        "extra_specs": fields.DictOfStringsField(),
        "flavorid": fields.StringField(),
        "is_public": fields.BooleanField(),
        "memory_mb": fields.IntegerField(),
        "name": fields.StringField(nullable=True),
        "projects": fields.ListOfStringsField(),
        "root_gb": fields.IntegerField(),
        "rxtx_factor": fields.FloatField(nullable=True, default=1.0),
        "swap": fields.IntegerField(),
        "vcpu_weight": fields.IntegerField(nullable=True),
        "vcpus": fields.IntegerField(),
    }
    since = {
        "description": "1.2",
    }


@VersionedObjectRegistry.register
class FlavorList(ObjectList[Flavor]):
    VERSION = "1.1"
    fields = {
        "objects": fields.ListOfObjectsField("Flavor"),
    }
