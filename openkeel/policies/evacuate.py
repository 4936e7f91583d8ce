"""Who may do what with evacuate. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, rule

EVACUATE: Final = "os_compute_api:os-evacuate"

RULES: Final = (
    rule(
        EVACUATE,
        ADMIN,
        "Rebuild a server of a failed host elsewhere.",
        "POST /servers/{server_id}/action (evacuate)",
    ),
)
