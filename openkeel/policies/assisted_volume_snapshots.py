"""Who may do what with assisted volume snapshots. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import SERVICE, rule

CREATE: Final = "os_compute_api:os-assisted-volume-snapshots:create"
DELETE: Final = "os_compute_api:os-assisted-volume-snapshots:delete"

RULES: Final = (
    rule(
        CREATE,
        SERVICE,
        "Take a snapshot of a volume with the help of its server. For the volume service.",
        "POST /os-assisted-volume-snapshots",
    ),
    rule(
        DELETE,
        SERVICE,
        "Delete a snapshot of a volume with the help of its server. For the volume service.",
        "DELETE /os-assisted-volume-snapshots/{snapshot_id}",
    ),
)
