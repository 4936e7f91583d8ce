"""Who may do what with ips. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import READER, rule

INDEX: Final = "os_compute_api:ips:index"
SHOW: Final = "os_compute_api:ips:show"

RULES: Final = (
    rule(INDEX, READER, "List the addresses of a server.", "GET /servers/{server_id}/ips"),
    rule(
        SHOW,
        READER,
        "Show the addresses of a server on one network.",
        "GET /servers/{server_id}/ips/{network_label}",
    ),
)
