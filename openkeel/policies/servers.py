"""Who may do what with servers themselves and what a create may ask for. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, MEMBER, NOBODY, READER, Was, rule

CREATE_REQUESTED_DESTINATION: Final = "compute:servers:create:requested_destination"
RESIZE_CROSS_CELL: Final = "compute:servers:resize:cross_cell"
ATTACH_EXTERNAL_NETWORK: Final = "network:attach_external_network"
EXTENDED_ATTRIBUTES: Final = "os_compute_api:os-extended-server-attributes"
ALLOW_ALL_FILTERS: Final = "os_compute_api:servers:allow_all_filters"
CONFIRM_RESIZE: Final = "os_compute_api:servers:confirm_resize"
CREATE: Final = "os_compute_api:servers:create"
CREATE_ATTACH_NETWORK: Final = "os_compute_api:servers:create:attach_network"
CREATE_ATTACH_VOLUME: Final = "os_compute_api:servers:create:attach_volume"
CREATE_FORCED_HOST: Final = "os_compute_api:servers:create:forced_host"
CREATE_TRUSTED_CERTS: Final = "os_compute_api:servers:create:trusted_certs"
CREATE_ZERO_DISK_FLAVOR: Final = "os_compute_api:servers:create:zero_disk_flavor"
CREATE_IMAGE: Final = "os_compute_api:servers:create_image"
CREATE_IMAGE_ALLOW_VOLUME_BACKED: Final = "os_compute_api:servers:create_image:allow_volume_backed"
DELETE: Final = "os_compute_api:servers:delete"
DETAIL: Final = "os_compute_api:servers:detail"
DETAIL_GET_ALL_TENANTS: Final = "os_compute_api:servers:detail:get_all_tenants"
INDEX: Final = "os_compute_api:servers:index"
INDEX_GET_ALL_TENANTS: Final = "os_compute_api:servers:index:get_all_tenants"
REBOOT: Final = "os_compute_api:servers:reboot"
REBUILD: Final = "os_compute_api:servers:rebuild"
REBUILD_TRUSTED_CERTS: Final = "os_compute_api:servers:rebuild:trusted_certs"
RESIZE: Final = "os_compute_api:servers:resize"
REVERT_RESIZE: Final = "os_compute_api:servers:revert_resize"
SHOW: Final = "os_compute_api:servers:show"
SHOW_FLAVOR_EXTRA_SPECS: Final = "os_compute_api:servers:show:flavor-extra-specs"
SHOW_HOST_STATUS: Final = "os_compute_api:servers:show:host_status"
SHOW_HOST_STATUS_UNKNOWN_ONLY: Final = "os_compute_api:servers:show:host_status:unknown-only"
START: Final = "os_compute_api:servers:start"
STOP: Final = "os_compute_api:servers:stop"
TRIGGER_CRASH_DUMP: Final = "os_compute_api:servers:trigger_crash_dump"
UPDATE: Final = "os_compute_api:servers:update"

_WAS: Final = Was("os_compute_api:os-flavor-extra-specs:index", "rule:admin_or_owner")

RULES: Final = (
    rule(
        CREATE_REQUESTED_DESTINATION,
        ADMIN,
        "Name the host or node a new server must go to, checked by the scheduler.",
        "POST /servers",
    ),
    rule(
        RESIZE_CROSS_CELL,
        NOBODY,
        "Let a resize leave the cell of the server.",
        "POST /servers/{server_id}/action (resize)",
    ),
    rule(
        ATTACH_EXTERNAL_NETWORK,
        ADMIN,
        "Put a server on an external network.",
        "POST /servers",
        "POST /servers/{server_id}/os-interface",
    ),
    rule(
        EXTENDED_ATTRIBUTES,
        ADMIN,
        "See the host, node and further internals of servers.",
        "GET /servers/detail",
        "GET /servers/{id}",
        "POST /servers/{server_id}/action (rebuild)",
        "PUT /servers/{server_id}",
    ),
    rule(ALLOW_ALL_FILTERS, ADMIN, "Filter servers by anything.", "GET /servers", "GET /servers/detail"),
    rule(
        CONFIRM_RESIZE,
        MEMBER,
        "Confirm a resize or cold migration.",
        "POST /servers/{server_id}/action (confirmResize)",
    ),
    rule(CREATE, MEMBER, "Create a server.", "POST /servers"),
    rule(CREATE_ATTACH_NETWORK, MEMBER, "Choose the networks of a new server.", "POST /servers"),
    rule(CREATE_ATTACH_VOLUME, MEMBER, "Give volumes to a new server.", "POST /servers"),
    rule(
        CREATE_FORCED_HOST,
        ADMIN,
        "Name the host of a new server within its availability zone, past the scheduler.",
        "POST /servers",
    ),
    rule(
        CREATE_TRUSTED_CERTS,
        MEMBER,
        "Name the certificates that must have signed the image of a new server.",
        "POST /servers",
    ),
    rule(
        CREATE_ZERO_DISK_FLAVOR,
        ADMIN,
        "Boot an image on a flavor without a disk, limited by the image alone.",
        "POST /servers",
    ),
    rule(
        CREATE_IMAGE, MEMBER, "Make an image of a server.", "POST /servers/{server_id}/action (createImage)"
    ),
    rule(
        CREATE_IMAGE_ALLOW_VOLUME_BACKED,
        MEMBER,
        "Make an image of a server that boots from a volume.",
        "POST /servers/{server_id}/action (createImage)",
    ),
    rule(DELETE, MEMBER, "Delete a server.", "DELETE /servers/{server_id}"),
    rule(DETAIL, READER, "List the servers with their details.", "GET /servers/detail"),
    rule(
        DETAIL_GET_ALL_TENANTS,
        ADMIN,
        "List the servers of all projects with their details.",
        "GET /servers/detail",
    ),
    rule(INDEX, READER, "List the servers.", "GET /servers"),
    rule(INDEX_GET_ALL_TENANTS, ADMIN, "List the servers of all projects.", "GET /servers"),
    rule(REBOOT, MEMBER, "Reboot a server.", "POST /servers/{server_id}/action (reboot)"),
    rule(REBUILD, MEMBER, "Rebuild a server.", "POST /servers/{server_id}/action (rebuild)"),
    rule(
        REBUILD_TRUSTED_CERTS,
        MEMBER,
        "Name the certificates that must have signed the image of a rebuilt server.",
        "POST /servers/{server_id}/action (rebuild)",
    ),
    rule(RESIZE, MEMBER, "Resize a server.", "POST /servers/{server_id}/action (resize)"),
    rule(
        REVERT_RESIZE,
        MEMBER,
        "Take a resize or cold migration back.",
        "POST /servers/{server_id}/action (revertResize)",
    ),
    rule(SHOW, READER, "Show a server.", "GET /servers/{server_id}"),
    rule(
        SHOW_FLAVOR_EXTRA_SPECS,
        READER,
        "See the extra specs of the flavor in servers.",
        "GET /servers/detail",
        "GET /servers/{server_id}",
        "POST /servers/{server_id}/action (rebuild)",
        "PUT /servers/{server_id}",
        was=_WAS,
    ),
    rule(
        SHOW_HOST_STATUS,
        ADMIN,
        "See the status of the host in servers.",
        "GET /servers/detail",
        "GET /servers/{server_id}",
        "POST /servers/{server_id}/action (rebuild)",
        "PUT /servers/{server_id}",
    ),
    rule(
        SHOW_HOST_STATUS_UNKNOWN_ONLY,
        ADMIN,
        "See in servers that the status of the host is unknown, and nothing else of it.",
        "GET /servers/detail",
        "GET /servers/{server_id}",
        "POST /servers/{server_id}/action (rebuild)",
        "PUT /servers/{server_id}",
    ),
    rule(START, MEMBER, "Start a server.", "POST /servers/{server_id}/action (os-start)"),
    rule(STOP, MEMBER, "Stop a server.", "POST /servers/{server_id}/action (os-stop)"),
    rule(
        TRIGGER_CRASH_DUMP,
        MEMBER,
        "Have a server dump its memory.",
        "POST /servers/{server_id}/action (trigger_crash_dump)",
    ),
    rule(UPDATE, MEMBER, "Change the name and further fields of a server.", "PUT /servers/{server_id}"),
)
