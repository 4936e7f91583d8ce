"""Tables of the API database that our code touches."""

from openkeel.db.models.api.aggregates import (
    Aggregate,
    AggregateHost,
    AggregateMetadata,
    InstanceGroup,
    InstanceGroupMember,
    InstanceGroupPolicy,
)
from openkeel.db.models.api.boot import (
    BuildRequest,
    CellMapping,
    HostMapping,
    InstanceMapping,
    RequestSpec,
)
from openkeel.db.models.api.flavors import (
    Flavor,
    FlavorExtraSpec,
    FlavorProject,
    KeyPair,
)
from openkeel.db.models.api.quotas import (
    ProjectUserQuota,
    Quota,
    QuotaClass,
    QuotaUsage,
    Reservation,
)

__all__ = [
    "Aggregate",
    "AggregateHost",
    "AggregateMetadata",
    "BuildRequest",
    "CellMapping",
    "Flavor",
    "FlavorExtraSpec",
    "FlavorProject",
    "HostMapping",
    "InstanceGroup",
    "InstanceGroupMember",
    "InstanceGroupPolicy",
    "InstanceMapping",
    "KeyPair",
    "ProjectUserQuota",
    "Quota",
    "QuotaClass",
    "QuotaUsage",
    "RequestSpec",
    "Reservation",
]
