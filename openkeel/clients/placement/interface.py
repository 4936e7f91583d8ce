"""What callers may ask of Placement. `client.PlacementClient` and `fake.FakePlacement` answer it.

Every call runs on the service account. Generations never leave this package: where Placement says
"changed meanwhile" the client reads again and retries; `Conflict` reaches the caller only when it
will not go away (no capacity left, or a provider in use that shall lose what is used).
"""

from collections.abc import Callable, Collection, Mapping
from typing import Protocol

from openkeel.clients.placement.types import (
    AllocationRequest,
    Allocations,
    CandidateQuery,
    Candidates,
    Inventory,
    Provider,
)


class Placement(Protocol):
    """Raises everywhere: Unavailable when Placement is down or too slow, Rejected on nonsense."""

    def allocation_candidates(self, query: CandidateQuery) -> Candidates:
        """Every way to satisfy the query, at most `query.limit`; none is an empty answer.

        Raises: Rejected when the query names a trait, class or aggregate syntax Placement refuses.
        """

    def claim(
        self,
        consumer_uuid: str,
        request: AllocationRequest,
        project_id: str,
        user_id: str,
        *,
        may_exist: bool = False,
    ) -> None:
        """Give the consumer these resources, all or none.

        A consumer that has allocations already is refused, unless they are exactly these (a repeated
        delivery) or `may_exist`, which replaces them and their owner.

        Raises: Conflict when a provider has no room; ConsumerInUse (a Conflict) when the consumer has
        other allocations; Rejected when a provider is gone.
        """

    def allocations(self, consumer_uuid: str) -> Allocations:
        """What the consumer has; empty (false) when nothing."""

    def delete_allocations(self, consumer_uuid: str) -> bool:
        """Take everything from the consumer. False when there was nothing. Idempotent."""

    def move_allocations(self, source_uuid: str, target_uuid: str) -> bool:
        """Give all that the source consumer has to the target, in one step. False when it had nothing.

        Raises: ConsumerInUse when the target has allocations.
        """

    def allocations_of_provider(self, provider_uuid: str) -> Mapping[str, Mapping[str, int]]:
        """Resources by consumer uuid. Raises: NotFound."""

    def providers(self) -> Mapping[str, str]:
        """The root of each provider there is, by uuid; its own is that of a compute node."""

    def find_provider(self, uuid: str) -> Provider | None:
        """One provider with inventories, traits and aggregates; None when there is none."""

    def provider_tree(self, uuid: str) -> Mapping[str, Provider]:
        """All providers of the tree that `uuid` belongs to, by uuid; empty when there is none."""

    def ensure_provider(self, uuid: str, name: str, *, parent_uuid: str | None = None) -> Provider:
        """Make the provider unless it is there, and give it this name.

        Raises: Conflict when another provider has the name.
        """

    def update_provider(
        self,
        uuid: str,
        *,
        inventories: Mapping[str, Inventory] | None = None,
        traits: Callable[[frozenset[str]], Collection[str]] | Collection[str] | None = None,
        aggregates: Collection[str] | None = None,
    ) -> Provider:
        """Make the provider have exactly these; None leaves a part alone. Writes only what differs.

        `traits` may be a function from the present traits to the wanted ones, so that traits that
        other parties set survive. Custom classes and traits are made on the way.

        Raises: NotFound; Conflict when a class in use would go or shrink below what is used.
        """

    def delete_provider(self, uuid: str, *, cascade: bool = False) -> bool:
        """Remove it (with children and allocations when `cascade`); False when there was none.

        Raises: Conflict when it is in use or has children.
        """

    def ensure_traits(self, traits: Collection[str]) -> None:
        """Make the custom ones among them."""

    def ensure_resource_classes(self, classes: Collection[str]) -> None:
        """Make the custom ones among them."""

    def traits(self) -> frozenset[str]:
        """All traits Placement knows."""

    def set_aggregate_member(self, provider_uuid: str, aggregate_uuid: str, *, member: bool) -> None:
        """Add the provider to the aggregate or take it out. Raises: NotFound."""

    def usages(self, project_id: str, user_id: str | None = None) -> Mapping[str, int]:
        """What the project (or its user) consumes, by resource class."""
