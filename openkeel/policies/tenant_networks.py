"""Who may do what with tenant networks. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import READER, Was, rule

LIST: Final = "os_compute_api:os-tenant-networks:list"
SHOW: Final = "os_compute_api:os-tenant-networks:show"

_WAS: Final = Was("os_compute_api:os-tenant-networks", "rule:admin_or_owner", since="22.0.0")

RULES: Final = (
    rule(LIST, READER, "List the networks of the project.", "GET /os-tenant-networks", was=_WAS),
    rule(SHOW, READER, "Show a network of the project.", "GET /os-tenant-networks/{network_id}", was=_WAS),
)
