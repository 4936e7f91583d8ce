"""Who may do what with quota class sets. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, rule

SHOW: Final = "os_compute_api:os-quota-class-sets:show"
UPDATE: Final = "os_compute_api:os-quota-class-sets:update"

RULES: Final = (
    rule(SHOW, ADMIN, "Show the quotas of a class.", "GET /os-quota-class-sets/{quota_class}"),
    rule(UPDATE, ADMIN, "Change the quotas of a class.", "PUT /os-quota-class-sets/{quota_class}"),
)
