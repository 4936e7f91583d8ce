"""Policy files: which there are, whether they changed, and what is wrong with them.

oslo.policy reads them too, and forgives more than it should: it answers "no" for what it cannot
understand and never ends with rules that refer to each other. Nova's files are taken as they are, so
only rules that somebody can be judged by have to hold; a left over one is worth a warning.
"""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from oslo_config import cfg
from oslo_policy import _checks as checks
from oslo_policy import policy

from openkeel.common.refusal import StartRefused

LOG = logging.getLogger(__name__)

_NOTHING: Final = "!"
_AROUND_NOTHING: Final = frozenset("()! \t\n")


class PolicyFileError(StartRefused):
    """A policy file does not hold. The text names the file and, where there is one, the rule."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a rule of a file comes from."""

    path: Path
    text: Any


def find_files(conf: cfg.ConfigOpts) -> list[Path]:
    """The policy file and what lies in the policy directories, in the order in which later ones win.

    Raises: PolicyFileError.
    """
    found = []
    main = conf.find_file(conf.oslo_policy.policy_file)
    if main:
        found.append(Path(main))
    for name in conf.oslo_policy.policy_dirs:
        directory = conf.find_file(name)
        if directory:
            found.extend(_in_directory(Path(directory)))
    return found


def _in_directory(directory: Path) -> Iterator[Path]:
    try:
        for path in sorted(directory.iterdir(), key=lambda path: path.name):
            if not path.name.startswith(".") and not path.is_dir():
                yield path
    except OSError as error:
        raise PolicyFileError(f"{directory}: {error.strerror}") from error


def stamps(conf: cfg.ConfigOpts) -> Mapping[Path, tuple[int, int, int] | None]:
    """What changes when a file does, or comes, or goes."""
    try:
        return {path: _stamp(path) for path in find_files(conf)}
    except PolicyFileError:
        return {}


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def read_files(conf: cfg.ConfigOpts) -> dict[str, Source]:
    """Every rule of the files. Raises: PolicyFileError."""
    sources: dict[str, Source] = {}
    for path in find_files(conf):
        for name, text in _read(path).items():
            if not isinstance(text, str | list | None):
                raise PolicyFileError(f"{path}: rule {name} is neither a text nor a list of lists")
            sources[name] = Source(path, text)
    return sources


def _read(path: Path) -> Mapping[str, Any]:
    try:
        text = path.read_text()
    except OSError as error:
        raise PolicyFileError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise PolicyFileError(f"{path}: not a text in UTF-8") from error
    try:
        rules: Any = policy.parse_file_contents(text)
    except ValueError as error:
        raise PolicyFileError(f"{path}: not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(rules, Mapping):
        raise PolicyFileError(f"{path}: not a mapping of rules to checks")
    return rules


def check(enforcer: policy.Enforcer, sources: Mapping[str, Source]) -> None:
    """See whether all rules hold that anybody can be judged by.

    Raises: PolicyFileError.
    """
    for name, source in sources.items():
        found = enforcer.rules.get(name)
        if str(found) == _NOTHING and not _says_nothing(source.text):
            raise PolicyFileError(f"{source.path}: the check of rule {name} makes no sense: {source.text!r}")
    walk = _Walk(enforcer, sources)
    for name in enforcer.registered_rules:
        walk.follow(name, ())
    left_over = _Walk(enforcer, sources)
    for name in sources:
        try:
            left_over.follow(name, ())
        except PolicyFileError as error:
            LOG.warning("%s. Nothing is judged by that rule, so it does no harm", error)


def _says_nothing(text: Any) -> bool:
    # Lists are how rules were written before there was a language; an empty one in a list is a "no".
    return not isinstance(text, str) or set(text) <= _AROUND_NOTHING


class _Walk:
    """Follows references between rules, each once."""

    def __init__(self, enforcer: policy.Enforcer, sources: Mapping[str, Source]) -> None:
        self._rules = enforcer.rules
        self._fallback = enforcer.default_rule
        self._registered = enforcer.registered_rules
        self._sources = sources
        self._sound: set[str] = set()

    def follow(self, name: str, way: tuple[str, ...]) -> None:
        if name in self._sound:
            return
        if name in way:
            circle = way[way.index(name) :]
            origin = next((one for one in circle if one in self._sources), name)
            raise PolicyFileError(f"{self._place(origin)} refers to itself: {' > '.join((*circle, name))}")
        for other in _references(dict.__getitem__(self._rules, name)):
            known = other if other in self._rules else self._fallback
            if known not in self._rules:
                raise PolicyFileError(f"{self._place(name)} refers to rule {other}, which nothing defines")
            self.follow(str(known), (*way, name))
        self._sound.add(name)

    def _place(self, name: str) -> str:
        default = self._registered.get(name)
        if name not in self._sources and default is not None and default.deprecated_rule is not None:
            name = default.deprecated_rule.name  # its check was taken over
        source = self._sources.get(name)
        return f"{source.path}: rule {name}" if source else f"Rule {name}"


def _references(check: Any) -> Iterator[str]:
    if isinstance(check, checks.RuleCheck):
        yield check.match
    for part in getattr(check, "rules", ()):
        yield from _references(part)
    if isinstance(check, checks.NotCheck):
        yield from _references(check.rule)
