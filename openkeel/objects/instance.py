"""Servers."""

from openkeel.objects import fields
from openkeel.objects.base import (
    DictCompat,
    NovaObject,
    ObjectList,
    PersistentObject,
    VersionedObjectRegistry,
)


@VersionedObjectRegistry.register
class Instance(PersistentObject, NovaObject, DictCompat):
    VERSION = "2.8"
    fields = {
        # Identity
        "id": fields.IntegerField(),
        "uuid": fields.UUIDField(),
        "user_id": fields.StringField(nullable=True),
        "project_id": fields.StringField(nullable=True),
        "display_name": fields.StringField(nullable=True),
        "display_description": fields.StringField(nullable=True),
        "hostname": fields.StringField(nullable=True),
        "reservation_id": fields.StringField(nullable=True),
        # State
        "vm_state": fields.StringField(nullable=True),
        "task_state": fields.StringField(nullable=True),
        "power_state": fields.IntegerField(nullable=True),
        "progress": fields.IntegerField(nullable=True),
        "locked": fields.BooleanField(default=False),
        "locked_by": fields.StringField(nullable=True),
        "cleaned": fields.BooleanField(default=False),
        "hidden": fields.BooleanField(default=False),
        "disable_terminate": fields.BooleanField(default=False),
        "shutdown_terminate": fields.BooleanField(default=False),
        # Place
        "host": fields.StringField(nullable=True),
        "node": fields.StringField(nullable=True),
        "compute_id": fields.IntegerField(nullable=True),
        "launched_on": fields.StringField(nullable=True),
        "availability_zone": fields.StringField(nullable=True),
        "cell_name": fields.StringField(nullable=True),
        "launched_at": fields.DateTimeField(nullable=True),
        "terminated_at": fields.DateTimeField(nullable=True),
        # Size
        "instance_type_id": fields.IntegerField(nullable=True),
        "memory_mb": fields.IntegerField(nullable=True),
        "vcpus": fields.IntegerField(nullable=True),
        "root_gb": fields.IntegerField(nullable=True),
        "ephemeral_gb": fields.IntegerField(nullable=True),
        "flavor": fields.ObjectField("Flavor"),
        "old_flavor": fields.ObjectField("Flavor", nullable=True),
        "new_flavor": fields.ObjectField("Flavor", nullable=True),
        # Image and boot
        "image_ref": fields.StringField(nullable=True),
        "kernel_id": fields.StringField(nullable=True),
        "ramdisk_id": fields.StringField(nullable=True),
        "root_device_name": fields.StringField(nullable=True),
        "default_ephemeral_device": fields.StringField(nullable=True),
        "default_swap_device": fields.StringField(nullable=True),
        "config_drive": fields.StringField(nullable=True),
        "user_data": fields.StringField(nullable=True),
        "key_name": fields.StringField(nullable=True),
        "key_data": fields.StringField(nullable=True),
        "auto_disk_config": fields.BooleanField(default=False),
        "launch_index": fields.IntegerField(nullable=True),
        "architecture": fields.StringField(nullable=True),
        "os_type": fields.StringField(nullable=True),
        "vm_mode": fields.StringField(nullable=True),
        # Access
        "access_ip_v4": fields.IPV4AddressField(nullable=True),
        "access_ip_v6": fields.IPV6AddressField(nullable=True),
        # What hangs on it: loaded only when asked for
        "device_metadata": fields.ObjectField("InstanceDeviceMetadata", nullable=True),
        "ec2_ids": fields.ObjectField("EC2Ids"),
        "ephemeral_key_uuid": fields.UUIDField(nullable=True),
        "fault": fields.ObjectField("InstanceFault", nullable=True),
        "info_cache": fields.ObjectField("InstanceInfoCache", nullable=True),
        "keypairs": fields.ObjectField("KeyPairList"),
        "metadata": fields.DictOfStringsField(),
        "migration_context": fields.ObjectField("MigrationContext", nullable=True),
        "numa_topology": fields.ObjectField("InstanceNUMATopology", nullable=True),
        "pci_devices": fields.ObjectField("PciDeviceList", nullable=True),
        "pci_requests": fields.ObjectField("InstancePCIRequests", nullable=True),
        "resources": fields.ObjectField("ResourceList", nullable=True),
        "security_groups": fields.ObjectField("SecurityGroupList"),
        "services": fields.ObjectField("ServiceList"),
        "system_metadata": fields.DictOfNullableStringsField(),
        "tags": fields.ObjectField("TagList"),
        "trusted_certs": fields.ObjectField("TrustedCerts", nullable=True),
        "vcpu_model": fields.ObjectField("VirtCPUModel", nullable=True),
    }
    since = {
        "services": "2.1",
        "keypairs": "2.2",
        "device_metadata": "2.3",
        "trusted_certs": "2.4",
        "hidden": "2.6",
        "resources": "2.7",
        "compute_id": "2.8",
    }

    # Both are changed in place, which their field types do not notice.
    _WATCHED = ("metadata", "system_metadata")

    def obj_reset_changes(self, fields: list[str] | None = None, recursive: bool = False) -> None:
        super().obj_reset_changes(fields, recursive)
        originals = self.__dict__.setdefault("_originals", {})
        for name in self._WATCHED:
            if (fields is None or name in fields) and self.obj_attr_is_set(name):
                originals[name] = dict(getattr(self, name))

    def obj_what_changed(self) -> set[str]:
        changed = super().obj_what_changed()
        originals = self.__dict__.get("_originals", {})
        for name in self._WATCHED:
            if name in originals and self.obj_attr_is_set(name) and originals[name] != getattr(self, name):
                changed.add(name)
        return changed


@VersionedObjectRegistry.register
class InstanceList(ObjectList[Instance]):
    VERSION = "2.6"
    fields = {
        "objects": fields.ListOfObjectsField("Instance"),
    }
