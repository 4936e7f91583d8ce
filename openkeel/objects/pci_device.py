"""Host devices that can be passed through."""

from typing import Any

from openkeel.objects import enums, fields
from openkeel.objects.base import (
    CannotBackport,
    NovaObject,
    ObjectList,
    PersistentObject,
    VersionedObjectRegistry,
    is_older,
)


@VersionedObjectRegistry.register
class PciDevice(PersistentObject, NovaObject):
    VERSION = "1.7"
    fields = {
        "id": fields.IntegerField(),
        "uuid": fields.UUIDField(),
        "address": fields.StringField(),
        "compute_node_id": fields.IntegerField(nullable=True),
        "dev_id": fields.StringField(nullable=True),
        "dev_type": fields.ChoiceField(enums.PciDeviceType),
        "extra_info": fields.DictOfStringsField(default={}),
        "instance_uuid": fields.StringField(nullable=True),
        "label": fields.StringField(nullable=True),
        "numa_node": fields.IntegerField(nullable=True),
        "parent_addr": fields.StringField(nullable=True),
        "product_id": fields.StringField(),
        "request_id": fields.StringField(nullable=True),
        "status": fields.ChoiceField(enums.PciDeviceStatus),
        "vendor_id": fields.StringField(),
    }
    since = {
        "request_id": "1.2",
        "parent_addr": "1.4",
        "uuid": "1.6",
    }
    widened = {"dev_type": {"vdpa": "1.7"}}

    def obj_make_compatible(self, primitive: dict[str, Any], target_version: str) -> None:
        parent, status = primitive.get("parent_addr"), primitive.get("status")
        super().obj_make_compatible(primitive, target_version)
        is_new = parent is not None and status in {"unavailable", "unclaimable"}
        if is_new and is_older(target_version, "1.5") and not is_older(target_version, "1.4"):
            raise CannotBackport(
                kind=self.obj_name(), version=target_version, reason=f"it does not know status={status}"
            )
        if is_older(target_version, "1.4") and parent is not None:
            primitive["extra_info"] = {**primitive.get("extra_info", {}), "phys_function": parent}


@VersionedObjectRegistry.register
class PciDeviceList(ObjectList[PciDevice]):
    VERSION = "1.3"
    fields = {
        "objects": fields.ListOfObjectsField("PciDevice"),
    }
