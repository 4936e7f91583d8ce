"""What the API was extended by before it had microversions: /extensions.

The list is fixed: clients of those days look in it for what they need. Contract: names and order as a
compute API answers them; descriptions are the names in words.
"""

import re
from dataclasses import dataclass
from typing import Any, Final

from openkeel.api.answer_types import TEXT
from openkeel.api.request import Request
from openkeel.api.schema import Query
from openkeel.api.tables import Field, Getter, Operation, View
from openkeel.api.versions import V
from openkeel.domain.errors import NotFound
from openkeel.policies import extensions as rules

# Fields

_NAMESPACE: Final = "http://docs.openstack.org/compute/ext/fake_xml"
_UPDATED: Final = "2014-12-03T00:00:00Z"


@dataclass(frozen=True, slots=True)
class Extension:
    """One row of the list."""

    alias: str
    name: str

    @property
    def description(self) -> str:
        """The name in words."""
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", self.name)
        return f"{words}."


def _always(value: Any) -> Getter:
    return lambda _row, _rendering: value


EXTENSION: Final = View(
    Field("alias"),
    Field("description", type=TEXT),
    Field("links", get=_always([]), shape=("[].href", "[].rel")),
    Field("name"),
    Field("namespace", get=_always(_NAMESPACE)),
    Field("updated", get=_always(_UPDATED)),
)

_ALL: Final = (
    ("NMN", "Multinic"),
    ("OS-DCF", "DiskConfig"),
    ("OS-EXT-AZ", "ExtendedAvailabilityZone"),
    ("OS-EXT-IMG-SIZE", "ImageSize"),
    ("OS-EXT-IPS", "ExtendedIps"),
    ("OS-EXT-IPS-MAC", "ExtendedIpsMac"),
    ("OS-EXT-SRV-ATTR", "ExtendedServerAttributes"),
    ("OS-EXT-STS", "ExtendedStatus"),
    ("OS-FLV-DISABLED", "FlavorDisabled"),
    ("OS-FLV-EXT-DATA", "FlavorExtraData"),
    ("OS-SCH-HNT", "SchedulerHints"),
    ("OS-SRV-USG", "ServerUsage"),
    ("os-access-ips", "AccessIPs"),
    ("os-admin-actions", "AdminActions"),
    ("os-admin-password", "AdminPassword"),
    ("os-agents", "Agents"),
    ("os-aggregates", "Aggregates"),
    ("os-assisted-volume-snapshots", "AssistedVolumeSnapshots"),
    ("os-attach-interfaces", "AttachInterfaces"),
    ("os-availability-zone", "AvailabilityZone"),
    ("os-baremetal-ext-status", "BareMetalExtStatus"),
    ("os-baremetal-nodes", "BareMetalNodes"),
    ("os-block-device-mapping", "BlockDeviceMapping"),
    ("os-block-device-mapping-v2-boot", "BlockDeviceMappingV2Boot"),
    ("os-cell-capacities", "CellCapacities"),
    ("os-cells", "Cells"),
    ("os-certificates", "Certificates"),
    ("os-cloudpipe", "Cloudpipe"),
    ("os-cloudpipe-update", "CloudpipeUpdate"),
    ("os-config-drive", "ConfigDrive"),
    ("os-console-auth-tokens", "ConsoleAuthTokens"),
    ("os-console-output", "ConsoleOutput"),
    ("os-consoles", "Consoles"),
    ("os-create-backup", "CreateBackup"),
    ("os-create-server-ext", "Createserverext"),
    ("os-deferred-delete", "DeferredDelete"),
    ("os-evacuate", "Evacuate"),
    ("os-extended-evacuate-find-host", "ExtendedEvacuateFindHost"),
    ("os-extended-floating-ips", "ExtendedFloatingIps"),
    ("os-extended-hypervisors", "ExtendedHypervisors"),
    ("os-extended-networks", "ExtendedNetworks"),
    ("os-extended-quotas", "ExtendedQuotas"),
    ("os-extended-rescue-with-image", "ExtendedRescueWithImage"),
    ("os-extended-services", "ExtendedServices"),
    ("os-extended-services-delete", "ExtendedServicesDelete"),
    ("os-extended-status", "ExtendedStatus"),
    ("os-extended-volumes", "ExtendedVolumes"),
    ("os-fixed-ips", "FixedIPs"),
    ("os-flavor-access", "FlavorAccess"),
    ("os-flavor-extra-specs", "FlavorExtraSpecs"),
    ("os-flavor-manage", "FlavorManage"),
    ("os-flavor-rxtx", "FlavorRxtx"),
    ("os-flavor-swap", "FlavorSwap"),
    ("os-floating-ip-dns", "FloatingIpDns"),
    ("os-floating-ip-pools", "FloatingIpPools"),
    ("os-floating-ips", "FloatingIps"),
    ("os-floating-ips-bulk", "FloatingIpsBulk"),
    ("os-fping", "Fping"),
    ("os-hide-server-addresses", "HideServerAddresses"),
    ("os-hosts", "Hosts"),
    ("os-hypervisor-status", "HypervisorStatus"),
    ("os-hypervisors", "Hypervisors"),
    ("os-instance-actions", "InstanceActions"),
    ("os-instance_usage_audit_log", "OSInstanceUsageAuditLog"),
    ("os-keypairs", "Keypairs"),
    ("os-lock-server", "LockServer"),
    ("os-migrate-server", "MigrateServer"),
    ("os-migrations", "Migrations"),
    ("os-multiple-create", "MultipleCreate"),
    ("os-networks", "Networks"),
    ("os-networks-associate", "NetworkAssociationSupport"),
    ("os-pause-server", "PauseServer"),
    ("os-personality", "Personality"),
    ("os-preserve-ephemeral-rebuild", "PreserveEphemeralOnRebuild"),
    ("os-quota-class-sets", "QuotaClasses"),
    ("os-quota-sets", "Quotas"),
    ("os-rescue", "Rescue"),
    ("os-security-group-default-rules", "SecurityGroupDefaultRules"),
    ("os-security-groups", "SecurityGroups"),
    ("os-server-diagnostics", "ServerDiagnostics"),
    ("os-server-external-events", "ServerExternalEvents"),
    ("os-server-group-quotas", "ServerGroupQuotas"),
    ("os-server-groups", "ServerGroups"),
    ("os-server-list-multi-status", "ServerListMultiStatus"),
    ("os-server-password", "ServerPassword"),
    ("os-server-sort-keys", "ServerSortKeys"),
    ("os-server-start-stop", "ServerStartStop"),
    ("os-services", "Services"),
    ("os-shelve", "Shelve"),
    ("os-simple-tenant-usage", "SimpleTenantUsage"),
    ("os-suspend-server", "SuspendServer"),
    ("os-tenant-networks", "OSTenantNetworks"),
    ("os-used-limits", "UsedLimits"),
    ("os-used-limits-for-admin", "UsedLimitsForAdmin"),
    ("os-user-data", "UserData"),
    ("os-user-quotas", "UserQuotas"),
    ("os-virtual-interfaces", "VirtualInterfaces"),
    ("os-volume-attachment-update", "VolumeAttachmentUpdate"),
    ("os-volumes", "Volumes"),
)
EXTENSIONS: Final = tuple(Extension(alias, name) for alias, name in _ALL)
_BY_ALIAS: Final = {extension.alias: extension for extension in EXTENSIONS}

# Bodies and queries

NOTHING: Final = Query(strict_since=V.FLAVOR_NAME_FILTER, since=V.BASE)

# Handlers


def index(_request: Request) -> tuple[Extension, ...]:
    """All of them, whatever this deployment can do."""
    return EXTENSIONS


def show(request: Request) -> Extension:
    """One of them."""
    found = _BY_ALIAS.get(request.params["id"])
    if found is None:
        raise NotFound(f"There is no extension {request.params['id']}.")
    return found


# Operations

OPERATIONS: Final = (
    Operation(
        "GET",
        "/extensions",
        index,
        rule=rules.EXTENSIONS,
        query=NOTHING,
        view=EXTENSION.list("extensions"),
    ),
    Operation(
        "GET",
        "/extensions/{id}",
        show,
        rule=rules.EXTENSIONS,
        query=NOTHING,
        view=EXTENSION.one("extension"),
    ),
)
