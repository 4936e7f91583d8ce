"""Who may do what with lock. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, MEMBER, rule

LOCK: Final = "os_compute_api:os-lock-server:lock"
UNLOCK: Final = "os_compute_api:os-lock-server:unlock"
UNLOCK_UNLOCK_OVERRIDE: Final = "os_compute_api:os-lock-server:unlock:unlock_override"

RULES: Final = (
    rule(LOCK, MEMBER, "Lock a server.", "POST /servers/{server_id}/action (lock)"),
    rule(UNLOCK, MEMBER, "Unlock a server.", "POST /servers/{server_id}/action (unlock)"),
    rule(
        UNLOCK_UNLOCK_OVERRIDE,
        ADMIN,
        "Unlock a server that somebody else locked.",
        "POST /servers/{server_id}/action (unlock)",
    ),
)
