"""Who may do what with quota sets. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, ANYBODY, READER, rule

DEFAULTS: Final = "os_compute_api:os-quota-sets:defaults"
DELETE: Final = "os_compute_api:os-quota-sets:delete"
DETAIL: Final = "os_compute_api:os-quota-sets:detail"
SHOW: Final = "os_compute_api:os-quota-sets:show"
UPDATE: Final = "os_compute_api:os-quota-sets:update"

RULES: Final = (
    rule(DEFAULTS, ANYBODY, "Show the default quotas.", "GET /os-quota-sets/{tenant_id}/defaults"),
    rule(
        DELETE,
        ADMIN,
        "Put the quotas of a project back to the defaults.",
        "DELETE /os-quota-sets/{tenant_id}",
    ),
    rule(DETAIL, READER, "Show the quotas of a project with usage.", "GET /os-quota-sets/{tenant_id}/detail"),
    rule(SHOW, READER, "Show the quotas of a project.", "GET /os-quota-sets/{tenant_id}"),
    rule(UPDATE, ADMIN, "Change the quotas of a project.", "PUT /os-quota-sets/{tenant_id}"),
)
