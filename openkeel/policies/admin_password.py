"""Who may do what with admin password. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import MEMBER, rule

ADMIN_PASSWORD: Final = "os_compute_api:os-admin-password"  # noqa: S105 - a rule

RULES: Final = (
    rule(
        ADMIN_PASSWORD,
        MEMBER,
        "Change the password of the administrator in a server.",
        "POST /servers/{server_id}/action (changePassword)",
    ),
)
