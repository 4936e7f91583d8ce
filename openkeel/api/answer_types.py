"""What values in answers look like, by the name of their field.

A name means one thing nearly everywhere, so its type stands here once; a field that differs says so in
its own row (`Field(type=...)`). What was rendered is not checked at run time: the types are for the API
reference and the OpenAPI documents, and the tests hold every answer against them. Contract:
rest_response_fields.json.
"""

from collections.abc import Iterator
from typing import Final

from openkeel.api.forms import enum, nullable
from openkeel.api.schema import AnyOf, Array, Leaf, Object, Schema

NULL: Final = Leaf({"type": "null"})
ANYTHING: Final = Leaf()
TEXT: Final = Leaf({"type": "string"})
WHOLE: Final = Leaf({"type": "integer"})
NUMBER: Final = Leaf({"type": "number"})
TRUTH: Final = Leaf({"type": "boolean"})
UUID: Final = Leaf({"type": "string", "format": "uuid"})
URL: Final = Leaf({"type": "string", "format": "uri"})
MOMENT: Final = Leaf({"type": "string", "format": "date-time"})
# Older parts of the API show UTC and do not say so.
UTC_TIME: Final = Leaf({"type": "string", "pattern": r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{6})?$"})
MAC: Final = Leaf({"type": "string", "format": "mac-address"})
BASE64: Final = Leaf({"type": "string", "format": "base64"})
LIMIT: Final = Leaf({"type": "integer", "minimum": -1})  # of a quota; -1 is none
ADDRESS: Final = AnyOf(Leaf({"type": "string", "format": "ipv4"}), Leaf({"type": "string", "format": "ipv6"}))
IP_VERSION: Final = enum(4, 6, kind="integer")
TEXTS: Final = Array(TEXT)
UUIDS: Final = Array(UUID)
TEXT_MAP: Final = Object(extra=TEXT)
OBJECT: Final = Object(extra=True)


def or_null(leaf: Leaf) -> Leaf:
    """The same, or null."""
    wider = nullable(leaf)
    if "enum" in wider.keywords:
        return Leaf({**wider.keywords, "enum": [*wider.keywords["enum"], None]})
    return wider


def _named(schema: Schema, names: str) -> Iterator[tuple[str, Schema]]:
    for name in names.split():
        yield name, schema


_TYPES: Final[dict[str, Schema]] = dict(
    [
        # What everything has.
        *_named(UUID, "uuid instance_uuid server_uuid volumeId serverId attachment_id bdm_uuid net_id"),
        *_named(UUID, "port_id subnet_id share_id parent_group_id instance_id"),
        *_named(or_null(UUID), "internal_access_path image_id"),
        *_named(TEXT, "id name tenant_id project_id user_id project label alias namespace message binary"),
        *_named(TEXT, "state status type host zone zoneName rel base address pool address output"),
        *_named(URL, "href url"),
        *_named(or_null(TEXT), "description availability_zone"),
        *_named(MOMENT, "created updated"),
        *_named(UTC_TIME, "created_at createdAt start_time started_at"),
        *_named(or_null(UTC_TIME), "updated_at deleted_at finish_time ended_at"),
        *_named(TRUTH, "deleted"),
        *_named(TEXT_MAP, "metadata extra_specs meta properties log"),
        # Servers.
        *_named(TEXT, "OS-DCF:diskConfig OS-EXT-AZ:availability_zone OS-EXT-SRV-ATTR:hostname hostId"),
        *_named(TEXT, "OS-EXT-SRV-ATTR:instance_name adminPass reservation_id details original_name"),
        *_named(or_null(TEXT), "OS-EXT-SRV-ATTR:host OS-EXT-SRV-ATTR:hypervisor_hostname"),
        *_named(or_null(TEXT), "OS-EXT-SRV-ATTR:kernel_id OS-EXT-SRV-ATTR:ramdisk_id"),
        *_named(or_null(TEXT), "OS-EXT-SRV-ATTR:reservation_id OS-EXT-SRV-ATTR:root_device_name"),
        *_named(or_null(TEXT), "OS-EXT-STS:task_state OS-EXT-STS:vm_state config_drive key_name"),
        *_named(or_null(TEXT), "locked_reason pinned_availability_zone"),
        *_named(or_null(WHOLE), "OS-EXT-SRV-ATTR:launch_index"),
        *_named(or_null(BASE64), "OS-EXT-SRV-ATTR:user_data user_data"),
        *_named(or_null(enum(0, 1, 3, 4, 6, 7, kind="integer")), "OS-EXT-STS:power_state"),
        *_named(or_null(UTC_TIME), "OS-SRV-USG:launched_at OS-SRV-USG:terminated_at"),
        *_named(AnyOf(ADDRESS, enum("")), "accessIPv4 accessIPv6"),
        *_named(ADDRESS, "addr build_near_host_ip ip ip_address"),
        *_named(AnyOf(ADDRESS, NULL), "fixed_ip"),
        *_named(MAC, "OS-EXT-IPS-MAC:mac_addr mac_addr"),
        *_named(enum("fixed", "floating"), "OS-EXT-IPS:type"),
        *_named(enum("", "DOWN", "MAINTENANCE", "UNKNOWN", "UP"), "host_status"),
        *_named(IP_VERSION, "version"),
        *_named(TRUTH, "locked delete_on_termination"),
        *_named(or_null(NUMBER), "progress"),
        *_named(TEXTS, "tags"),
        *_named(AnyOf(TEXTS, NULL), "trusted_image_certificates"),
        *_named(UUIDS, "members hosts_not_run"),
        # Scheduler hints, as they were given.
        *_named(TEXT, "cidr target_cell"),
        *_named(AnyOf(TEXT, TEXTS), "different_cell different_host same_host group"),
        *_named(AnyOf(TEXT, OBJECT), "query"),
        # Flavors and keypairs.
        *_named(WHOLE, "ram disk vcpus ephemeral OS-FLV-EXT-DATA:ephemeral"),
        *_named(AnyOf(WHOLE, enum("")), "swap"),
        *_named(TRUTH, "OS-FLV-DISABLED:disabled os-flavor-access:is_public"),
        *_named(AnyOf(NUMBER, enum("")), "rxtx_factor"),
        *_named(TEXT, "flavor_id fingerprint public_key private_key"),
        # Hosts, hypervisors, services.
        *_named(or_null(TEXT), "disabled_reason host_ip uptime"),
        *_named(TEXT, "hypervisor_hostname hypervisor_type host_name service"),
        *_named(WHOLE, "hypervisor_version count cpu disk_gb memory_mb memory_mb_used local_gb"),
        *_named(WHOLE, "local_gb_used vcpus_used"),
        *_named(or_null(WHOLE), "current_workload disk_available_least free_disk_gb free_ram_mb running_vms"),
        *_named(TRUTH, "forced_down active available"),
        *_named(TEXT, "maintenance_mode power_action"),
        # Quotas and limits.
        *_named(LIMIT, "cores fixed_ips floating_ips injected_file_content_bytes injected_file_path_bytes"),
        *_named(LIMIT, "injected_files instances key_pairs metadata_items security_group_rules"),
        *_named(LIMIT, "security_groups server_group_members server_groups in_use limit reserved"),
        *_named(LIMIT, "maxImageMeta maxPersonality maxPersonalitySize maxSecurityGroupRules"),
        *_named(LIMIT, "maxSecurityGroups maxServerGroupMembers maxServerGroups maxServerMeta"),
        *_named(LIMIT, "maxTotalCores maxTotalFloatingIps maxTotalInstances maxTotalKeypairs"),
        *_named(LIMIT, "maxTotalRAMSize totalCoresUsed totalFloatingIpsUsed totalInstancesUsed"),
        *_named(LIMIT, "totalRAMUsed totalSecurityGroupsUsed totalServerGroupsUsed"),
        *_named(Array(ANYTHING, maxItems=0), "rate"),
        # Usage.
        *_named(NUMBER, "hours total_hours total_local_gb_usage total_memory_mb_usage total_vcpus_usage"),
        *_named(UTC_TIME, "start stop period_beginning period_ending"),
        *_named(WHOLE, "errors total_errors total_instances num_hosts num_hosts_done num_hosts_not_run"),
        *_named(WHOLE, "num_hosts_running"),
        *_named(TEXT, "overall_status"),
        # Actions and migrations.
        *_named(TEXT, "action request_id event task_state"),
        *_named(
            or_null(TEXT), "traceback result source_compute source_node dest_compute dest_host dest_node"
        ),
        *_named(or_null(WHOLE), "new_instance_type_id old_instance_type_id disk_total_bytes"),
        *_named(or_null(WHOLE), "disk_processed_bytes disk_remaining_bytes memory_total_bytes"),
        *_named(or_null(WHOLE), "memory_processed_bytes memory_remaining_bytes"),
        *_named(enum("evacuation", "live-migration", "migration", "resize"), "migration_type"),
        *_named(WHOLE, "code"),
        # Server groups.
        *_named(enum("affinity", "anti-affinity", "soft-affinity", "soft-anti-affinity"), "policy"),
        *_named(TEXTS, "policies hosts"),
        *_named(WHOLE, "max_server_per_host"),
        # Consoles, passwords, topology, diagnostics.
        *_named(WHOLE, "port host_node size"),
        *_named(or_null(WHOLE), "tls_port pagesize_kb maximum used time utilisation"),
        *_named(TEXT, "password protocol driver"),
        *_named(or_null(TEXT), "hypervisor hypervisor_os mac_address"),
        *_named(or_null(WHOLE), "num_cpus num_disks num_nics errors_count read_bytes read_requests"),
        *_named(or_null(WHOLE), "write_bytes write_requests rx_drop rx_errors rx_octets rx_packets rx_rate"),
        *_named(or_null(WHOLE), "tx_drop tx_errors tx_octets tx_packets tx_rate"),
        *_named(Array(WHOLE), "vcpu_set"),
        *_named(Array(Array(WHOLE)), "siblings"),
        *_named(Object(extra=WHOLE), "cpu_pinning"),
        # Proxies to other services.
        *_named(or_null(TEXT), "availabilityZone device displayDescription displayName volumeType"),
        *_named(or_null(TEXT), "bridge bridge_interface broadcast cidr_v6 dhcp_server dhcp_start"),
        *_named(
            or_null(TEXT), "dns1 dns2 enable_dhcp gateway gateway_v6 injected multi_host netmask netmask_v6"
        ),
        *_named(or_null(TEXT), "priority rxtx_base vlan vpn_private_address vpn_public_address"),
        *_named(or_null(TEXT), "ip_protocol share_address"),
        *_named(or_null(WHOLE), "from_port to_port mtu vpn_public_port"),
        *_named(WHOLE, "minDisk minRam OS-EXT-IMG-SIZE:size"),
        *_named(AnyOf(UUID, NULL), "snapshotId"),
        *_named(TEXT, "cpus port_state tag export_location min_version"),
    ]
)


def type_of(name: str) -> Schema | None:
    """The type of a field by its name; None: not known."""
    return _TYPES.get(name)
