"""Hypervisor nodes with what they have and what is used."""

from typing import Any

from openkeel.objects import fields
from openkeel.objects.base import NovaObject, ObjectList, PersistentObject, VersionedObjectRegistry, is_older


@VersionedObjectRegistry.register
class ComputeNode(PersistentObject, NovaObject):
    VERSION = "1.19"
    fields = {
        # Identity
        "id": fields.IntegerField(read_only=True),
        "uuid": fields.UUIDField(read_only=True),
        "host": fields.StringField(nullable=True),
        "service_id": fields.IntegerField(nullable=True),
        "hypervisor_hostname": fields.StringField(nullable=True),
        "hypervisor_type": fields.StringField(),
        "hypervisor_version": fields.IntegerField(),
        "host_ip": fields.IPAddressField(nullable=True),
        "mapped": fields.IntegerField(),
        # Amounts
        "cpu_allocation_ratio": fields.FloatField(),
        "cpu_info": fields.StringField(nullable=True),
        "current_workload": fields.IntegerField(nullable=True),
        "disk_allocation_ratio": fields.FloatField(),
        "disk_available_least": fields.IntegerField(nullable=True),
        "free_disk_gb": fields.IntegerField(nullable=True),
        "free_ram_mb": fields.IntegerField(nullable=True),
        "local_gb": fields.IntegerField(),
        "local_gb_used": fields.IntegerField(),
        "memory_mb": fields.IntegerField(),
        "memory_mb_used": fields.IntegerField(),
        "metrics": fields.StringField(nullable=True),
        "numa_topology": fields.StringField(nullable=True),
        "pci_device_pools": fields.ObjectField("PciDevicePoolList", nullable=True),
        "ram_allocation_ratio": fields.FloatField(),
        "running_vms": fields.IntegerField(nullable=True),
        "stats": fields.DictOfNullableStringsField(nullable=True),
        "supported_hv_specs": fields.ListOfObjectsField("HVSpec"),
        "vcpus": fields.IntegerField(),
        "vcpus_used": fields.IntegerField(),
    }
    since = {
        "stats": "1.3",
        "host_ip": "1.4",
        "numa_topology": "1.5",
        "supported_hv_specs": "1.6",
        "host": "1.7",
        "pci_device_pools": "1.9",
        "cpu_allocation_ratio": "1.14",
        "ram_allocation_ratio": "1.14",
        "uuid": "1.15",
        "disk_allocation_ratio": "1.16",
        "mapped": "1.17",
    }

    def obj_make_compatible(self, primitive: dict[str, Any], target_version: str) -> None:
        super().obj_make_compatible(primitive, target_version)
        if is_older(target_version, "1.13"):  # when nodes had to name their service
            primitive.setdefault("service_id", -1)


@VersionedObjectRegistry.register
class ComputeNodeList(ObjectList[ComputeNode]):
    VERSION = "1.17"
    fields = {
        "objects": fields.ListOfObjectsField("ComputeNode"),
    }
