"""What the guest may read about its tagged devices, and the buses they sit on."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class DeviceBus(NovaObject):
    VERSION = "1.0"


@VersionedObjectRegistry.register
class DeviceMetadata(NovaObject):
    VERSION = "1.0"
    fields = {
        "bus": fields.ObjectField("DeviceBus", subclasses=True),
        "tags": fields.ListOfStringsField(),
    }


@VersionedObjectRegistry.register
class InstanceDeviceMetadata(NovaObject):
    VERSION = "1.0"
    fields = {
        "devices": fields.ListOfObjectsField("DeviceMetadata", subclasses=True),
    }


@VersionedObjectRegistry.register
class DiskMetadata(DeviceMetadata):
    VERSION = "1.0"
    fields = {
        "path": fields.StringField(nullable=True),
        "serial": fields.StringField(nullable=True),
    }


@VersionedObjectRegistry.register
class IDEDeviceBus(DeviceBus):
    VERSION = "1.0"
    fields = {
        "address": fields.IDEAddressField(),
    }


@VersionedObjectRegistry.register
class NetworkInterfaceMetadata(DeviceMetadata):
    VERSION = "1.2"
    fields = {
        "mac": fields.MACAddressField(),
        "vf_trusted": fields.BooleanField(default=False),
        "vlan": fields.IntegerField(),
    }
    since = {
        "vlan": "1.1",
        "vf_trusted": "1.2",
    }


@VersionedObjectRegistry.register
class PCIDeviceBus(DeviceBus):
    VERSION = "1.0"
    fields = {
        "address": fields.PCIAddressField(),
    }


@VersionedObjectRegistry.register
class SCSIDeviceBus(DeviceBus):
    VERSION = "1.0"
    fields = {
        "address": fields.SCSIAddressField(),
    }


@VersionedObjectRegistry.register
class ShareMetadata(DeviceMetadata):
    VERSION = "1.0"
    fields = {
        "share_id": fields.StringField(nullable=True),
        "tag": fields.StringField(nullable=True),
    }


@VersionedObjectRegistry.register
class USBDeviceBus(DeviceBus):
    VERSION = "1.0"
    fields = {
        "address": fields.USBAddressField(),
    }


@VersionedObjectRegistry.register
class XenDeviceBus(DeviceBus):
    VERSION = "1.0"
    fields = {
        "address": fields.XenAddressField(),
    }
