"""Kinds of checks that oslo.policy does not bring along."""

from typing import Any

from oslo_policy import policy


@policy.register("is_admin")
class IsAdmin(policy.Check):
    """`is_admin:True` in whatever letters: the rule context_is_admin has said yes to the caller."""

    def __call__(self, _target: Any, creds: Any, _enforcer: Any, _current_rule: str | None = None) -> bool:
        """Called by oslo.policy."""
        return bool(creds.get("is_admin")) == (self.match.lower() == "true")
