"""Who may do what with migrate. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, MANAGER, Was, rule

MIGRATE: Final = "os_compute_api:os-migrate-server:migrate"
MIGRATE_HOST: Final = "os_compute_api:os-migrate-server:migrate:host"
MIGRATE_LIVE: Final = "os_compute_api:os-migrate-server:migrate_live"
MIGRATE_LIVE_HOST: Final = "os_compute_api:os-migrate-server:migrate_live:host"

_WAS: Final = Was("os_compute_api:os-migrate-server:migrate_live", "rule:context_is_admin", since="32.0.0")

RULES: Final = (
    rule(
        MIGRATE,
        MANAGER,
        "Move a server to another host while it is off.",
        "POST /servers/{server_id}/action (migrate)",
    ),
    rule(
        MIGRATE_HOST,
        ADMIN,
        "Name the host a server moves to while it is off.",
        "POST /servers/{server_id}/action (migrate)",
    ),
    rule(
        MIGRATE_LIVE,
        MANAGER,
        "Move a running server to another host.",
        "POST /servers/{server_id}/action (os-migrateLive)",
    ),
    rule(
        MIGRATE_LIVE_HOST,
        ADMIN,
        "Name the host a running server moves to.",
        "POST /servers/{server_id}/action (os-migrateLive)",
        was=_WAS,
    ),
)
