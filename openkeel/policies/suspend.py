"""Who may do what with suspend. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import MEMBER, rule

RESUME: Final = "os_compute_api:os-suspend-server:resume"
SUSPEND: Final = "os_compute_api:os-suspend-server:suspend"

RULES: Final = (
    rule(RESUME, MEMBER, "Let a suspended server run on.", "POST /servers/{server_id}/action (resume)"),
    rule(SUSPEND, MEMBER, "Suspend a server.", "POST /servers/{server_id}/action (suspend)"),
)
