"""Who may do what with deferred delete. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import MEMBER, Was, rule

FORCE: Final = "os_compute_api:os-deferred-delete:force"
RESTORE: Final = "os_compute_api:os-deferred-delete:restore"

_WAS: Final = Was("os_compute_api:os-deferred-delete", "rule:admin_or_owner")

RULES: Final = (
    rule(
        FORCE, MEMBER, "Delete a server at once.", "POST /servers/{server_id}/action (forceDelete)", was=_WAS
    ),
    rule(
        RESTORE,
        MEMBER,
        "Bring a soft-deleted server back.",
        "POST /servers/{server_id}/action (restore)",
        was=_WAS,
    ),
)
