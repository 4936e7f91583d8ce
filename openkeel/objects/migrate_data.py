"""What the two hosts of a live migration tell each other, per hypervisor."""

from typing import Any

from openkeel.objects import fields
from openkeel.objects.base import CannotBackport, NovaObject, VersionedObjectRegistry, is_older


@VersionedObjectRegistry.register
class HyperVLiveMigrateData(NovaObject):
    VERSION = "1.5"
    fields = {
        "is_shared_instance_path": fields.BooleanField(),
        "is_volume_backed": fields.BooleanField(),
        "migration": fields.ObjectField("Migration"),
        "old_vol_attachment_ids": fields.DictOfStringsField(),
        "pci_dev_map_src_dst": fields.DictOfStringsField(),
        "vifs": fields.ListOfObjectsField("VIFMigrateData"),
        "wait_for_vif_plugged": fields.BooleanField(),
    }
    since = {
        "is_shared_instance_path": "1.1",
        "old_vol_attachment_ids": "1.2",
        "wait_for_vif_plugged": "1.3",
        "vifs": "1.4",
        "pci_dev_map_src_dst": "1.5",
    }


@VersionedObjectRegistry.register
class LibvirtLiveMigrateBDMInfo(NovaObject):
    VERSION = "1.1"
    fields = {
        "boot_index": fields.IntegerField(nullable=True),
        "bus": fields.StringField(),
        "connection_info_json": fields.StringField(),
        "dev": fields.StringField(),
        "encryption_secret_uuid": fields.UUIDField(nullable=True),
        "format": fields.StringField(nullable=True),
        "serial": fields.StringField(),
        "type": fields.StringField(),
    }
    since = {
        "encryption_secret_uuid": "1.1",
    }


@VersionedObjectRegistry.register
class LibvirtLiveMigrateData(NovaObject):
    VERSION = "1.14"
    fields = {
        "bdms": fields.ListOfObjectsField("LibvirtLiveMigrateBDMInfo"),
        "block_migration": fields.BooleanField(),
        "disk_available_mb": fields.IntegerField(nullable=True),
        "disk_over_commit": fields.BooleanField(),
        "dst_cpu_shared_set_info": fields.SetOfIntegersField(),
        "dst_numa_info": fields.ObjectField("LibvirtLiveMigrateNUMAInfo"),
        "dst_supports_mdev_live_migration": fields.BooleanField(),
        "dst_supports_numa_live_migration": fields.BooleanField(),
        "dst_wants_file_backed_memory": fields.BooleanField(),
        "file_backed_memory_discard": fields.BooleanField(),
        "filename": fields.StringField(),
        "graphics_listen_addr_spice": fields.IPAddressField(nullable=True),
        "graphics_listen_addr_vnc": fields.IPAddressField(nullable=True),
        "image_type": fields.StringField(),
        "instance_relative_path": fields.StringField(),
        "is_shared_block_storage": fields.BooleanField(),
        "is_shared_instance_path": fields.BooleanField(),
        "is_volume_backed": fields.BooleanField(),
        "migration": fields.ObjectField("Migration"),
        "old_vol_attachment_ids": fields.DictOfStringsField(),
        "pci_dev_map_src_dst": fields.DictOfStringsField(),
        "serial_listen_addr": fields.StringField(nullable=True),
        "serial_listen_ports": fields.ListOfIntegersField(),
        "source_mdev_types": fields.DictOfStringsField(),
        "src_supports_native_luks": fields.BooleanField(),
        "src_supports_numa_live_migration": fields.BooleanField(),
        "supported_perf_events": fields.ListOfStringsField(),
        "target_connect_addr": fields.StringField(nullable=True),
        "target_mdevs": fields.DictOfStringsField(),
        "vifs": fields.ListOfObjectsField("VIFMigrateData"),
        "vtpm_secret_uuid": fields.UUIDField(nullable=True),
        "vtpm_secret_value": fields.SensitiveStringField(nullable=True),
        "wait_for_vif_plugged": fields.BooleanField(),
    }
    since = {
        "target_connect_addr": "1.1",
        "serial_listen_ports": "1.2",
        "supported_perf_events": "1.3",
        "old_vol_attachment_ids": "1.4",
        "src_supports_native_luks": "1.5",
        "wait_for_vif_plugged": "1.6",
        "dst_wants_file_backed_memory": "1.7",
        "file_backed_memory_discard": "1.8",
        "vifs": "1.9",
        "dst_numa_info": "1.10",
        "dst_supports_numa_live_migration": "1.10",
        "src_supports_numa_live_migration": "1.10",
        "dst_supports_mdev_live_migration": "1.11",
        "source_mdev_types": "1.11",
        "target_mdevs": "1.11",
        "dst_cpu_shared_set_info": "1.12",
        "pci_dev_map_src_dst": "1.13",
        "vtpm_secret_uuid": "1.14",
        "vtpm_secret_value": "1.14",
    }

    def obj_make_compatible(self, primitive: dict[str, Any], target_version: str) -> None:
        if is_older(target_version, "1.14") and "vtpm_secret_uuid" in primitive:
            reason = "it cannot move a vTPM's secret"
            raise CannotBackport(kind=self.obj_name(), version=target_version, reason=reason)
        super().obj_make_compatible(primitive, target_version)


@VersionedObjectRegistry.register
class LibvirtLiveMigrateNUMAInfo(NovaObject):
    VERSION = "1.0"
    fields = {
        "cell_pins": fields.DictOfSetOfIntegersField(),
        "cpu_pins": fields.DictOfSetOfIntegersField(),
        "emulator_pins": fields.SetOfIntegersField(),
        "sched_priority": fields.IntegerField(),
        "sched_vcpus": fields.SetOfIntegersField(),
    }


@VersionedObjectRegistry.register
class VIFMigrateData(NovaObject):
    VERSION = "1.0"
    fields = {
        "host": fields.StringField(),
        "port_id": fields.StringField(),
        "profile_json": fields.StringField(),
        "source_vif": fields.NetworkVIFModelField(),
        "vif_details_json": fields.StringField(),
        "vif_type": fields.StringField(),
        "vnic_type": fields.StringField(),
    }


@VersionedObjectRegistry.register
class VMwareLiveMigrateData(NovaObject):
    VERSION = "1.1"
    fields = {
        "cluster_name": fields.StringField(),
        "datastore_regex": fields.StringField(),
        "is_volume_backed": fields.BooleanField(),
        "migration": fields.ObjectField("Migration"),
        "old_vol_attachment_ids": fields.DictOfStringsField(),
        "pci_dev_map_src_dst": fields.DictOfStringsField(),
        "vifs": fields.ListOfObjectsField("VIFMigrateData"),
        "wait_for_vif_plugged": fields.BooleanField(),
    }
    since = {
        "pci_dev_map_src_dst": "1.1",
    }
