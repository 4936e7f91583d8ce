"""Who may do what with aggregates. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, rule

IMAGES: Final = "compute:aggregates:images"
ADD_HOST: Final = "os_compute_api:os-aggregates:add_host"
CREATE: Final = "os_compute_api:os-aggregates:create"
DELETE: Final = "os_compute_api:os-aggregates:delete"
INDEX: Final = "os_compute_api:os-aggregates:index"
REMOVE_HOST: Final = "os_compute_api:os-aggregates:remove_host"
SET_METADATA: Final = "os_compute_api:os-aggregates:set_metadata"
SHOW: Final = "os_compute_api:os-aggregates:show"
UPDATE: Final = "os_compute_api:os-aggregates:update"

RULES: Final = (
    rule(
        IMAGES,
        ADMIN,
        "Have images cached on the hosts of an aggregate.",
        "POST /os-aggregates/{aggregate_id}/images",
    ),
    rule(
        ADD_HOST, ADMIN, "Add a host to an aggregate.", "POST /os-aggregates/{aggregate_id}/action (add_host)"
    ),
    rule(CREATE, ADMIN, "Create an aggregate.", "POST /os-aggregates"),
    rule(DELETE, ADMIN, "Delete an aggregate.", "DELETE /os-aggregates/{aggregate_id}"),
    rule(INDEX, ADMIN, "List the aggregates.", "GET /os-aggregates"),
    rule(
        REMOVE_HOST,
        ADMIN,
        "Take a host out of an aggregate.",
        "POST /os-aggregates/{aggregate_id}/action (remove_host)",
    ),
    rule(
        SET_METADATA,
        ADMIN,
        "Change the metadata of an aggregate.",
        "POST /os-aggregates/{aggregate_id}/action (set_metadata)",
    ),
    rule(SHOW, ADMIN, "Show an aggregate.", "GET /os-aggregates/{aggregate_id}"),
    rule(UPDATE, ADMIN, "Change the name or zone of an aggregate.", "PUT /os-aggregates/{aggregate_id}"),
)
