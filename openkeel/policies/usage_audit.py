"""Who may do what with usage audit. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, Was, rule

LIST: Final = "os_compute_api:os-instance-usage-audit-log:list"
SHOW: Final = "os_compute_api:os-instance-usage-audit-log:show"

_WAS: Final = Was("os_compute_api:os-instance-usage-audit-log", "rule:admin_api")

RULES: Final = (
    rule(LIST, ADMIN, "List the usage audits.", "GET /os-instance_usage_audit_log", was=_WAS),
    rule(
        SHOW,
        ADMIN,
        "List the usage audits before a time.",
        "GET /os-instance_usage_audit_log/{before_timestamp}",
        was=_WAS,
    ),
)
