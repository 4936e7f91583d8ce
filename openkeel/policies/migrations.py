"""Who may do what with migrations. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, MANAGER, Was, rule

INDEX: Final = "os_compute_api:os-migrations:index"
INDEX_ALL_PROJECTS: Final = "os_compute_api:os-migrations:index:all_projects"
INDEX_HOST: Final = "os_compute_api:os-migrations:index:host"

_WAS: Final = Was("os_compute_api:os-migrations:index", "rule:context_is_admin", since="32.0.0")

RULES: Final = (
    rule(INDEX, MANAGER, "List the migrations of the own project.", "GET /os-migrations"),
    rule(INDEX_ALL_PROJECTS, ADMIN, "List the migrations of all projects.", "GET /os-migrations", was=_WAS),
    rule(
        INDEX_HOST, ADMIN, "See the hosts of migrations and filter by them.", "GET /os-migrations", was=_WAS
    ),
)
