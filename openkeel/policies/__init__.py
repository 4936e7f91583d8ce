"""Who may do what: one module of rules per noun, and the enforcer that judges them.

Rule constants are the last part of the rule's name: `policies.servers.SHOW`. Operators override rules
in the policy file and directories of `[oslo_policy]`, under Nova's names. Contract: policies.json.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Final

from oslo_config import cfg
from oslo_policy import opts, policy

from openkeel.common.context import Context
from openkeel.domain.errors import Forbidden
from openkeel.policies.base import CONTEXT_IS_ADMIN

LOG = logging.getLogger(__name__)

_NOT_NOUNS: Final = frozenset({"options", "rows", "base"})
# oslo.policy takes a fifth of a millisecond an answer, and a request asks several times: answers are
# kept by all that they depend on, and files are looked at, for this long.
_REFRESH_S: Final = 5.0
_KEPT_ANSWERS: Final = 20_000


def list_rules() -> list[policy.RuleDefault]:
    """Every rule with its default (entry point oslo.policy.policies)."""
    nouns = sorted(module.name for module in iter_modules(__path__) if module.name not in _NOT_NOUNS)
    rules: list[policy.RuleDefault] = []
    for noun in ("base", *nouns):
        rules.extend(import_module(f"{__name__}.{noun}").RULES)
    return rules


class Enforcer:
    """Judges rules for a context. Safe to share between threads.

    Args:
        conf: has the group `oslo_policy`; it is registered when it is missing.
        overrides: rules that win over files, as {name: check}; for tests.
        monotonic: seconds, for the reloading of changed files.
    """

    def __init__(
        self,
        conf: cfg.ConfigOpts,
        *,
        overrides: Mapping[str, str] | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        for group, options in opts.list_opts():
            conf.register_opts(options, group=group)
        self._enforcer = policy.Enforcer(conf)
        self._enforcer.register_defaults(list_rules())
        self._enforcer.load_rules()
        if overrides:
            self._enforcer.set_rules(policy.Rules.from_dict(dict(overrides)), overwrite=False, use_conf=False)
        self._from_files = not overrides
        self._monotonic = monotonic
        self._loaded_at = monotonic()
        self._lock = threading.Lock()
        self._answers: dict[Any, bool] = {}
        # oslo.policy would look for changed files at every question: we do it every few seconds.
        self._enforcer.use_conf = False

    def enforce(self, ctx: Context, rule: str, target: Mapping[str, Any]) -> None:
        """Raises: Forbidden, when the rule or the scope of the token says no."""
        if not self.allows(ctx, rule, target):
            raise Forbidden(f"Rule {rule} does not allow this.")

    def allows(self, ctx: Context, rule: str, target: Mapping[str, Any]) -> bool:
        """Whether the rule says yes. `target` has project_id and user_id of what it is about."""
        self._refresh()
        key = (
            rule,
            ctx.user_id,
            ctx.project_id,
            ctx.system_scope,
            ctx.domain_id,
            ctx.user_domain_id,
            ctx.project_domain_id,
            ctx.is_admin_project,
            *ctx.roles,
            *getattr(ctx, "service_roles", ()),
            *target.items(),
        )
        answers = self._answers
        found = answers.get(key)
        if found is None:
            try:
                found = bool(self._enforcer.authorize(rule, target, ctx))
            except policy.InvalidScope:
                found = False
            if len(answers) < _KEPT_ANSWERS:
                answers[key] = found
        return found

    def is_admin(self, ctx: Context) -> bool:
        """Whether the roles of a context make it an administrator."""
        return self.allows(ctx, CONTEXT_IS_ADMIN, {})

    def _refresh(self) -> None:
        """Every few seconds: forget the answers and read policy files that changed."""
        now = self._monotonic()
        if now - self._loaded_at < _REFRESH_S:
            return
        with self._lock:
            if now - self._loaded_at < _REFRESH_S:
                return
            self._loaded_at = now
            self._answers = {}
            if not self._from_files:
                return
            self._enforcer.use_conf = True
            try:
                self._enforcer.load_rules()
            except policy.InvalidDefinitionError:
                LOG.exception("A policy file does not hold; the rules stay as they were")
            finally:
                self._enforcer.use_conf = False
