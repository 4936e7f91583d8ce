"""Who may do what with remote consoles. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import MEMBER, rule

REMOTE_CONSOLES: Final = "os_compute_api:os-remote-consoles"

RULES: Final = (
    rule(
        REMOTE_CONSOLES,
        MEMBER,
        "Open a console of a server.",
        "POST /servers/{server_id}/action (os-getSPICEConsole)",
        "POST /servers/{server_id}/action (os-getSerialConsole)",
        "POST /servers/{server_id}/action (os-getVNCConsole)",
        "POST /servers/{server_id}/remote-consoles",
    ),
)
