"""Who may do what with multinic. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import MEMBER, Was, rule

ADD: Final = "os_compute_api:os-multinic:add"
REMOVE: Final = "os_compute_api:os-multinic:remove"

_WAS: Final = Was("os_compute_api:os-multinic", "rule:admin_or_owner", since="22.0.0")

RULES: Final = (
    rule(
        ADD,
        MEMBER,
        "Give a server another fixed ip.",
        "POST /servers/{server_id}/action (addFixedIp)",
        was=_WAS,
    ),
    rule(
        REMOVE,
        MEMBER,
        "Take a fixed ip from a server.",
        "POST /servers/{server_id}/action (removeFixedIp)",
        was=_WAS,
    ),
)
