"""Who may do what with create backup. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import MEMBER, rule

CREATE_BACKUP: Final = "os_compute_api:os-create-backup"

RULES: Final = (
    rule(
        CREATE_BACKUP,
        MEMBER,
        "Make a backup image of a server and drop old ones.",
        "POST /servers/{server_id}/action (createBackup)",
    ),
)
