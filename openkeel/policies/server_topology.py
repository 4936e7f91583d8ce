"""Who may do what with server topology. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, READER, rule

HOST_INDEX: Final = "compute:server:topology:host:index"
INDEX: Final = "compute:server:topology:index"

RULES: Final = (
    rule(
        HOST_INDEX,
        ADMIN,
        "See the host side of the topology of a server.",
        "GET /servers/{server_id}/topology",
    ),
    rule(INDEX, READER, "See the NUMA topology of a server.", "GET /servers/{server_id}/topology"),
)
