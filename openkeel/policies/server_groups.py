"""Who may do what with server groups. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, MEMBER, READER, rule

CREATE: Final = "os_compute_api:os-server-groups:create"
DELETE: Final = "os_compute_api:os-server-groups:delete"
INDEX: Final = "os_compute_api:os-server-groups:index"
INDEX_ALL_PROJECTS: Final = "os_compute_api:os-server-groups:index:all_projects"
SHOW: Final = "os_compute_api:os-server-groups:show"

RULES: Final = (
    rule(CREATE, MEMBER, "Create a server group.", "POST /os-server-groups"),
    rule(DELETE, MEMBER, "Delete a server group.", "DELETE /os-server-groups/{server_group_id}"),
    rule(INDEX, READER, "List the server groups of the own project.", "GET /os-server-groups"),
    rule(INDEX_ALL_PROJECTS, ADMIN, "List the server groups of all projects.", "GET /os-server-groups"),
    rule(SHOW, READER, "Show a server group.", "GET /os-server-groups/{server_group_id}"),
)
