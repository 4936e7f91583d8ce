"""Who may do what with usage. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, READER, rule

LIST: Final = "os_compute_api:os-simple-tenant-usage:list"
SHOW: Final = "os_compute_api:os-simple-tenant-usage:show"

RULES: Final = (
    rule(LIST, ADMIN, "Show the usage of all projects.", "GET /os-simple-tenant-usage"),
    rule(SHOW, READER, "Show the usage of a project.", "GET /os-simple-tenant-usage/{tenant_id}"),
)
