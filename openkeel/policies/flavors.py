"""Who may do what with flavors. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import ADMIN, READER, Was, rule

ACCESS: Final = "os_compute_api:os-flavor-access"
ACCESS_ADD_TENANT_ACCESS: Final = "os_compute_api:os-flavor-access:add_tenant_access"
ACCESS_REMOVE_TENANT_ACCESS: Final = "os_compute_api:os-flavor-access:remove_tenant_access"
EXTRA_SPECS_CREATE: Final = "os_compute_api:os-flavor-extra-specs:create"
EXTRA_SPECS_DELETE: Final = "os_compute_api:os-flavor-extra-specs:delete"
EXTRA_SPECS_INDEX: Final = "os_compute_api:os-flavor-extra-specs:index"
EXTRA_SPECS_SHOW: Final = "os_compute_api:os-flavor-extra-specs:show"
EXTRA_SPECS_UPDATE: Final = "os_compute_api:os-flavor-extra-specs:update"
CREATE: Final = "os_compute_api:os-flavor-manage:create"
DELETE: Final = "os_compute_api:os-flavor-manage:delete"
UPDATE: Final = "os_compute_api:os-flavor-manage:update"

_WAS: Final = Was("os_compute_api:os-flavor-access", "rule:admin_or_owner")

RULES: Final = (
    rule(
        ACCESS,
        ADMIN,
        "List the projects that may use a private flavor.",
        "GET /flavors/{flavor_id}/os-flavor-access",
        was=_WAS,
    ),
    rule(
        ACCESS_ADD_TENANT_ACCESS,
        ADMIN,
        "Let a project use a private flavor.",
        "POST /flavors/{flavor_id}/action (addTenantAccess)",
    ),
    rule(
        ACCESS_REMOVE_TENANT_ACCESS,
        ADMIN,
        "Take a private flavor from a project.",
        "POST /flavors/{flavor_id}/action (removeTenantAccess)",
    ),
    rule(
        EXTRA_SPECS_CREATE, ADMIN, "Add extra specs to a flavor.", "POST /flavors/{flavor_id}/os-extra_specs/"
    ),
    rule(
        EXTRA_SPECS_DELETE,
        ADMIN,
        "Remove an extra spec of a flavor.",
        "DELETE /flavors/{flavor_id}/os-extra_specs/{flavor_extra_spec_key}",
    ),
    rule(
        EXTRA_SPECS_INDEX,
        READER,
        "List the extra specs of a flavor, and see them in flavors from 2.61 on.",
        "GET /flavors/detail",
        "GET /flavors/{flavor_id}",
        "GET /flavors/{flavor_id}/os-extra_specs/",
        "POST /flavors",
        "PUT /flavors/{flavor_id}",
    ),
    rule(
        EXTRA_SPECS_SHOW,
        READER,
        "Show an extra spec of a flavor.",
        "GET /flavors/{flavor_id}/os-extra_specs/{flavor_extra_spec_key}",
    ),
    rule(
        EXTRA_SPECS_UPDATE,
        ADMIN,
        "Change an extra spec of a flavor.",
        "PUT /flavors/{flavor_id}/os-extra_specs/{flavor_extra_spec_key}",
    ),
    rule(CREATE, ADMIN, "Create a flavor.", "POST /flavors"),
    rule(DELETE, ADMIN, "Delete a flavor.", "DELETE /flavors/{flavor_id}"),
    rule(UPDATE, ADMIN, "Change the description of a flavor.", "PUT /flavors/{flavor_id}"),
)
