"""The roles that all other rules are made of. Contract: policies.json."""

from typing import Final

from oslo_policy import policy

from openkeel.policies.rows import Was

CONTEXT_IS_ADMIN: Final = "context_is_admin"

_ADMIN: Final = Was("rule:admin_api", "is_admin:True")
_OWNER: Final = Was("rule:admin_or_owner", "is_admin:True or project_id:%(project_id)s")
_GONE: Final = "No default of this service is made of it any more."


def _role(name: str, check: str, description: str, was: Was) -> policy.RuleDefault:
    return policy.RuleDefault(name, check, description, deprecated_rule=was.deprecated())


def _gone(name: str, check: str, description: str) -> policy.RuleDefault:
    return policy.RuleDefault(
        name,
        check,
        description,
        deprecated_for_removal=True,
        deprecated_reason=_GONE,
        deprecated_since="21.0.0",
    )


RULES: Final = (
    _role(CONTEXT_IS_ADMIN, "role:admin", "Who counts as an administrator.", _ADMIN),
    _gone("admin_or_owner", "is_admin:True or project_id:%(project_id)s", "An administrator or the owner."),
    _gone("admin_api", "is_admin:True", "An administrator."),
    _role(
        "project_manager_api",
        "role:manager and project_id:%(project_id)s",
        "A manager of the project.",
        _ADMIN,
    ),
    _role(
        "project_member_api",
        "role:member and project_id:%(project_id)s",
        "A member of the project.",
        _OWNER,
    ),
    _role(
        "project_reader_api",
        "role:reader and project_id:%(project_id)s",
        "A reader of the project.",
        _OWNER,
    ),
    _role("service_api", "role:service", "Another service.", _ADMIN),
    _role(
        "project_manager_or_admin",
        "rule:project_manager_api or rule:context_is_admin",
        "A manager of the project or an administrator.",
        _ADMIN,
    ),
    _role(
        "project_member_or_admin",
        "rule:project_member_api or rule:context_is_admin",
        "A member of the project or an administrator.",
        _OWNER,
    ),
    _role(
        "project_reader_or_admin",
        "rule:project_reader_api or rule:context_is_admin",
        "A reader of the project or an administrator.",
        _OWNER,
    ),
    _role(
        "service_or_admin",
        "rule:service_api or rule:context_is_admin",
        "Another service or an administrator.",
        _ADMIN,
    ),
)
