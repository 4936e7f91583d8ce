"""Who may do what with availability zones. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, ANYBODY, rule

DETAIL: Final = "os_compute_api:os-availability-zone:detail"
LIST: Final = "os_compute_api:os-availability-zone:list"

RULES: Final = (
    rule(DETAIL, ADMIN, "List the availability zones with their hosts.", "GET /os-availability-zone/detail"),
    rule(LIST, ANYBODY, "List the availability zones.", "GET /os-availability-zone"),
)
