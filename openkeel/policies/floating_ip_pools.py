"""Who may do what with floating ip pools. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ANYBODY, rule

FLOATING_IP_POOLS: Final = "os_compute_api:os-floating-ip-pools"

RULES: Final = (
    rule(FLOATING_IP_POOLS, ANYBODY, "List the pools of floating ips.", "GET /os-floating-ip-pools"),
)
