"""Who may do what with server migrations. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, MANAGER, Was, rule

DELETE: Final = "os_compute_api:servers:migrations:delete"
FORCE_COMPLETE: Final = "os_compute_api:servers:migrations:force_complete"
INDEX: Final = "os_compute_api:servers:migrations:index"
INDEX_HOST: Final = "os_compute_api:servers:migrations:index:host"
SHOW: Final = "os_compute_api:servers:migrations:show"

_WAS: Final = Was("os_compute_api:servers:migrations:index", "rule:context_is_admin", since="32.0.0")

RULES: Final = (
    rule(DELETE, MANAGER, "Abort a live migration.", "DELETE /servers/{server_id}/migrations/{migration_id}"),
    rule(
        FORCE_COMPLETE,
        MANAGER,
        "Push a live migration to its end.",
        "POST /servers/{server_id}/migrations/{migration_id}/action (force_complete)",
    ),
    rule(INDEX, MANAGER, "List the live migrations of a server.", "GET /servers/{server_id}/migrations"),
    rule(
        INDEX_HOST,
        ADMIN,
        "See the hosts of the live migrations of a server.",
        "GET /servers/{server_id}/migrations",
        was=_WAS,
    ),
    rule(
        SHOW,
        ADMIN,
        "Show a live migration of a server.",
        "GET /servers/{server_id}/migrations/{migration_id}",
    ),
)
