"""Who may do what with networks. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import READER, Was, rule

LIST: Final = "os_compute_api:os-networks:list"
SHOW: Final = "os_compute_api:os-networks:show"

_WAS: Final = Was("os_compute_api:os-networks:view", "rule:admin_or_owner", since="22.0.0")

RULES: Final = (
    rule(LIST, READER, "List the networks.", "GET /os-networks", was=_WAS),
    rule(SHOW, READER, "Show a network.", "GET /os-networks/{network_id}", was=_WAS),
)
