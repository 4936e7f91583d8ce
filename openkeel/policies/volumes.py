"""Who may do what with volumes. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import MEMBER, READER, Was, rule

CREATE: Final = "os_compute_api:os-volumes:create"
DELETE: Final = "os_compute_api:os-volumes:delete"
DETAIL: Final = "os_compute_api:os-volumes:detail"
LIST: Final = "os_compute_api:os-volumes:list"
SHOW: Final = "os_compute_api:os-volumes:show"
SNAPSHOTS_CREATE: Final = "os_compute_api:os-volumes:snapshots:create"
SNAPSHOTS_DELETE: Final = "os_compute_api:os-volumes:snapshots:delete"
SNAPSHOTS_DETAIL: Final = "os_compute_api:os-volumes:snapshots:detail"
SNAPSHOTS_LIST: Final = "os_compute_api:os-volumes:snapshots:list"
SNAPSHOTS_SHOW: Final = "os_compute_api:os-volumes:snapshots:show"

_WAS: Final = Was("os_compute_api:os-volumes", "rule:admin_or_owner", since="22.0.0")

RULES: Final = (
    rule(CREATE, MEMBER, "Create a volume.", "POST /os-volumes", was=_WAS),
    rule(DELETE, MEMBER, "Delete a volume.", "DELETE /os-volumes/{volume_id}", was=_WAS),
    rule(DETAIL, READER, "List the volumes with their details.", "GET /os-volumes/detail", was=_WAS),
    rule(LIST, READER, "List the volumes.", "GET /os-volumes", was=_WAS),
    rule(SHOW, READER, "Show a volume.", "GET /os-volumes/{volume_id}", was=_WAS),
    rule(SNAPSHOTS_CREATE, MEMBER, "Create a snapshot of a volume.", "POST /os-snapshots", was=_WAS),
    rule(
        SNAPSHOTS_DELETE,
        MEMBER,
        "Delete a snapshot of a volume.",
        "DELETE /os-snapshots/{snapshot_id}",
        was=_WAS,
    ),
    rule(
        SNAPSHOTS_DETAIL,
        READER,
        "List the snapshots of volumes with their details.",
        "GET /os-snapshots/detail",
        was=_WAS,
    ),
    rule(SNAPSHOTS_LIST, READER, "List the snapshots of volumes.", "GET /os-snapshots", was=_WAS),
    rule(SNAPSHOTS_SHOW, READER, "Show a snapshot of a volume.", "GET /os-snapshots/{snapshot_id}", was=_WAS),
)
