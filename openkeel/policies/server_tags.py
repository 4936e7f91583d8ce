"""Who may do what with server tags. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import MEMBER, READER, rule

DELETE: Final = "os_compute_api:os-server-tags:delete"
DELETE_ALL: Final = "os_compute_api:os-server-tags:delete_all"
INDEX: Final = "os_compute_api:os-server-tags:index"
SHOW: Final = "os_compute_api:os-server-tags:show"
UPDATE: Final = "os_compute_api:os-server-tags:update"
UPDATE_ALL: Final = "os_compute_api:os-server-tags:update_all"

RULES: Final = (
    rule(DELETE, MEMBER, "Remove a tag of a server.", "DELETE /servers/{server_id}/tags/{tag}"),
    rule(DELETE_ALL, MEMBER, "Remove all tags of a server.", "DELETE /servers/{server_id}/tags"),
    rule(INDEX, READER, "List the tags of a server.", "GET /servers/{server_id}/tags"),
    rule(SHOW, READER, "Ask whether a server has a tag.", "GET /servers/{server_id}/tags/{tag}"),
    rule(UPDATE, MEMBER, "Add a tag to a server.", "PUT /servers/{server_id}/tags/{tag}"),
    rule(UPDATE_ALL, MEMBER, "Replace the tags of a server.", "PUT /servers/{server_id}/tags"),
)
