"""Counts of equal host devices."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, ObjectList, VersionedObjectRegistry


@VersionedObjectRegistry.register
class PciDevicePool(NovaObject):
    VERSION = "1.1"
    fields = {
        "count": fields.IntegerField(),
        "numa_node": fields.IntegerField(nullable=True),
        "product_id": fields.StringField(),
        "tags": fields.DictOfNullableStringsField(),
        "vendor_id": fields.StringField(),
    }
    since = {
        "numa_node": "1.1",
    }


@VersionedObjectRegistry.register
class PciDevicePoolList(ObjectList[PciDevicePool]):
    VERSION = "1.1"
    fields = {
        "objects": fields.ListOfObjectsField("PciDevicePool"),
    }
