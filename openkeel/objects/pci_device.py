"""Host devices that can be passed through."""

from openkeel.objects import enums, fields
from openkeel.objects.base import NovaObject, ObjectList, PersistentObject, VersionedObjectRegistry


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


@VersionedObjectRegistry.register
class PciDeviceList(ObjectList[PciDevice]):
    VERSION = "1.3"
    fields = {
        "objects": fields.ListOfObjectsField("PciDevice"),
    }
