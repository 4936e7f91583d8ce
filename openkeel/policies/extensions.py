"""Who may do what with extensions. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ANYBODY, rule

EXTENSIONS: Final = "os_compute_api:extensions"

RULES: Final = (
    rule(
        EXTENSIONS, ANYBODY, "List the extensions and show one.", "GET /extensions", "GET /extensions/{alias}"
    ),
)
