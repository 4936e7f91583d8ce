"""What a move needs to know of the old and the new side."""

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, PersistentObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class MigrationContext(PersistentObject, NovaObject):
    VERSION = "1.2"
    fields = {
        "instance_uuid": fields.UUIDField(),
        "migration_id": fields.IntegerField(),
        "new_numa_topology": fields.ObjectField("InstanceNUMATopology", nullable=True),
        "new_pci_devices": fields.ObjectField("PciDeviceList", nullable=True),
        "new_pci_requests": fields.ObjectField("InstancePCIRequests", nullable=True),
        "new_resources": fields.ObjectField("ResourceList", nullable=True),
        "old_numa_topology": fields.ObjectField("InstanceNUMATopology", nullable=True),
        "old_pci_devices": fields.ObjectField("PciDeviceList", nullable=True),
        "old_pci_requests": fields.ObjectField("InstancePCIRequests", nullable=True),
        "old_resources": fields.ObjectField("ResourceList", nullable=True),
    }
    since = {
        "new_pci_devices": "1.1",
        "new_pci_requests": "1.1",
        "old_pci_devices": "1.1",
        "old_pci_requests": "1.1",
        "new_resources": "1.2",
        "old_resources": "1.2",
    }
