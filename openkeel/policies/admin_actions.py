"""Who may do what with admin actions. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, rule

INJECT_NETWORK_INFO: Final = "os_compute_api:os-admin-actions:inject_network_info"
RESET_STATE: Final = "os_compute_api:os-admin-actions:reset_state"

RULES: Final = (
    rule(
        INJECT_NETWORK_INFO,
        ADMIN,
        "Hand the network information of a server to its host again.",
        "POST /servers/{server_id}/action (injectNetworkInfo)",
    ),
    rule(
        RESET_STATE,
        ADMIN,
        "Set the state of a server by hand.",
        "POST /servers/{server_id}/action (os-resetState)",
    ),
)
