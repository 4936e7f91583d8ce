"""Who may do what with keypairs. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import USER, rule

CREATE: Final = "os_compute_api:os-keypairs:create"
DELETE: Final = "os_compute_api:os-keypairs:delete"
INDEX: Final = "os_compute_api:os-keypairs:index"
SHOW: Final = "os_compute_api:os-keypairs:show"

RULES: Final = (
    rule(CREATE, USER, "Create or import a keypair.", "POST /os-keypairs"),
    rule(DELETE, USER, "Delete a keypair.", "DELETE /os-keypairs/{keypair_name}"),
    rule(INDEX, USER, "List the keypairs.", "GET /os-keypairs"),
    rule(SHOW, USER, "Show a keypair.", "GET /os-keypairs/{keypair_name}"),
)
