"""Who may do what with security groups. Contract: policies.json."""

from typing import Final

from openkeel.policies.rows import MEMBER, READER, Was, rule

ADD: Final = "os_compute_api:os-security-groups:add"
CREATE: Final = "os_compute_api:os-security-groups:create"
DELETE: Final = "os_compute_api:os-security-groups:delete"
GET: Final = "os_compute_api:os-security-groups:get"
LIST: Final = "os_compute_api:os-security-groups:list"
REMOVE: Final = "os_compute_api:os-security-groups:remove"
RULE_CREATE: Final = "os_compute_api:os-security-groups:rule:create"
RULE_DELETE: Final = "os_compute_api:os-security-groups:rule:delete"
SHOW: Final = "os_compute_api:os-security-groups:show"
UPDATE: Final = "os_compute_api:os-security-groups:update"

_WAS: Final = Was("os_compute_api:os-security-groups", "rule:admin_or_owner", since="22.0.0")

RULES: Final = (
    rule(
        ADD,
        MEMBER,
        "Put a server into a security group.",
        "POST /servers/{server_id}/action (addSecurityGroup)",
        was=_WAS,
    ),
    rule(CREATE, MEMBER, "Create a security group.", "POST /os-security-groups", was=_WAS),
    rule(
        DELETE, MEMBER, "Delete a security group.", "DELETE /os-security-groups/{security_group_id}", was=_WAS
    ),
    rule(GET, READER, "List the security groups.", "GET /os-security-groups", was=_WAS),
    rule(
        LIST,
        READER,
        "List the security groups of a server.",
        "GET /servers/{server_id}/os-security-groups",
        was=_WAS,
    ),
    rule(
        REMOVE,
        MEMBER,
        "Take a server out of a security group.",
        "POST /servers/{server_id}/action (removeSecurityGroup)",
        was=_WAS,
    ),
    rule(RULE_CREATE, MEMBER, "Add a rule to a security group.", "POST /os-security-group-rules", was=_WAS),
    rule(
        RULE_DELETE,
        MEMBER,
        "Remove a rule of a security group.",
        "DELETE /os-security-group-rules/{security_group_id}",
        was=_WAS,
    ),
    rule(SHOW, READER, "Show a security group.", "GET /os-security-groups/{security_group_id}", was=_WAS),
    rule(UPDATE, MEMBER, "Change a security group.", "PUT /os-security-groups/{security_group_id}", was=_WAS),
)
