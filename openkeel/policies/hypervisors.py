"""Who may do what with hypervisors. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, Was, rule

LIST: Final = "os_compute_api:os-hypervisors:list"
LIST_DETAIL: Final = "os_compute_api:os-hypervisors:list-detail"
SEARCH: Final = "os_compute_api:os-hypervisors:search"
SERVERS: Final = "os_compute_api:os-hypervisors:servers"
SHOW: Final = "os_compute_api:os-hypervisors:show"
STATISTICS: Final = "os_compute_api:os-hypervisors:statistics"
UPTIME: Final = "os_compute_api:os-hypervisors:uptime"

_WAS: Final = Was("os_compute_api:os-hypervisors", "rule:admin_api")

RULES: Final = (
    rule(LIST, ADMIN, "List the hypervisors.", "GET /os-hypervisors", was=_WAS),
    rule(
        LIST_DETAIL,
        ADMIN,
        "List the hypervisors with their details.",
        "GET /os-hypervisors/details",
        was=_WAS,
    ),
    rule(
        SEARCH,
        ADMIN,
        "Find hypervisors by name.",
        "GET /os-hypervisors/{hypervisor_hostname_pattern}/search",
        was=_WAS,
    ),
    rule(
        SERVERS,
        ADMIN,
        "List the servers of hypervisors found by name.",
        "GET /os-hypervisors/{hypervisor_hostname_pattern}/servers",
        was=_WAS,
    ),
    rule(SHOW, ADMIN, "Show a hypervisor.", "GET /os-hypervisors/{hypervisor_id}", was=_WAS),
    rule(STATISTICS, ADMIN, "Sum up all hypervisors.", "GET /os-hypervisors/statistics", was=_WAS),
    rule(
        UPTIME,
        ADMIN,
        "Show the uptime of a hypervisor.",
        "GET /os-hypervisors/{hypervisor_id}/uptime",
        was=_WAS,
    ),
)
