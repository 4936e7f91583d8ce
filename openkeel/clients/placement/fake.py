"""A Placement in memory, with the rules that callers depend on.

Capacity, unit limits, generations of providers and consumers, traits and aggregates in candidate
queries, nested providers, providers in use. Safe for threads. Not kept: sharing providers.
"""

import itertools
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

import os_resource_classes
import os_traits

from openkeel.clients import errors
from openkeel.clients.faults import Faults
from openkeel.clients.placement.types import (
    AllocationRequest,
    Allocations,
    CandidateQuery,
    Candidates,
    Capacity,
    Inventory,
    Provider,
    ProviderSummary,
    ResourceGroup,
)


class FakePlacement:
    """The `Placement` interface on dictionaries; `faults` orders failures by method name."""

    def __init__(self) -> None:
        self.faults = Faults()
        self._lock = threading.RLock()
        self._providers: dict[str, Provider] = {}
        self._consumers: dict[str, Allocations] = {}
        self._traits: set[str] = set(os_traits.get_traits())
        self._classes = set(os_resource_classes.STANDARDS)

    # What tests look at and prepare

    def consumers(self) -> dict[str, Allocations]:
        """Everybody who has something: empty when nothing leaked."""
        with self._lock:
            return dict(self._consumers)

    def add_host(
        self,
        uuid: str,
        name: str,
        *,
        vcpus: int = 8,
        memory_mib: int = 16384,
        disk_gib: int = 100,
        traits: Collection[str] = (),
        aggregates: Collection[str] = (),
    ) -> Provider:
        """A compute node with its three usual inventories."""
        self.ensure_provider(uuid, name)
        return self.update_provider(
            uuid,
            inventories={
                "VCPU": Inventory(total=vcpus),
                "MEMORY_MB": Inventory(total=memory_mib),
                "DISK_GB": Inventory(total=disk_gib),
            },
            traits=traits,
            aggregates=aggregates,
        )

    # Candidates and allocations

    def allocation_candidates(self, query: CandidateQuery) -> Candidates:
        self.faults.before("allocation_candidates")
        with self._lock:
            self._check_names(query)
            found: list[AllocationRequest] = []
            for root in [one for one in self._providers.values() if one.parent_uuid is None]:
                if not query.root_required <= root.traits or query.root_forbidden & root.traits:
                    continue
                tree = self._tree(root.uuid)
                for request in self._requests_of_tree(tree, query):
                    if request not in found:
                        found.append(request)
            found = found[: query.limit]
            roots = {self._providers[uuid].root_uuid for request in found for uuid in request.allocations}
            return Candidates(
                requests=tuple(found),
                summaries={
                    one.uuid: self._summary(one) for one in self._providers.values() if one.root_uuid in roots
                },
            )

    def claim(
        self,
        consumer_uuid: str,
        request: AllocationRequest,
        project_id: str,
        user_id: str,
        *,
        may_exist: bool = False,
    ) -> None:
        self.faults.before("claim")
        wanted = {provider: dict(resources) for provider, resources in request.allocations.items()}
        with self._lock:
            present = self._consumers.get(consumer_uuid, Allocations())
            is_owner = (present.project_id, present.user_id) == (project_id, user_id)
            if present.allocations == wanted and (is_owner or not may_exist):
                return
            if present and not may_exist:
                raise _in_use(consumer_uuid)
            self._write(
                consumer_uuid,
                Allocations(
                    allocations=wanted,
                    project_id=project_id,
                    user_id=user_id,
                    consumer_generation=(present.consumer_generation or 0) + 1,
                ),
            )
        self.faults.after("claim")

    def allocations(self, consumer_uuid: str) -> Allocations:
        self.faults.before("allocations")
        with self._lock:
            return self._consumers.get(consumer_uuid, Allocations())

    def delete_allocations(self, consumer_uuid: str) -> bool:
        self.faults.before("delete_allocations")
        with self._lock:
            present = self._consumers.pop(consumer_uuid, None)
            if present is not None:
                self._touch(present.allocations)
        self.faults.after("delete_allocations")
        return present is not None

    def move_allocations(self, source_uuid: str, target_uuid: str) -> bool:
        self.faults.before("move_allocations")
        with self._lock:
            source = self._consumers.get(source_uuid)
            if source is None:
                return False
            if target_uuid in self._consumers:
                raise _in_use(target_uuid)
            del self._consumers[source_uuid]
            self._consumers[target_uuid] = replace(source, consumer_generation=1)
            self._touch(source.allocations)
        self.faults.after("move_allocations")
        return True

    def allocations_of_provider(self, provider_uuid: str) -> Mapping[str, Mapping[str, int]]:
        self.faults.before("allocations_of_provider")
        with self._lock:
            self._present(provider_uuid)
            return {
                consumer: dict(held.allocations[provider_uuid])
                for consumer, held in self._consumers.items()
                if provider_uuid in held.allocations
            }

    def usages(self, project_id: str, user_id: str | None = None) -> Mapping[str, int]:
        self.faults.before("usages")
        total: dict[str, int] = {}
        with self._lock:
            for held in self._consumers.values():
                if held.project_id != project_id or user_id not in {None, held.user_id}:
                    continue
                for resources in held.allocations.values():
                    for name, amount in resources.items():
                        total[name] = total.get(name, 0) + amount
        return total

    # Providers

    def providers(self) -> Mapping[str, str]:
        self.faults.before("providers")
        with self._lock:
            return {one.uuid: one.root_uuid for one in self._providers.values()}

    def find_provider(self, uuid: str) -> Provider | None:
        self.faults.before("find_provider")
        with self._lock:
            return self._providers.get(uuid)

    def provider_tree(self, uuid: str) -> Mapping[str, Provider]:
        self.faults.before("provider_tree")
        with self._lock:
            if uuid not in self._providers:
                return {}
            return {one.uuid: one for one in self._tree(self._providers[uuid].root_uuid)}

    def ensure_provider(self, uuid: str, name: str, *, parent_uuid: str | None = None) -> Provider:
        self.faults.before("ensure_provider")
        with self._lock:
            if any(one.name == name and one.uuid != uuid for one in self._providers.values()):
                raise _conflict(f"name {name} is in use", code="placement.duplicate_name")
            present = self._providers.get(uuid)
            if present is None:
                root = uuid if parent_uuid is None else self._present(parent_uuid).root_uuid
                present = Provider(
                    uuid=uuid, name=name, generation=0, parent_uuid=parent_uuid, root_uuid=root
                )
                self._providers[uuid] = present
            elif present.name != name:
                self._providers[uuid] = present = replace(present, name=name)
            return present

    def update_provider(
        self,
        uuid: str,
        *,
        inventories: Mapping[str, Inventory] | None = None,
        traits: Callable[[frozenset[str]], Collection[str]] | Collection[str] | None = None,
        aggregates: Collection[str] | None = None,
    ) -> Provider:
        self.faults.before("update_provider")
        with self._lock:
            provider = self._present(uuid)
            if inventories is not None:
                wanted = {
                    name: replace(record, max_unit=record.largest) for name, record in inventories.items()
                }
                if wanted != provider.inventories:
                    self._check_inventories(provider, wanted)
                    provider = self._changed(provider, inventories=wanted)
            if traits is not None:
                names = frozenset(traits(provider.traits) if callable(traits) else traits)
                if names != provider.traits:
                    self._check_known(names, self._traits)
                    self._traits |= names
                    provider = self._changed(provider, traits=names)
            if aggregates is not None and frozenset(aggregates) != provider.aggregates:
                provider = self._changed(provider, aggregates=frozenset(aggregates))
        self.faults.after("update_provider")
        return provider

    def delete_provider(self, uuid: str, *, cascade: bool = False) -> bool:
        self.faults.before("delete_provider")
        with self._lock:
            if uuid not in self._providers:
                return False
            children = [one.uuid for one in self._providers.values() if one.parent_uuid == uuid]
            if cascade:
                for child in children:
                    self.delete_provider(child, cascade=True)
                for consumer in self.allocations_of_provider(uuid):
                    self.delete_allocations(consumer)
            elif children:
                raise _conflict("it has children", code="placement.resource_provider.cannot_delete_parent")
            if self.allocations_of_provider(uuid):
                raise _conflict("it is in use", code="placement.resource_provider.inuse")
            del self._providers[uuid]
            return True

    def set_aggregate_member(self, provider_uuid: str, aggregate_uuid: str, *, member: bool) -> None:
        self.faults.before("set_aggregate_member")
        with self._lock:
            provider = self._present(provider_uuid)
            wanted = (
                provider.aggregates | {aggregate_uuid} if member else provider.aggregates - {aggregate_uuid}
            )
            if wanted != provider.aggregates:
                self._changed(provider, aggregates=wanted)

    # Names

    def ensure_traits(self, traits: Collection[str]) -> None:
        with self._lock:
            self._traits |= {name for name in traits if name.startswith("CUSTOM_")}

    def ensure_resource_classes(self, classes: Collection[str]) -> None:
        with self._lock:
            self._classes |= {name for name in classes if name.startswith("CUSTOM_")}

    def traits(self) -> frozenset[str]:
        with self._lock:
            return frozenset(self._traits)

    # Rules

    def _present(self, uuid: str) -> Provider:
        try:
            return self._providers[uuid]
        except KeyError:
            raise errors.NotFound(
                service="Placement", status=404, code="", detail=f"no resource provider {uuid}"
            ) from None

    def _changed(self, provider: Provider, **parts: object) -> Provider:
        changed = replace(provider, generation=provider.generation + 1, **parts)  # type: ignore[arg-type]
        self._providers[provider.uuid] = changed
        return changed

    def _touch(self, providers: Collection[str] | Mapping[str, object]) -> None:
        for uuid in providers:
            if uuid in self._providers:
                self._changed(self._providers[uuid])

    def _used(self, provider_uuid: str, name: str, *, without: str | None = None) -> int:
        return sum(
            held.allocations.get(provider_uuid, {}).get(name, 0)
            for consumer, held in self._consumers.items()
            if consumer != without
        )

    def _room(self, provider: Provider, name: str, amount: int, *, without: str | None = None) -> bool:
        record = provider.inventories.get(name)
        return (
            record is not None
            and record.min_unit <= amount <= record.largest
            and amount % record.step_size == 0
            and self._used(provider.uuid, name, without=without) + amount <= record.capacity
        )

    def _write(self, consumer_uuid: str, wanted: Allocations) -> None:
        for uuid, resources in wanted.allocations.items():
            if uuid not in self._providers:
                raise errors.Rejected(
                    service="Placement",
                    status=400,
                    code="",
                    detail=f"resource provider {uuid} does not exist",
                )
            for name, amount in resources.items():
                if not self._room(self._providers[uuid], name, amount, without=consumer_uuid):
                    raise _conflict(f"no room for {amount} of {name} at {uuid}")
        self._touch(wanted.allocations)
        self._consumers[consumer_uuid] = wanted

    def _check_inventories(self, provider: Provider, wanted: Mapping[str, Inventory]) -> None:
        self._check_known(wanted, self._classes)
        self._classes |= set(wanted)
        for name in provider.inventories:
            if name not in wanted and self._used(provider.uuid, name):
                raise _conflict(f"{name} is in use", code="placement.inventory.inuse")

    @staticmethod
    def _check_known(names: Collection[str], known: Collection[str]) -> None:
        unknown = [name for name in names if name not in known and not name.startswith("CUSTOM_")]
        if unknown:
            raise errors.Rejected(
                service="Placement", status=400, code="", detail=f"unknown: {', '.join(sorted(unknown))}"
            )

    def _check_names(self, query: CandidateQuery) -> None:
        for group in query.groups:
            for names, known in (
                (group.required | group.forbidden, self._traits),
                (set(group.resources), self._classes),
            ):
                unknown = sorted(set(names) - set(known))
                if unknown:
                    raise errors.Rejected(
                        service="Placement", status=400, code="", detail=f"unknown: {', '.join(unknown)}"
                    )

    # Candidates of one tree

    def _tree(self, root_uuid: str) -> list[Provider]:
        return [one for one in self._providers.values() if one.root_uuid == root_uuid]

    def _requests_of_tree(self, tree: list[Provider], query: CandidateQuery) -> Iterator[AllocationRequest]:
        choices = [list(self._placements(tree, group)) for group in query.groups]
        suffixed = [index for index, group in enumerate(query.groups) if group.suffix]
        for combination in itertools.product(*choices):
            if query.group_policy == "isolate":
                picked = [next(iter(combination[index])) for index in suffixed if combination[index]]
                if len(picked) != len(set(picked)):
                    continue
            merged: dict[str, dict[str, int]] = {}
            mappings: dict[str, tuple[str, ...]] = {}
            for group, placed in zip(query.groups, combination, strict=True):
                mappings[group.suffix] = tuple(placed)
                for uuid, resources in placed.items():
                    held = merged.setdefault(uuid, {})
                    for name, amount in resources.items():
                        held[name] = held.get(name, 0) + amount
            if all(
                self._room(self._providers[uuid], name, amount)
                for uuid, resources in merged.items()
                for name, amount in resources.items()
            ):
                yield AllocationRequest(allocations=merged, mappings=mappings)

    def _placements(self, tree: list[Provider], group: ResourceGroup) -> Iterator[dict[str, dict[str, int]]]:
        """Ways to satisfy one group in this tree: resources by provider."""
        usable = [one for one in tree if self._is_member(one, group)]
        if group.in_tree is not None and group.in_tree not in {one.uuid for one in tree}:
            return
        if group.suffix:
            for provider in usable:
                fits = all(self._room(provider, name, amount) for name, amount in group.resources.items())
                if fits and group.required <= provider.traits and not group.forbidden & provider.traits:
                    yield {provider.uuid: dict(group.resources)}
            return
        usable = [one for one in usable if not group.forbidden & one.traits]
        options = [
            [one for one in usable if self._room(one, name, amount)]
            for name, amount in group.resources.items()
        ]
        for combination in itertools.product(*options):
            if not group.required <= frozenset().union(*(one.traits for one in combination)):
                continue
            placed: dict[str, dict[str, int]] = {}
            for provider, (name, amount) in zip(combination, group.resources.items(), strict=True):
                placed.setdefault(provider.uuid, {})[name] = amount
            yield placed

    def _is_member(self, provider: Provider, group: ResourceGroup) -> bool:
        aggregates = provider.aggregates
        if not group.suffix:
            aggregates |= self._providers[provider.root_uuid].aggregates
        return all(aggregates & any_of for any_of in group.member_of) and not (
            aggregates & group.forbidden_aggregates
        )

    def _summary(self, provider: Provider) -> ProviderSummary:
        return ProviderSummary(
            uuid=provider.uuid,
            root_uuid=provider.root_uuid,
            parent_uuid=provider.parent_uuid,
            resources={
                name: Capacity(capacity=record.capacity, used=self._used(provider.uuid, name))
                for name, record in provider.inventories.items()
            },
            traits=provider.traits,
        )


def _conflict(detail: str, code: str = "") -> errors.Conflict:
    return errors.Conflict(service="Placement", status=409, code=code, detail=detail)


def _in_use(consumer_uuid: str) -> errors.ConsumerInUse:
    return errors.ConsumerInUse(
        service="Placement", status=409, code="", detail=f"consumer {consumer_uuid} has other allocations"
    )
