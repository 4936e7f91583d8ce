"""Who may do what with attach interfaces. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import MEMBER, READER, Was, rule

CREATE: Final = "os_compute_api:os-attach-interfaces:create"
DELETE: Final = "os_compute_api:os-attach-interfaces:delete"
LIST: Final = "os_compute_api:os-attach-interfaces:list"
SHOW: Final = "os_compute_api:os-attach-interfaces:show"

_WAS: Final = Was("os_compute_api:os-attach-interfaces", "rule:admin_or_owner")

RULES: Final = (
    rule(CREATE, MEMBER, "Attach a port to a server.", "POST /servers/{server_id}/os-interface", was=_WAS),
    rule(
        DELETE,
        MEMBER,
        "Detach a port from a server.",
        "DELETE /servers/{server_id}/os-interface/{port_id}",
        was=_WAS,
    ),
    rule(LIST, READER, "List the ports of a server.", "GET /servers/{server_id}/os-interface", was=_WAS),
    rule(
        SHOW, READER, "Show a port of a server.", "GET /servers/{server_id}/os-interface/{port_id}", was=_WAS
    ),
)
