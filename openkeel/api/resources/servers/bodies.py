"""What requests about servers look like. Contract: rest_request_fields.json."""

from typing import Final

from openkeel.api import forms
from openkeel.api.schema import AllOf, AnyOf, Array, Body, Leaf, Object, OneOf, Param, Prop, Query
from openkeel.api.versions import V

_NAMED: Final = forms.string(maxLength=255)
_DEVICE_NAME: Final = forms.string(minLength=1, maxLength=255, pattern="^[a-zA-Z0-9._/-]*$")
_COUNT: Final = forms.POSITIVE
_SIZE: Final = Leaf(
    {"type": ["integer", "string"], "pattern": "^[0-9]+$", "minimum": 1, "maximum": forms.MAX_INT}
)
_BOOT_INDEX: Final = Leaf({"type": ["integer", "string", "null"], "pattern": "^-?[0-9]+$"})
_CONNECTION_INFO: Final = forms.string(maxLength=16777215)
_FIXED_IP: Final = AllOf(forms.STRING, OneOf(Leaf({"format": "ipv4"}), Leaf({"format": "ipv6"})))
_DISK_CONFIG: Final = forms.enum("AUTO", "MANUAL")
_DESCRIPTION: Final = forms.description(255)
_LABEL: Final = forms.string(minLength=2, maxLength=63, pattern="^[a-zA-Z0-9]+[a-zA-Z0-9-]*[a-zA-Z0-9]+$")
_METADATA: Final = Object(patterns={forms.METADATA_KEY: forms.METADATA_VALUE})
_USER_DATA: Final = forms.string(maxLength=65535, format="base64")
_MAX_TAGS: Final = 50

# The same name twice in these: the format of names became strict with 2.1.
_HOSTNAME: Final = (
    Prop("hostname", _LABEL, since=V.HOSTNAME, until=V.FQDN_HOSTNAME),
    Prop("hostname", forms.HOST_NAME, since=V.FQDN_HOSTNAME),
)

# Networks

_NETWORK_UUID_AS_TEXT: Final = Object(
    Prop("fixed_ip", _FIXED_IP),
    Prop("port", forms.nullable(forms.UUID)),
    Prop("tag", forms.DEVICE_TAG, since=V.DEVICE_TAGS, until=V.NETWORKS_AUTO_OR_NONE),
    Prop("uuid", forms.STRING),
)
_NETWORK: Final = Object(
    Prop("fixed_ip", _FIXED_IP),
    Prop("port", forms.nullable(forms.UUID)),
    Prop("tag", forms.DEVICE_TAG, since=V.DEVICE_TAGS_BACK),
    Prop("uuid", forms.UUID),
)

# Disks

_DISK_V1: Final = (
    Prop("connection_info", _CONNECTION_INFO),
    Prop("delete_on_termination", forms.BOOLEAN),
    Prop("device_name", _DEVICE_NAME),
    Prop("no_device", forms.ANY),
    Prop("snapshot_id", forms.UUID),
    Prop("virtual_name", _NAMED),
    Prop("volume_id", forms.UUID),
    Prop("volume_size", _SIZE),
)
_DISK_V2: Final = (
    *_DISK_V1,
    Prop("boot_index", _BOOT_INDEX),
    Prop("destination_type", forms.enum("local", "volume")),
    Prop("device_type", _NAMED),
    Prop("disk_bus", _NAMED),
    Prop("guest_format", _NAMED),
    Prop("image_id", forms.UUID),
    Prop("source_type", forms.enum("volume", "image", "snapshot", "blank")),
    Prop("uuid", forms.string(minLength=1, maxLength=255, pattern="^[a-zA-Z0-9._-]*$")),
    Prop(
        "volume_type",
        Leaf({"type": ["string", "null"], "minLength": 0, "maxLength": 255}),
        since=V.VOLUME_TYPE,
    ),
    Prop("tag", forms.DEVICE_TAG, since=V.DEVICE_TAGS, until=V.HYPERVISOR_PAGING),
    Prop("tag", forms.DEVICE_TAG, since=V.DEVICE_TAGS_BACK),
)

# Scheduler hints: under two names, with whatever else a filter may look at

_ONE_OR_MANY_UUIDS: Final = OneOf(forms.UUID, Array(forms.UUID))
_HINTS: Final = Object(
    Prop("build_near_host_ip", _FIXED_IP),
    Prop("cidr", forms.string(pattern="^/[0-9a-f.:]+$")),
    Prop("different_cell", AnyOf(forms.STRING, Array(forms.STRING))),
    Prop("different_host", _ONE_OR_MANY_UUIDS),
    Prop("group", _ONE_OR_MANY_UUIDS),
    Prop("query", Leaf({"type": ["string", "object"]})),
    Prop("same_host", AnyOf(forms.STRING, Array(forms.UUID))),
    Prop("target_cell", forms.NAME),
    extra=True,
)

CREATE: Final = Body(
    Prop(
        "server",
        Object(
            Prop("name", forms.PADDED_NAME, required=True, until=V.BASE),
            Prop("name", forms.NAME, required=True, since=V.BASE),
            Prop("flavorRef", Leaf({"type": ["string", "integer"], "minLength": 1}), required=True),
            Prop("imageRef", OneOf(forms.UUID, forms.string(maxLength=0))),
            Prop("adminPass", forms.STRING),
            Prop("metadata", _METADATA),
            Prop("networks", Array(_NETWORK_UUID_AS_TEXT), until=V.NETWORKS_AUTO_OR_NONE),
            Prop(
                "networks",
                OneOf(Array(_NETWORK), forms.enum("none", "auto")),
                required=True,
                since=V.NETWORKS_AUTO_OR_NONE,
            ),
            Prop("OS-DCF:diskConfig", _DISK_CONFIG),
            Prop("accessIPv4", forms.IPV4),
            Prop("accessIPv6", forms.IPV6),
            Prop(
                "personality",
                Array(Object(Prop("path", forms.STRING), Prop("contents", forms.string(format="base64")))),
                until=V.PERSONALITY_GONE,
            ),
            Prop("availability_zone", forms.PADDED_NAME, until=V.BASE),
            Prop("availability_zone", forms.NAME, since=V.BASE),
            Prop("block_device_mapping", Array(Object(*_DISK_V1))),
            Prop("block_device_mapping_v2", Array(Object(*_DISK_V2))),
            Prop("config_drive", forms.BOOLEAN),
            Prop("key_name", forms.PADDED_NAME, until=V.BASE),
            Prop("key_name", forms.NAME, since=V.BASE),
            Prop("min_count", _COUNT),
            Prop("max_count", _COUNT),
            Prop("return_reservation_id", forms.BOOLEAN),
            Prop("security_groups", Array(Object(Prop("name", forms.PADDED_NAME))), until=V.BASE),
            Prop("security_groups", Array(Object(Prop("name", forms.NAME))), since=V.BASE),
            Prop("user_data", forms.nullable(_USER_DATA), until=V.BASE),
            Prop("user_data", _USER_DATA, since=V.BASE),
            Prop("description", _DESCRIPTION, since=V.SERVER_DESCRIPTION),
            Prop("tags", Array(forms.DEVICE_TAG, maxItems=_MAX_TAGS), since=V.TAGS_AT_CREATE),
            Prop(
                "trusted_image_certificates",
                Array(forms.string(minLength=1), null=True, minItems=1, maxItems=50, uniqueItems=True),
                since=V.TRUSTED_CERTIFICATES,
            ),
            Prop("host", forms.HOST_NAME, since=V.CREATE_ON_HOST),
            Prop("hypervisor_hostname", forms.HOST_NAME, since=V.CREATE_ON_HOST),
            *_HOSTNAME,
        ),
        required=True,
    ),
    Prop("os:scheduler_hints", _HINTS),
    Prop("OS-SCH-HNT:scheduler_hints", _HINTS),
)

UPDATE: Final = Body(
    Prop(
        "server",
        Object(
            Prop("name", forms.PADDED_NAME, until=V.BASE),
            Prop("name", forms.NAME, since=V.BASE),
            Prop("OS-DCF:diskConfig", _DISK_CONFIG),
            Prop("accessIPv4", forms.IPV4),
            Prop("accessIPv6", forms.IPV6),
            Prop("description", _DESCRIPTION, since=V.SERVER_DESCRIPTION),
            *_HOSTNAME,
            Prop(
                "pinned_availability_zone",
                OneOf(forms.string(minLength=1, maxLength=255), forms.NULL),
                since=V.PINNED_ZONE_UPDATE,
            ),
        ),
        required=True,
    ),
)

# Queries

# Sort keys that older versions accept and nothing is sorted by.
IGNORED_SORT_KEYS: Final = frozenset(
    {
        "architecture",
        "cell_name",
        "cleaned",
        "default_ephemeral_device",
        "default_swap_device",
        "deleted",
        "deleted_at",
        "disable_terminate",
        "ephemeral_gb",
        "ephemeral_key_uuid",
        "id",
        "key_data",
        "launched_on",
        "memory_mb",
        "os_type",
        "reservation_id",
        "root_gb",
        "shutdown_terminate",
        "user_data",
        "vcpus",
        "vm_mode",
    }
)
SORT_KEYS: Final = frozenset(
    {
        "access_ip_v4",
        "access_ip_v6",
        "auto_disk_config",
        "availability_zone",
        "config_drive",
        "created_at",
        "display_description",
        "display_name",
        "host",
        "hostname",
        "image_ref",
        "instance_type_id",
        "kernel_id",
        "key_name",
        "launch_index",
        "launched_at",
        "locked",
        "locked_by",
        "node",
        "power_state",
        "progress",
        "project_id",
        "ramdisk_id",
        "root_device_name",
        "task_state",
        "terminated_at",
        "updated_at",
        "user_id",
        "uuid",
        "vm_state",
    }
)

_AS_PATTERN: Final = (
    "access_ip_v4",
    "access_ip_v6",
    "auto_disk_config",
    "availability_zone",
    "config_drive",
    "created_at",
    "description",
    "display_description",
    "display_name",
    "flavor",
    "hostname",
    "ip",
    "ip6",
    "kernel_id",
    "key_name",
    "launched_at",
    "locked_by",
    "name",
    "node",
    "power_state",
    "progress",
    "ramdisk_id",
    "reservation_id",
    "root_device_name",
    "terminated_at",
)
_AS_TEXT: Final = (
    "all_tenants",
    "block_device_mapping",
    "deleted",
    "host",
    "image",
    "image_ref",
    "info_cache",
    "launch_index",
    "marker",
    "metadata",
    "pci_devices",
    "project_id",
    "security_groups",
    "services",
    "soft_deleted",
    "sort_dir",
    "status",
    "system_metadata",
    "task_state",
    "tenant_id",
    "user_id",
    "uuid",
    "vm_state",
)
_TAG_FILTERS: Final = ("tags", "tags-any", "not-tags", "not-tags-any")

LIST: Final = Query(
    *(Param(name, forms.REGEX) for name in _AS_PATTERN),
    *(Param(name) for name in _AS_TEXT),
    Param("limit", forms.NON_NEGATIVE),
    Param("sort_key", forms.enum(*sorted(SORT_KEYS | IGNORED_SORT_KEYS)), until=V.STRICT_QUERIES),
    Param("sort_key", forms.enum(*sorted(SORT_KEYS)), since=V.STRICT_QUERIES),
    Param("changes-since", forms.DATE_TIME),
    Param("changes-before", forms.DATE_TIME, since=V.CHANGES_BEFORE),
    Param("locked", since=V.LOCK_REASON),
    *(Param(name, forms.REGEX, since=V.SERVER_TAGS) for name in _TAG_FILTERS),
    since=V.BASE,
    strict_since=V.STRICT_QUERIES,
    patterns={"^_": forms.STRING},
)

# Operations that know no parameter at all
NOTHING: Final = Query(since=V.BASE, strict_since=V.FLAVOR_NAME_FILTER)
