"""Who may do what with instance actions. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, READER, Was, rule

EVENTS: Final = "os_compute_api:os-instance-actions:events"
EVENTS_DETAILS: Final = "os_compute_api:os-instance-actions:events:details"
LIST: Final = "os_compute_api:os-instance-actions:list"
SHOW: Final = "os_compute_api:os-instance-actions:show"

_WAS: Final = Was("os_compute_api:os-instance-actions", "rule:admin_or_owner")

RULES: Final = (
    rule(
        EVENTS,
        ADMIN,
        "See the hosts and tracebacks in events of actions, and the events themselves before 2.51.",
        "GET /servers/{server_id}/os-instance-actions/{request_id}",
    ),
    rule(
        EVENTS_DETAILS,
        ADMIN,
        "See the details of events of actions.",
        "GET /servers/{server_id}/os-instance-actions/{request_id}",
    ),
    rule(
        LIST,
        READER,
        "List what was done to a server.",
        "GET /servers/{server_id}/os-instance-actions",
        was=_WAS,
    ),
    rule(
        SHOW,
        READER,
        "Show something that was done to a server.",
        "GET /servers/{server_id}/os-instance-actions/{request_id}",
        was=_WAS,
    ),
)
