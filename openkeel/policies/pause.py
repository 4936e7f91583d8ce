"""Who may do what with pause. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import MEMBER, rule

PAUSE: Final = "os_compute_api:os-pause-server:pause"
UNPAUSE: Final = "os_compute_api:os-pause-server:unpause"

RULES: Final = (
    rule(PAUSE, MEMBER, "Pause a server.", "POST /servers/{server_id}/action (pause)"),
    rule(UNPAUSE, MEMBER, "Let a paused server run on.", "POST /servers/{server_id}/action (unpause)"),
)
