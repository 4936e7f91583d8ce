"""Who may do what with console output. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import MEMBER, rule

CONSOLE_OUTPUT: Final = "os_compute_api:os-console-output"

RULES: Final = (
    rule(
        CONSOLE_OUTPUT,
        MEMBER,
        "Read the console log of a server.",
        "POST /servers/{server_id}/action (os-getConsoleOutput)",
    ),
)
