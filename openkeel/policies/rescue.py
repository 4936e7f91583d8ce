"""Who may do what with rescue. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import MEMBER, Was, rule

RESCUE: Final = "os_compute_api:os-rescue"
UNRESCUE: Final = "os_compute_api:os-unrescue"

_WAS: Final = Was("os_compute_api:os-rescue", "rule:admin_or_owner")

RULES: Final = (
    rule(RESCUE, MEMBER, "Boot a server from a rescue image.", "POST /servers/{server_id}/action (rescue)"),
    rule(
        UNRESCUE,
        MEMBER,
        "Boot a rescued server from its own disk again.",
        "POST /servers/{server_id}/action (unrescue)",
        was=_WAS,
    ),
)
