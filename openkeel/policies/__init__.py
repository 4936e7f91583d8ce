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
from openkeel.policies import checks, files  # noqa: F401 - checks registers them
from openkeel.policies.base import CONTEXT_IS_ADMIN

LOG = logging.getLogger(__name__)

_NOT_NOUNS: Final = frozenset({"options", "rows", "base", "checks", "files"})
# oslo.policy takes a fifth of a millisecond an answer, and a request asks several times: answers are
# kept by all that they depend on. Files are looked at after this long.
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

    Raises: PolicyFileError, when a file does not hold. One that breaks later changes nothing.
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
        self._conf = conf
        self._stamps = files.stamps(conf)
        self._enforcer = load(conf)
        if overrides:
            self._enforcer.set_rules(policy.Rules.from_dict(dict(overrides)), overwrite=False, use_conf=False)
        self._from_files = not overrides
        self._monotonic = monotonic
        self._looked_at = monotonic()
        self._lock = threading.Lock()
        self._answers: dict[Any, bool] = {}

    def enforce(self, ctx: Context, rule: str, target: Mapping[str, Any]) -> None:
        """Raises: Forbidden, when the rule or the scope of the token says no."""
        if not self.allows(ctx, rule, target):
            raise Forbidden(f"Rule {rule} does not allow this.")

    def allows(self, ctx: Context, rule: str, target: Mapping[str, Any]) -> bool:
        """Whether the rule says yes. `target` has project_id and user_id of what it is about."""
        self._refresh()
        key = (
            rule,
            ctx.is_admin,
            ctx.user_id,
            ctx.project_id,
            ctx.system_scope,
            ctx.domain_id,
            ctx.user_domain_id,
            ctx.project_domain_id,
            ctx.is_admin_project,
            ctx.service_user_id,
            ctx.service_project_id,
            ctx.service_user_domain_id,
            ctx.service_project_domain_id,
            tuple(ctx.roles),
            tuple(ctx.service_roles or ()),
            *target.items(),
        )
        answers = self._answers
        found = answers.get(key)
        if found is None:
            found = bool(self._enforcer.authorize(rule, target, ctx))
            if len(answers) < _KEPT_ANSWERS:
                answers[key] = found
        return found

    def is_admin(self, ctx: Context) -> bool:
        """Whether the roles of a context make it an administrator (of what is its own)."""
        own = {"project_id": ctx.project_id, "user_id": ctx.user_id}
        return self.allows(ctx, CONTEXT_IS_ADMIN, own)

    def reload(self) -> None:
        """Read files that changed now, not only when somebody asks a while later."""
        with self._lock:
            self._read_changes()

    def _refresh(self) -> None:
        if self._monotonic() - self._looked_at < _REFRESH_S:
            return
        with self._lock:
            if self._monotonic() - self._looked_at >= _REFRESH_S:
                self._read_changes()

    def _read_changes(self) -> None:
        """Take all rules anew when a file changed, or none of them."""
        self._looked_at = self._monotonic()
        stamps = files.stamps(self._conf)
        if not self._from_files or stamps == self._stamps:
            return
        self._stamps = stamps
        try:
            self._enforcer = load(self._conf)
        except files.PolicyFileError as error:
            LOG.error("The rules stay as they were: %s", error)  # noqa: TRY400 - it says all there is
            return
        self._answers = {}
        LOG.info("Policy files have changed and were read")


class _Enforcer(policy.Enforcer):
    """oslo.policy's, but `files.check` judges the rules: it names the file, and refuses."""

    def check_rules(self, raise_on_violation: bool = False) -> bool:  # noqa: ARG002 - theirs
        """Say nothing of what would only be logged."""
        return True


def load(conf: cfg.ConfigOpts) -> policy.Enforcer:
    """An enforcer of oslo.policy with our defaults and what the files say.

    Raises: PolicyFileError.
    """
    sources = files.read_files(conf)
    enforcer = _Enforcer(conf)
    enforcer.register_defaults(list_rules())
    try:
        enforcer.load_rules()
    except (cfg.Error, OSError, ValueError) as error:  # a file changed since it was read
        raise files.PolicyFileError(f"The policy files could not be read: {error}") from error
    files.check(enforcer, sources)
    # oslo.policy would look for changed files at every question: we do it every few seconds.
    enforcer.use_conf = False
    return enforcer
