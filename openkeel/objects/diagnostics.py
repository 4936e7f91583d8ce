"""What a driver measures of a running guest."""

from typing import Any

from openkeel.objects import enums, fields
from openkeel.objects.base import EphemeralObject, NovaObject, VersionedObjectRegistry


@VersionedObjectRegistry.register
class CpuDiagnostics(NovaObject):
    VERSION = "1.0"
    fields = {
        "id": fields.IntegerField(nullable=True),
        "time": fields.IntegerField(nullable=True),
        "utilisation": fields.IntegerField(nullable=True),
    }


@VersionedObjectRegistry.register
class DiskDiagnostics(NovaObject):
    VERSION = "1.0"
    fields = {
        "errors_count": fields.IntegerField(nullable=True),
        "read_bytes": fields.IntegerField(nullable=True),
        "read_requests": fields.IntegerField(nullable=True),
        "write_bytes": fields.IntegerField(nullable=True),
        "write_requests": fields.IntegerField(nullable=True),
    }


@VersionedObjectRegistry.register
class MemoryDiagnostics(NovaObject):
    VERSION = "1.0"
    fields = {
        "maximum": fields.IntegerField(nullable=True),
        "used": fields.IntegerField(nullable=True),
    }


@VersionedObjectRegistry.register
class NicDiagnostics(NovaObject):
    VERSION = "1.0"
    fields = {
        "mac_address": fields.MACAddressField(nullable=True),
        "rx_drop": fields.IntegerField(nullable=True),
        "rx_errors": fields.IntegerField(nullable=True),
        "rx_octets": fields.IntegerField(nullable=True),
        "rx_packets": fields.IntegerField(nullable=True),
        "rx_rate": fields.IntegerField(nullable=True),
        "tx_drop": fields.IntegerField(nullable=True),
        "tx_errors": fields.IntegerField(nullable=True),
        "tx_octets": fields.IntegerField(nullable=True),
        "tx_packets": fields.IntegerField(nullable=True),
        "tx_rate": fields.IntegerField(nullable=True),
    }


@VersionedObjectRegistry.register
class Diagnostics(EphemeralObject):
    VERSION = "1.0"
    fields = {
        "config_drive": fields.BooleanField(),
        "cpu_details": fields.ListOfObjectsField("CpuDiagnostics", default=[]),
        "disk_details": fields.ListOfObjectsField("DiskDiagnostics", default=[]),
        "driver": fields.ChoiceField(enums.HypervisorDriver),
        "hypervisor": fields.StringField(nullable=True),
        "hypervisor_os": fields.StringField(nullable=True),
        "memory_details": fields.ObjectField("MemoryDiagnostics", default=MemoryDiagnostics()),
        "nic_details": fields.ListOfObjectsField("NicDiagnostics", default=[]),
        "num_cpus": fields.IntegerField(),
        "num_disks": fields.IntegerField(),
        "num_nics": fields.IntegerField(),
        "state": fields.InstancePowerStateField(),
        "uptime": fields.IntegerField(nullable=True),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        counts = dict.fromkeys(("num_cpus", "num_disks", "num_nics"), 0)
        super().__init__(*args, **{**counts, **kwargs})
