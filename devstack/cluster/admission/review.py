"""What an admission rule looks at."""

from dataclasses import dataclass, field

from devstack.cluster import errors
from devstack.cluster.errors import Cause
from devstack.cluster.kinds import Kind
from devstack.cluster.objects import Object
from devstack.cluster.store import Store


@dataclass(slots=True)
class Review:
    """One write: the object as it would be, the one it replaces, and what else there is."""

    kind: Kind
    obj: Object
    old: Object | None
    subresource: str
    store: Store
    now: str
    causes: list[Cause] = field(default_factory=list)

    @property
    def is_create(self) -> bool:
        return self.old is None

    def require(self, holds: bool, path: str, message: str, reason: str = "FieldValueInvalid") -> None:
        """Collect a cause unless the rule holds."""
        if not holds:
            self.causes.append(Cause(path, reason, message))

    def refuse_invalid(self) -> None:
        """End a built-in kind's validation: 422 with the collected causes."""
        if self.causes:
            kind = self.kind
            raise errors.invalid(
                kind.kind, kind.plural, kind.group, self.obj["metadata"]["name"], self.causes
            )

    def refuse_denied(self, webhook: str) -> None:
        """End a webhook: 422 in the webhook's name; the first cause gives the message."""
        if self.causes:
            raise errors.denied(webhook, self.causes[0].message, self.causes)
