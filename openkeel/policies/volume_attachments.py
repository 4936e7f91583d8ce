"""Who may do what with volume attachments. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import MEMBER, READER, SERVICE, rule

CREATE: Final = "os_compute_api:os-volumes-attachments:create"
DELETE: Final = "os_compute_api:os-volumes-attachments:delete"
INDEX: Final = "os_compute_api:os-volumes-attachments:index"
SHOW: Final = "os_compute_api:os-volumes-attachments:show"
SWAP: Final = "os_compute_api:os-volumes-attachments:swap"
UPDATE: Final = "os_compute_api:os-volumes-attachments:update"

RULES: Final = (
    rule(CREATE, MEMBER, "Attach a volume to a server.", "POST /servers/{server_id}/os-volume_attachments"),
    rule(
        DELETE,
        MEMBER,
        "Detach a volume from a server.",
        "DELETE /servers/{server_id}/os-volume_attachments/{volume_id}",
    ),
    rule(INDEX, READER, "List the volumes of a server.", "GET /servers/{server_id}/os-volume_attachments"),
    rule(
        SHOW,
        READER,
        "Show a volume of a server.",
        "GET /servers/{server_id}/os-volume_attachments/{volume_id}",
    ),
    rule(
        SWAP,
        SERVICE,
        "Swap a volume of a server for another. For the volume service.",
        "PUT /servers/{server_id}/os-volume_attachments/{volume_id}",
    ),
    rule(
        UPDATE,
        MEMBER,
        "Change whether a volume is deleted with its server.",
        "PUT /servers/{server_id}/os-volume_attachments/{volume_id}",
    ),
)
