"""Who may do what with hosts. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, Was, rule

LIST: Final = "os_compute_api:os-hosts:list"
REBOOT: Final = "os_compute_api:os-hosts:reboot"
SHOW: Final = "os_compute_api:os-hosts:show"
SHUTDOWN: Final = "os_compute_api:os-hosts:shutdown"
START: Final = "os_compute_api:os-hosts:start"
UPDATE: Final = "os_compute_api:os-hosts:update"

_WAS: Final = Was("os_compute_api:os-hosts", "rule:admin_api", since="22.0.0")

RULES: Final = (
    rule(LIST, ADMIN, "List the hosts.", "GET /os-hosts", was=_WAS),
    rule(REBOOT, ADMIN, "Reboot a host.", "GET /os-hosts/{host_name}/reboot", was=_WAS),
    rule(SHOW, ADMIN, "Show a host.", "GET /os-hosts/{host_name}", was=_WAS),
    rule(SHUTDOWN, ADMIN, "Shut a host down.", "GET /os-hosts/{host_name}/shutdown", was=_WAS),
    rule(START, ADMIN, "Start a host.", "GET /os-hosts/{host_name}/startup", was=_WAS),
    rule(UPDATE, ADMIN, "Enable, disable or maintain a host.", "PUT /os-hosts/{host_name}", was=_WAS),
)
