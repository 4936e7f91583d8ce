"""Nova's versioned objects: `from openkeel import objects; objects.Instance(...)`.

Importing this package registers every class; one module per noun.
"""

from openkeel.objects.aggregate import Aggregate, AggregateList
from openkeel.objects.block_device import BlockDeviceMapping, BlockDeviceMappingList
from openkeel.objects.build_request import BuildRequest, BuildRequestList
from openkeel.objects.cell_mapping import CellMapping, CellMappingList
from openkeel.objects.compute_node import ComputeNode, ComputeNodeList
from openkeel.objects.console_auth_token import ConsoleAuthToken
from openkeel.objects.diagnostics import (
    CpuDiagnostics,
    Diagnostics,
    DiskDiagnostics,
    MemoryDiagnostics,
    NicDiagnostics,
)
from openkeel.objects.ec2 import EC2Ids, EC2InstanceMapping, S3ImageMapping
from openkeel.objects.external_event import InstanceExternalEvent
from openkeel.objects.flavor import Flavor, FlavorList
from openkeel.objects.host_mapping import HostMapping, HostMappingList
from openkeel.objects.hv_spec import HVSpec
from openkeel.objects.image_meta import ImageMeta, ImageMetaProps
from openkeel.objects.instance import Instance, InstanceList
from openkeel.objects.instance_action import (
    InstanceAction,
    InstanceActionEvent,
    InstanceActionEventList,
    InstanceActionList,
)
from openkeel.objects.instance_fault import InstanceFault, InstanceFaultList
from openkeel.objects.instance_group import InstanceGroup, InstanceGroupList
from openkeel.objects.instance_info_cache import InstanceInfoCache
from openkeel.objects.instance_mapping import InstanceMapping, InstanceMappingList
from openkeel.objects.instance_numa import InstanceNUMACell, InstanceNUMATopology
from openkeel.objects.instance_pci_requests import InstancePCIRequest, InstancePCIRequests
from openkeel.objects.keypair import KeyPair, KeyPairList
from openkeel.objects.migrate_data import (
    HyperVLiveMigrateData,
    LibvirtLiveMigrateBDMInfo,
    LibvirtLiveMigrateData,
    LibvirtLiveMigrateNUMAInfo,
    VIFMigrateData,
    VMwareLiveMigrateData,
)
from openkeel.objects.migration import Migration, MigrationList
from openkeel.objects.migration_context import MigrationContext
from openkeel.objects.monitor_metric import MonitorMetric, MonitorMetricList
from openkeel.objects.network_metadata import NetworkMetadata
from openkeel.objects.network_request import NetworkRequest, NetworkRequestList
from openkeel.objects.numa import NUMACell, NUMAPagesTopology, NUMATopology, NUMATopologyLimits
from openkeel.objects.pci_device import PciDevice, PciDeviceList
from openkeel.objects.pci_device_pool import PciDevicePool, PciDevicePoolList
from openkeel.objects.quotas import Quotas, QuotasNoOp
from openkeel.objects.request_spec import (
    Destination,
    RequestGroup,
    RequestLevelParams,
    RequestSpec,
    SchedulerLimits,
    SchedulerRetries,
)
from openkeel.objects.resource import LibvirtVPMEMDevice, Resource, ResourceList, ResourceMetadata
from openkeel.objects.security_group import SecurityGroup, SecurityGroupList
from openkeel.objects.selection import Selection
from openkeel.objects.service import Service, ServiceList
from openkeel.objects.share_mapping import ShareMapping, ShareMappingList
from openkeel.objects.tag import Tag, TagList
from openkeel.objects.task_log import TaskLog, TaskLogList
from openkeel.objects.trusted_certs import TrustedCerts
from openkeel.objects.vcpu_model import VirtCPUFeature, VirtCPUModel
from openkeel.objects.virt_cpu_topology import VirtCPUTopology
from openkeel.objects.virt_device_metadata import (
    DeviceBus,
    DeviceMetadata,
    DiskMetadata,
    IDEDeviceBus,
    InstanceDeviceMetadata,
    NetworkInterfaceMetadata,
    PCIDeviceBus,
    SCSIDeviceBus,
    ShareMetadata,
    USBDeviceBus,
    XenDeviceBus,
)
from openkeel.objects.virtual_interface import VirtualInterface, VirtualInterfaceList
from openkeel.objects.volume_usage import VolumeUsage

__all__ = [
    "Aggregate",
    "AggregateList",
    "BlockDeviceMapping",
    "BlockDeviceMappingList",
    "BuildRequest",
    "BuildRequestList",
    "CellMapping",
    "CellMappingList",
    "ComputeNode",
    "ComputeNodeList",
    "ConsoleAuthToken",
    "CpuDiagnostics",
    "Destination",
    "DeviceBus",
    "DeviceMetadata",
    "Diagnostics",
    "DiskDiagnostics",
    "DiskMetadata",
    "EC2Ids",
    "EC2InstanceMapping",
    "Flavor",
    "FlavorList",
    "HVSpec",
    "HostMapping",
    "HostMappingList",
    "HyperVLiveMigrateData",
    "IDEDeviceBus",
    "ImageMeta",
    "ImageMetaProps",
    "Instance",
    "InstanceAction",
    "InstanceActionEvent",
    "InstanceActionEventList",
    "InstanceActionList",
    "InstanceDeviceMetadata",
    "InstanceExternalEvent",
    "InstanceFault",
    "InstanceFaultList",
    "InstanceGroup",
    "InstanceGroupList",
    "InstanceInfoCache",
    "InstanceList",
    "InstanceMapping",
    "InstanceMappingList",
    "InstanceNUMACell",
    "InstanceNUMATopology",
    "InstancePCIRequest",
    "InstancePCIRequests",
    "KeyPair",
    "KeyPairList",
    "LibvirtLiveMigrateBDMInfo",
    "LibvirtLiveMigrateData",
    "LibvirtLiveMigrateNUMAInfo",
    "LibvirtVPMEMDevice",
    "MemoryDiagnostics",
    "Migration",
    "MigrationContext",
    "MigrationList",
    "MonitorMetric",
    "MonitorMetricList",
    "NUMACell",
    "NUMAPagesTopology",
    "NUMATopology",
    "NUMATopologyLimits",
    "NetworkInterfaceMetadata",
    "NetworkMetadata",
    "NetworkRequest",
    "NetworkRequestList",
    "NicDiagnostics",
    "PCIDeviceBus",
    "PciDevice",
    "PciDeviceList",
    "PciDevicePool",
    "PciDevicePoolList",
    "Quotas",
    "QuotasNoOp",
    "RequestGroup",
    "RequestLevelParams",
    "RequestSpec",
    "Resource",
    "ResourceList",
    "ResourceMetadata",
    "S3ImageMapping",
    "SCSIDeviceBus",
    "SchedulerLimits",
    "SchedulerRetries",
    "SecurityGroup",
    "SecurityGroupList",
    "Selection",
    "Service",
    "ServiceList",
    "ShareMapping",
    "ShareMappingList",
    "ShareMetadata",
    "Tag",
    "TagList",
    "TaskLog",
    "TaskLogList",
    "TrustedCerts",
    "USBDeviceBus",
    "VIFMigrateData",
    "VMwareLiveMigrateData",
    "VirtCPUFeature",
    "VirtCPUModel",
    "VirtCPUTopology",
    "VirtualInterface",
    "VirtualInterfaceList",
    "VolumeUsage",
    "XenDeviceBus",
    "register_all",
]


def register_all() -> None:
    """Make sure that every class is in oslo.versionedobjects' registry: importing this module did it."""
