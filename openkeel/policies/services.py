"""Who may do what with services. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, Was, rule

DELETE: Final = "os_compute_api:os-services:delete"
LIST: Final = "os_compute_api:os-services:list"
UPDATE: Final = "os_compute_api:os-services:update"

_WAS: Final = Was("os_compute_api:os-services", "rule:admin_api")

RULES: Final = (
    rule(DELETE, ADMIN, "Delete a service.", "DELETE /os-services/{service_id}", was=_WAS),
    rule(LIST, ADMIN, "List the services.", "GET /os-services", was=_WAS),
    rule(
        UPDATE, ADMIN, "Enable, disable or force down a service.", "PUT /os-services/{service_id}", was=_WAS
    ),
)
