"""Every microversion once: minor, name, and what changed.

Code speaks of `V.SERVER_DESCRIPTION`, never of "2.19". A window is written `since=V.A, until=V.B` and
holds from A up to, but not including, B: `until` names the change that ended it. `V.LEGACY` (minor 0)
is the relaxed `/v2` endpoint; it reads bodies by the rows of minor 0 and answers like 2.1.

The texts behind each row are in the compute API microversion history of the OpenStack documentation.
Contract: rest_microversions.json.
"""

from enum import IntEnum, unique
from typing import Final, Self


@unique
class V(IntEnum):
    """A minor version by the name of its change. `summary` says it in one line."""

    summary: str

    def __new__(cls, minor: int, summary: str) -> Self:
        member = int.__new__(cls, minor)
        member._value_ = minor
        member.summary = summary
        return member

    LEGACY = 0, "the endpoint /v2: unknown body fields are dropped, blanks around names allowed"
    BASE = 1, "first version, same behaviour as legacy v2"
    KEYPAIR_TYPE = 2, "keypairs have a type; create answers 201, delete 204"
    SERVER_HOST_ATTRIBUTES = 3, "more extended attributes of servers; volumes tell delete_on_termination"
    FIXED_IP_RESERVED = 4, "fixed ips tell whether they are reserved (operation since removed)"
    IP6_FILTER_FOR_ALL = 5, "everyone may filter servers by ip6"
    REMOTE_CONSOLES = 6, "one remote-consoles resource in place of the console actions"
    PUBLIC_FLAVOR_ACCESS_CONFLICT = 7, "adding access to a public flavor is a conflict"
    MKS_CONSOLE = 8, "console protocol mks"
    LOCKED_SHOWN = 9, "servers tell whether they are locked"
    KEYPAIRS_OF_OTHERS = 10, "keypairs of another user through user_id"
    FORCED_DOWN = 11, "services tell and take forced_down"
    VIRTUAL_INTERFACE_NET_ID = 12, "virtual interfaces tell net_id (operation since removed)"
    SERVER_GROUP_OWNER = 13, "server groups tell project_id and user_id"
    EVACUATE_WITHOUT_SHARED_STORAGE = 14, "evacuate takes no onSharedStorage and returns no adminPass"
    SOFT_GROUP_POLICIES = 15, "soft-affinity and soft-anti-affinity"
    HOST_STATUS = 16, "servers tell host_status where the policy allows"
    CRASH_DUMP = 17, "action trigger_crash_dump"
    PROJECT_ID_OPTIONAL = 18, "the project id may be left out of URLs"
    SERVER_DESCRIPTION = 19, "servers have a description"
    VOLUMES_OF_SHELVED = 20, "volumes attach to and detach from shelved servers"
    ACTIONS_OF_DELETED = 21, "instance actions of deleted servers are readable"
    FORCE_COMPLETE = 22, "force_complete of a live migration"
    SERVER_MIGRATIONS = 23, "migrations below a server; migrations tell their type"
    ABORT_LIVE_MIGRATION = 24, "a running live migration can be aborted"
    BLOCK_MIGRATION_AUTO = 25, "block_migration may be auto; no disk_over_commit"
    SERVER_TAGS = 26, "tags of servers, and filters on them"
    SERVICE_VERSION_HEADER = 27, "header OpenStack-API-Version"
    CPU_INFO_OBJECT = 28, "cpu_info of hypervisors is an object"
    EVACUATE_FORCE = 29, "evacuate takes force; a named host is verified by the scheduler"
    LIVE_MIGRATE_FORCE = 30, "live migration takes force; a named host is verified by the scheduler"
    CONSOLE_TOKENS_OF_ALL_TYPES = 31, "console auth tokens of every console type"
    DEVICE_TAGS = 32, "tags of NICs and disks at boot"
    HYPERVISOR_PAGING = 33, "hypervisors are paged"
    ASYNC_LIVE_MIGRATION_CHECKS = 34, "live migration checks happen after the answer"
    KEYPAIR_PAGING = 35, "keypairs are paged"
    PROXIES_GONE = 36, "proxies to network, image, volume and baremetal are gone"
    NETWORKS_AUTO_OR_NONE = 37, "networks is required, and may be auto or none"
    INVALID_STATUS_REFUSED = 38, "an unknown status filter is refused"
    IMAGE_METADATA_PROXY_GONE = 39, "the proxy to image metadata is gone, and its limit"
    USAGE_PAGING = 40, "usages are paged"
    AGGREGATE_UUID = 41, "aggregates tell their uuid"
    DEVICE_TAGS_BACK = 42, "tags of NICs and disks at boot are accepted again"
    HOSTS_GONE = 43, "os-hosts is gone"
    ADDRESS_ACTIONS_GONE = 44, "fixed and floating ip actions and virtual interfaces are gone"
    IMAGE_ID_IN_BODY = 45, "createImage and createBackup answer image_id and no Location"
    REQUEST_ID_HEADER = 46, "header x-openstack-request-id"
    FLAVOR_EMBEDDED = 47, "servers embed their flavor in place of a link"
    COMMON_DIAGNOSTICS = 48, "diagnostics have one layout for all drivers"
    ATTACH_TAGS = 49, "tags when attaching ports and volumes"
    QUOTA_CLASS_SERVER_GROUPS = 50, "quota classes show server groups, and no network quotas"
    EVENTS_FOR_OWNERS = 51, "owners see the events of actions; volume-extended"
    TAGS_AT_CREATE = 52, "servers are created with tags"
    UUID_SERVICES = 53, "services and hypervisors are known by uuid"
    REBUILD_KEYPAIR = 54, "rebuild may replace the keypair"
    FLAVOR_DESCRIPTION = 55, "flavors have a description and can be updated"
    MIGRATE_TO_HOST = 56, "cold migration takes a host"
    PERSONALITY_GONE = 57, "files are no longer injected; rebuild takes user_data"
    ACTION_PAGING = 58, "instance actions are paged and filtered by time"
    MIGRATION_PAGING = 59, "migrations are paged, filtered by time, and tell their uuid"
    MULTIATTACH = 60, "volumes attached to several servers"
    FLAVOR_EXTRA_SPECS_SHOWN = 61, "flavors tell their extra specs"
    EVENT_HOST = 62, "events of actions tell host and hostId"
    TRUSTED_CERTIFICATES = 63, "trusted image certificates at create and rebuild"
    GROUP_POLICY_AND_RULES = 64, "server groups have one policy with rules"
    ABORT_QUEUED_MIGRATION = 65, "live migrations are aborted also while queued or preparing"
    CHANGES_BEFORE = 66, "filter changes-before"
    VOLUME_TYPE = 67, "volume_type of disks at boot"
    FORCE_GONE = 68, "evacuate and live migration take no force"
    DOWN_CELLS = 69, "what is in a cell that is down is shown in part"
    ATTACHMENT_TAGS_SHOWN = 70, "attached ports and volumes tell their tag"
    SERVER_GROUPS_SHOWN = 71, "servers tell their groups"
    PORT_RESOURCE_REQUESTS = 72, "ports with resource requests at create"
    LOCK_REASON = 73, "lock takes a reason; filter and sort by locked"
    CREATE_ON_HOST = 74, "create takes host and hypervisor_hostname"
    STRICT_QUERIES = 75, "unknown parameters are refused; answers of one resource are alike"
    POWER_UPDATE_EVENT = 76, "external event power-update"
    UNSHELVE_TO_ZONE = 77, "unshelve takes an availability zone"
    SERVER_TOPOLOGY = 78, "topology of a server"
    ATTACH_DELETE_ON_TERMINATION = 79, "delete_on_termination when attaching a volume"
    MIGRATION_OWNER = 80, "migrations tell project and user and are filtered by them"
    IMAGE_PRECACHE = 81, "images cached on the hosts of an aggregate"
    ACCELERATOR_EVENT = 82, "external event accelerator-request-bound"
    LIST_FILTERS_FOR_ALL = 83, "more server filters for everyone"
    EVENT_DETAILS = 84, "events of actions tell details"
    ATTACHMENT_UPDATE = 85, "delete_on_termination of an attachment can be changed"
    EXTRA_SPEC_VALIDATION = 86, "known extra specs are validated"
    RESCUE_BOOT_FROM_VOLUME = 87, "servers booted from a volume can be rescued"
    HYPERVISOR_STATISTICS_GONE = 88, "hypervisor statistics are gone, the uptime moved inline"
    ATTACHMENT_IDS = 89, "attachments tell attachment_id and bdm_uuid, and no id"
    HOSTNAME = 90, "the hostname can be set and is shown to everyone"
    UNSHELVE_TO_HOST = 91, "unshelve takes a host, and may unpin the zone"
    KEYPAIR_IMPORT_ONLY = 92, "keypairs are imported only; names may hold @ and dots"
    REBUILD_VOLUME_BACKED = 93, "servers booted from a volume can be rebuilt with a new image"
    FQDN_HOSTNAME = 94, "the hostname may be fully qualified"
    EVACUATE_STOPPED = 95, "an evacuated server stays stopped"
    PINNED_ZONE_SHOWN = 96, "servers tell their pinned availability zone"
    SHARES = 97, "shares of a server"
    IMAGE_PROPERTIES_SHOWN = 98, "servers tell the properties of their image"
    SPICE_DIRECT = 99, "console type spice-direct; tokens tell tls_port"
    SCHEDULER_HINTS_SHOWN = 100, "servers tell their scheduler hints"
    ASYNC_VOLUME_ATTACH = 101, "attaching a volume answers 202 with no body"
    FLAVOR_NAME_FILTER = (
        102,
        "flavors are filtered by name; rxtx_factor and disabled gone; all queries strict",
    )
    VOLUMES_BOOT_GONE = 103, "os-volumes_boot is gone"
    PINNED_ZONE_UPDATE = 104, "the pinned availability zone can be changed"


VERSIONS: Final[tuple[V, ...]] = tuple(version for version in V if version is not V.LEGACY)
LATEST: Final = VERSIONS[-1]
END: Final = LATEST + 1  # `until` of what is still there


def text(minor: int) -> str:
    """How clients write it."""
    return f"2.{minor}"
