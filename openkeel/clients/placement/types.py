"""Placement's words: requests for resources, candidates, allocations, providers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import orjson

# The microversion of every call, and of the allocation requests that travel in Selections.
MICROVERSION = "1.36"

# Contract: whom Placement gives allocations of the time before it knew owners.
NOBODY = "00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True, slots=True)
class ResourceGroup:
    """One group of a query for candidates.

    `suffix` is "" for the unnumbered group, else what Placement calls it (e.g. "_port-1").
    `member_of` is a conjunction: the provider must be in at least one aggregate of every set.
    """

    resources: Mapping[str, int] = field(default_factory=dict)
    suffix: str = ""
    required: frozenset[str] = frozenset()
    forbidden: frozenset[str] = frozenset()
    member_of: tuple[frozenset[str], ...] = ()
    forbidden_aggregates: frozenset[str] = frozenset()
    in_tree: str | None = None


@dataclass(frozen=True, slots=True)
class CandidateQuery:
    """What `allocation_candidates` is asked for. `group_policy` is none, isolate or unset."""

    groups: tuple[ResourceGroup, ...]
    group_policy: str | None = None
    same_subtree: tuple[frozenset[str], ...] = ()
    root_required: frozenset[str] = frozenset()
    root_forbidden: frozenset[str] = frozenset()
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class AllocationRequest:
    """One way to satisfy a query: resources per provider, and which group went where."""

    allocations: Mapping[str, Mapping[str, int]]
    mappings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def from_wire(cls, body: Mapping[str, Any]) -> Self:
        """Read Placement's form."""
        return cls(
            allocations={
                provider: dict(entry["resources"]) for provider, entry in body["allocations"].items()
            },
            mappings={suffix: tuple(providers) for suffix, providers in (body.get("mappings") or {}).items()},
        )

    def to_wire(self) -> dict[str, Any]:
        """Placement's form."""
        return {
            "allocations": {
                provider: {"resources": dict(resources)} for provider, resources in self.allocations.items()
            },
            "mappings": {suffix: list(providers) for suffix, providers in self.mappings.items()},
        }

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the text that a Selection carries."""
        return cls.from_wire(orjson.loads(text))

    def to_json(self) -> str:
        """The text that a Selection carries."""
        return orjson.dumps(self.to_wire()).decode()


@dataclass(frozen=True, slots=True)
class Capacity:
    """Of one resource class at one provider, after the allocation ratio and the reserve."""

    capacity: int
    used: int


@dataclass(frozen=True, slots=True)
class ProviderSummary:
    """A provider that takes part in some candidate. Its root is the compute node."""

    uuid: str
    root_uuid: str
    parent_uuid: str | None
    resources: Mapping[str, Capacity]
    traits: frozenset[str]


@dataclass(frozen=True, slots=True)
class Candidates:
    """The answer to a query; no requests means that nothing fits."""

    requests: tuple[AllocationRequest, ...] = ()
    summaries: Mapping[str, ProviderSummary] = field(default_factory=dict)

    def by_root(self) -> dict[str, list[AllocationRequest]]:
        """The requests under the uuid of the compute node (the root of the tree) they use."""
        grouped: dict[str, list[AllocationRequest]] = {}
        for request in self.requests:
            roots = {self.summaries[provider].root_uuid for provider in request.allocations}
            for root in roots:
                grouped.setdefault(root, []).append(request)
        return grouped


@dataclass(frozen=True, slots=True)
class Allocations:
    """What one consumer has. `consumer_generation` None means that Placement does not know it."""

    allocations: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    mappings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    project_id: str | None = None
    user_id: str | None = None
    consumer_generation: int | None = None

    def __bool__(self) -> bool:
        return bool(self.allocations)


@dataclass(frozen=True, slots=True)
class Inventory:
    """What a provider has of one resource class."""

    total: int
    reserved: int = 0
    allocation_ratio: float = 1.0
    min_unit: int = 1
    max_unit: int | None = None  # None: the total
    step_size: int = 1

    @property
    def largest(self) -> int:
        """The most that one allocation may take."""
        return self.total if self.max_unit is None else self.max_unit

    @property
    def capacity(self) -> int:
        """How much all allocations together may take."""
        return int((self.total - self.reserved) * self.allocation_ratio)


@dataclass(frozen=True, slots=True)
class Provider:
    """A resource provider as Placement has it. `generation` guards every change of it."""

    uuid: str
    name: str
    generation: int
    parent_uuid: str | None
    root_uuid: str
    inventories: Mapping[str, Inventory] = field(default_factory=dict)
    traits: frozenset[str] = frozenset()
    aggregates: frozenset[str] = frozenset()
