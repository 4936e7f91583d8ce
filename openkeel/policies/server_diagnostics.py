"""Who may do what with server diagnostics. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, rule

SERVER_DIAGNOSTICS: Final = "os_compute_api:os-server-diagnostics"

RULES: Final = (
    rule(
        SERVER_DIAGNOSTICS, ADMIN, "Show the diagnostics of a server.", "GET /servers/{server_id}/diagnostics"
    ),
)
