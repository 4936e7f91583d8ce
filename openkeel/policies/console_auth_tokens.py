"""Who may do what with console auth tokens. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, rule

CONSOLE_AUTH_TOKENS: Final = "os_compute_api:os-console-auth-tokens"

RULES: Final = (
    rule(
        CONSOLE_AUTH_TOKENS,
        ADMIN,
        "Learn where the console behind a token is.",
        "GET /os-console-auth-tokens/{console_token}",
    ),
)
