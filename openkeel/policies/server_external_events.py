"""Who may do what with server external events. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import SERVICE, rule

CREATE: Final = "os_compute_api:os-server-external-events:create"

RULES: Final = (
    rule(
        CREATE,
        SERVICE,
        "Tell what happened to ports and volumes of servers. For other services.",
        "POST /os-server-external-events",
    ),
)
