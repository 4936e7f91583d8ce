"""Who may do what with floating ips. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import MEMBER, READER, Was, rule

ADD: Final = "os_compute_api:os-floating-ips:add"
CREATE: Final = "os_compute_api:os-floating-ips:create"
DELETE: Final = "os_compute_api:os-floating-ips:delete"
LIST: Final = "os_compute_api:os-floating-ips:list"
REMOVE: Final = "os_compute_api:os-floating-ips:remove"
SHOW: Final = "os_compute_api:os-floating-ips:show"

_WAS: Final = Was("os_compute_api:os-floating-ips", "rule:admin_or_owner", since="22.0.0")

RULES: Final = (
    rule(
        ADD,
        MEMBER,
        "Give a floating ip to a server.",
        "POST /servers/{server_id}/action (addFloatingIp)",
        was=_WAS,
    ),
    rule(CREATE, MEMBER, "Allocate a floating ip.", "POST /os-floating-ips", was=_WAS),
    rule(DELETE, MEMBER, "Release a floating ip.", "DELETE /os-floating-ips/{floating_ip_id}", was=_WAS),
    rule(LIST, READER, "List the floating ips.", "GET /os-floating-ips", was=_WAS),
    rule(
        REMOVE,
        MEMBER,
        "Take a floating ip from a server.",
        "POST /servers/{server_id}/action (removeFloatingIp)",
        was=_WAS,
    ),
    rule(SHOW, READER, "Show a floating ip.", "GET /os-floating-ips/{floating_ip_id}", was=_WAS),
)
