"""What a handler gets: one request, read, checked and authorised."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openkeel.api.links import Links
from openkeel.api.tables import Behaviour
from openkeel.common.context import Context
from openkeel.domain.errors import Invalid
from openkeel.policies import Enforcer


class Values(Mapping[str, list[str]]):
    """A query: every name with all its values, in the order they came."""

    def __init__(self, values: Mapping[str, list[str]]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> list[str]:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def last(self, name: str, default: str | None = None) -> str | None:
        """The last value given, which is the one that counts."""
        found = self._values.get(name)
        return found[-1] if found else default

    def all(self, name: str) -> list[str]:
        """Every value given."""
        return self._values.get(name, [])

    def plain(self) -> dict[str, str]:
        """Names with their last values."""
        return {name: given[-1] for name, given in self._values.items() if given}


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of a list is asked for: at most `limit` rows after `marker`."""

    limit: int
    marker: str | None


@dataclass
class Request:
    """One request of a client.

    `services` is what `build_app` was given. `needs` says what the view of this version wants loaded;
    `refused` are the soft rules that said no. The version itself is not here: what depends on it is
    a row of a table, or a `Behaviour`.
    """

    ctx: Context
    params: Mapping[str, str]
    services: Any
    policy: Enforcer
    links: Links
    path: str
    query: Values
    max_limit: int
    body: Any = None
    target: Any = None
    needs: frozenset[Hashable] = frozenset()
    refused: frozenset[str] = frozenset()
    behaviours: frozenset[Behaviour] = frozenset()
    headers: Mapping[str, str] = field(default_factory=dict)

    def has(self, behaviour: Behaviour) -> bool:
        """Whether a behaviour holds in the asked version."""
        return behaviour in self.behaviours

    def policy_target(self, target: Any = None) -> Mapping[str, Any]:
        """What a rule compares with: the target's owner, or the caller's own ids."""
        return policy_target(self.ctx, target)

    def enforce(self, rule: str, target: Any = None) -> None:
        """Raises: Forbidden. For rules that depend on what the request says."""
        self.policy.enforce(self.ctx, rule, self.policy_target(target))

    def allows(self, rule: str, target: Any = None) -> bool:
        """Whether a rule says yes."""
        return self.policy.allows(self.ctx, rule, self.policy_target(target))

    def page(self) -> Page:
        """The page the query asks for: the last limit counts, and none is larger than the maximum."""
        given = self.query.last("limit")
        if given is None:
            limit = self.max_limit
        else:
            try:
                limit = int(given)
            except ValueError:
                raise Invalid("limit must be a whole number") from None
            if limit < 0:
                raise Invalid("limit must not be negative")
        return Page(min(limit, self.max_limit), self.query.last("marker"))

    def next_links(
        self, rows: Sequence[Any], page: Page, marker_of: Callable[[Any], Any]
    ) -> list[dict[str, str]] | None:
        """The link to the next page when this one is full, else None."""
        if not rows or len(rows) < page.limit:
            return None
        return self.links.next(self.path, self.query, marker_of(rows[-1]))


def policy_target(ctx: Context, target: Any = None) -> Mapping[str, Any]:
    """The mapping rules are judged against."""
    if target is None:
        return {"project_id": ctx.project_id, "user_id": ctx.user_id}
    if isinstance(target, Mapping):
        return target
    return {
        "project_id": getattr(target, "project_id", ctx.project_id),
        "user_id": getattr(target, "user_id", ctx.user_id),
    }
