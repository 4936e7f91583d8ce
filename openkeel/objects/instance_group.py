"""Server groups: affinity and anti-affinity."""

from typing import Any

from openkeel.objects import fields
from openkeel.objects.base import (
    DictCompat,
    NovaObject,
    ObjectList,
    PersistentObject,
    VersionedObjectRegistry,
    is_older,
)


@VersionedObjectRegistry.register
class InstanceGroup(PersistentObject, NovaObject, DictCompat):
    VERSION = "1.11"
    fields = {
        "id": fields.IntegerField(),
        "uuid": fields.UUIDField(),
        "_rules": fields.DictOfStringsField(),
        "hosts": fields.ListOfStringsField(nullable=True),
        "members": fields.ListOfStringsField(nullable=True),
        "name": fields.StringField(nullable=True),
        "policies": fields.ListOfStringsField(nullable=True, read_only=True),
        "policy": fields.StringField(nullable=True),
        "project_id": fields.StringField(nullable=True),
        "user_id": fields.StringField(nullable=True),
    }
    since = {"policy": "1.11"}

    def obj_make_compatible(self, primitive: dict[str, Any], target_version: str) -> None:
        policy = primitive.get("policy")
        super().obj_make_compatible(primitive, target_version)
        if is_older(target_version, "1.11"):  # there were several policies
            primitive["policies"] = [policy] if policy else []
        if is_older(target_version, "1.7"):
            primitive["metadetails"] = {}


@VersionedObjectRegistry.register
class InstanceGroupList(ObjectList[InstanceGroup]):
    VERSION = "1.8"
    fields = {
        "objects": fields.ListOfObjectsField("InstanceGroup"),
    }
