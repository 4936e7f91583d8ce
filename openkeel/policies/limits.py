"""Who may do what with limits. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, ANYBODY, Was, rule

LIMITS: Final = "os_compute_api:limits"
OTHER_PROJECT: Final = "os_compute_api:limits:other_project"

_WAS: Final = Was("os_compute_api:os-used-limits", "rule:admin_api")

RULES: Final = (
    rule(LIMITS, ANYBODY, "Show the limits and usage of the own project.", "GET /limits"),
    rule(OTHER_PROJECT, ADMIN, "Show the limits and usage of any project.", "GET /limits", was=_WAS),
)
