"""The words policy tables are written with."""

from dataclasses import dataclass
from typing import Any, Final

from oslo_policy import policy

# Who may: names of base rules, or checks of oslo.policy.
ADMIN: Final = "rule:context_is_admin"
MANAGER: Final = "rule:project_manager_or_admin"
MEMBER: Final = "rule:project_member_or_admin"
READER: Final = "rule:project_reader_or_admin"
SERVICE: Final = "rule:service_or_admin"
USER: Final = "(rule:context_is_admin) or user_id:%(user_id)s"
ANYBODY: Final = "@"
NOBODY: Final = "!"

_FIRST: Final = "21.0.0"
_REASON: Final = "Defaults are made of the roles admin, manager, member, reader and service now."


@dataclass(frozen=True, slots=True)
class Was:
    """What a rule was called and who might, before the defaults changed.

    A deployment that still sets the old name keeps its meaning. Contract: policies.json.
    """

    name: str
    check: str
    since: str = _FIRST

    def deprecated(self) -> policy.DeprecatedRule:
        """The same for oslo.policy."""
        return policy.DeprecatedRule(
            self.name, self.check, deprecated_reason=_REASON, deprecated_since=self.since
        )


def rule(
    name: str, who: str, may: str, *operations: str, was: Was | None = None
) -> policy.DocumentedRuleDefault:
    """One row: who may do something, through which operations ("GET /servers")."""
    paths: list[Any] = []
    for operation in operations:
        method, _, path = operation.partition(" ")
        paths.append({"method": method, "path": path})
    return policy.DocumentedRuleDefault(
        name=name,
        check_str=who,
        description=may,
        operations=paths,
        scope_types=["project"],
        deprecated_rule=was.deprecated() if was else None,
    )
