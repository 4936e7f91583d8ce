"""Who may do what with server password. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import MEMBER, READER, Was, rule

CLEAR: Final = "os_compute_api:os-server-password:clear"
SHOW: Final = "os_compute_api:os-server-password:show"

_WAS: Final = Was("os_compute_api:os-server-password", "rule:admin_or_owner")

RULES: Final = (
    rule(
        CLEAR,
        MEMBER,
        "Forget the encrypted password of a server.",
        "DELETE /servers/{server_id}/os-server-password",
        was=_WAS,
    ),
    rule(
        SHOW,
        READER,
        "Read the encrypted password of a server.",
        "GET /servers/{server_id}/os-server-password",
        was=_WAS,
    ),
)
