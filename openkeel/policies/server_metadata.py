"""Who may do what with server metadata. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import MEMBER, READER, rule

CREATE: Final = "os_compute_api:server-metadata:create"
DELETE: Final = "os_compute_api:server-metadata:delete"
INDEX: Final = "os_compute_api:server-metadata:index"
SHOW: Final = "os_compute_api:server-metadata:show"
UPDATE: Final = "os_compute_api:server-metadata:update"
UPDATE_ALL: Final = "os_compute_api:server-metadata:update_all"

RULES: Final = (
    rule(CREATE, MEMBER, "Add metadata to a server.", "POST /servers/{server_id}/metadata"),
    rule(DELETE, MEMBER, "Remove a metadata item of a server.", "DELETE /servers/{server_id}/metadata/{key}"),
    rule(INDEX, READER, "List the metadata of a server.", "GET /servers/{server_id}/metadata"),
    rule(SHOW, READER, "Show a metadata item of a server.", "GET /servers/{server_id}/metadata/{key}"),
    rule(UPDATE, MEMBER, "Change a metadata item of a server.", "PUT /servers/{server_id}/metadata/{key}"),
    rule(UPDATE_ALL, MEMBER, "Replace the metadata of a server.", "PUT /servers/{server_id}/metadata"),
)
