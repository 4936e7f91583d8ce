"""Who may do what with baremetal nodes. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, Was, rule

LIST: Final = "os_compute_api:os-baremetal-nodes:list"
SHOW: Final = "os_compute_api:os-baremetal-nodes:show"

_WAS: Final = Was("os_compute_api:os-baremetal-nodes", "rule:admin_api", since="22.0.0")

RULES: Final = (
    rule(LIST, ADMIN, "List the baremetal nodes.", "GET /os-baremetal-nodes", was=_WAS),
    rule(SHOW, ADMIN, "Show a baremetal node.", "GET /os-baremetal-nodes/{node_id}", was=_WAS),
)
