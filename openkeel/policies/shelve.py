"""Who may do what with shelve. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, MEMBER, rule

SHELVE: Final = "os_compute_api:os-shelve:shelve"
SHELVE_OFFLOAD: Final = "os_compute_api:os-shelve:shelve_offload"
UNSHELVE: Final = "os_compute_api:os-shelve:unshelve"
UNSHELVE_TO_HOST: Final = "os_compute_api:os-shelve:unshelve_to_host"

RULES: Final = (
    rule(SHELVE, MEMBER, "Shelve a server.", "POST /servers/{server_id}/action (shelve)"),
    rule(
        SHELVE_OFFLOAD,
        ADMIN,
        "Take a shelved server off its host.",
        "POST /servers/{server_id}/action (shelveOffload)",
    ),
    rule(UNSHELVE, MEMBER, "Bring a shelved server back.", "POST /servers/{server_id}/action (unshelve)"),
    rule(
        UNSHELVE_TO_HOST,
        ADMIN,
        "Name the host a shelved server comes back to.",
        "POST /servers/{server_id}/action (unshelve)",
    ),
)
