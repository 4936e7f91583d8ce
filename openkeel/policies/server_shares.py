"""Who may do what with server shares. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import MEMBER, READER, rule

CREATE: Final = "os_compute_api:os-server-shares:create"
DELETE: Final = "os_compute_api:os-server-shares:delete"
INDEX: Final = "os_compute_api:os-server-shares:index"
SHOW: Final = "os_compute_api:os-server-shares:show"

RULES: Final = (
    rule(CREATE, MEMBER, "Attach a share to a server.", "POST /servers/{server_id}/shares"),
    rule(DELETE, MEMBER, "Detach a share from a server.", "DELETE /servers/{server_id}/shares/{share_id}"),
    rule(INDEX, READER, "List the shares of a server.", "GET /servers/{server_id}/shares"),
    rule(SHOW, READER, "Show a share of a server.", "GET /servers/{server_id}/shares/{share_id}"),
)
