"""Tables of the cell database that our code touches."""

from openkeel.db.models.main.devices import (
    BlockDeviceMapping,
    ConsoleAuthToken,
    PciDevice,
    ShareMapping,
    VirtualInterface,
    VolumeUsage,
)
from openkeel.db.models.main.hosts import (
    ComputeNode,
    Migration,
    Service,
    TaskLog,
)
from openkeel.db.models.main.quotas import (
    ProjectUserQuota,
    Quota,
    QuotaClass,
    QuotaUsage,
    Reservation,
)
from openkeel.db.models.main.security_groups import (
    Certificate,
    S3Image,
    SecurityGroup,
    SecurityGroupInstanceAssociation,
    SecurityGroupRule,
)
from openkeel.db.models.main.servers import (
    Instance,
    InstanceAction,
    InstanceActionEvent,
    InstanceExtra,
    InstanceFault,
    InstanceIdMapping,
    InstanceInfoCache,
    InstanceMetadata,
    InstanceSystemMetadata,
    Tag,
)

__all__ = [
    "BlockDeviceMapping",
    "Certificate",
    "ComputeNode",
    "ConsoleAuthToken",
    "Instance",
    "InstanceAction",
    "InstanceActionEvent",
    "InstanceExtra",
    "InstanceFault",
    "InstanceIdMapping",
    "InstanceInfoCache",
    "InstanceMetadata",
    "InstanceSystemMetadata",
    "Migration",
    "PciDevice",
    "ProjectUserQuota",
    "Quota",
    "QuotaClass",
    "QuotaUsage",
    "Reservation",
    "S3Image",
    "SecurityGroup",
    "SecurityGroupInstanceAssociation",
    "SecurityGroupRule",
    "Service",
    "ShareMapping",
    "Tag",
    "TaskLog",
    "VirtualInterface",
    "VolumeUsage",
]
