"""Placement over HTTP. See `interface.py` for what each call promises."""

import itertools
import logging
import random
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, TypeVar

from oslo_config import cfg

from openkeel.clients import errors
from openkeel.clients.placement import wire
from openkeel.clients.placement.types import (
    MICROVERSION,
    AllocationRequest,
    Allocations,
    CandidateQuery,
    Candidates,
    Inventory,
    Provider,
)
from openkeel.clients.session import Connection, connect

LOG = logging.getLogger(__name__)

CONCURRENT: Final = "placement.concurrent_update"
# How long a change is tried while others change the same provider or consumer: each round one of them wins.
PATIENCE_S: Final = 20.0
# Pauses are random, the longest a try more than the one before, so that rivals spread out.
PAUSE_S: Final = 0.05
LONGEST_PAUSE_S: Final = 1.0

T = TypeVar("T")


class PlacementClient:
    """The `Placement` interface on a connection."""

    def __init__(self, connection: Connection) -> None:
        self._http = connection

    # Candidates and allocations

    def allocation_candidates(self, query: CandidateQuery) -> Candidates:
        return wire.candidates(
            self._http.json("GET", "/allocation_candidates", params=wire.query_parameters(query))
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
        wanted = {provider: dict(resources) for provider, resources in request.allocations.items()}
        known: list[int | None] = [None]  # most claims are for consumers that Placement does not know

        def put() -> None:
            body = wire.allocation_body(
                wanted,
                project_id=project_id,
                user_id=user_id,
                consumer_generation=known[0],
                mappings=request.mappings,
            )
            try:
                self._http.request("PUT", f"/allocations/{consumer_uuid}", body=body)
            except errors.Conflict as conflict:
                present = self.allocations(consumer_uuid)
                is_owner = (present.project_id, present.user_id) == (project_id, user_id)
                if present.allocations == wanted and (is_owner or not may_exist):
                    return
                if present and not may_exist:
                    raise errors.ConsumerInUse(
                        service=self._http.service,
                        status=409,
                        code="",
                        detail=f"consumer {consumer_uuid} has other allocations",
                    ) from conflict
                known[0] = present.consumer_generation
                raise

        self._retried(put)

    def allocations(self, consumer_uuid: str) -> Allocations:
        return wire.allocations(self._http.json("GET", f"/allocations/{consumer_uuid}"))

    def delete_allocations(self, consumer_uuid: str) -> bool:
        return self._deleted(f"/allocations/{consumer_uuid}")

    def move_allocations(self, source_uuid: str, target_uuid: str) -> bool:
        def move() -> bool:
            source = self.allocations(source_uuid)
            if not source:
                return False
            if self.allocations(target_uuid):
                raise errors.ConsumerInUse(
                    service=self._http.service,
                    status=409,
                    code="",
                    detail=f"consumer {target_uuid} has allocations",
                )
            project_id, user_id = source.project_id or "", source.user_id or ""
            body = {
                source_uuid: wire.allocation_body(
                    {},
                    project_id=project_id,
                    user_id=user_id,
                    consumer_generation=source.consumer_generation,
                ),
                target_uuid: wire.allocation_body(
                    source.allocations, project_id=project_id, user_id=user_id, consumer_generation=None
                ),
            }
            self._http.request("POST", "/allocations", body=body)
            return True

        return self._retried(move)

    def allocations_of_provider(self, provider_uuid: str) -> Mapping[str, Mapping[str, int]]:
        body = self._http.json("GET", f"/resource_providers/{provider_uuid}/allocations")
        return {consumer: dict(entry["resources"]) for consumer, entry in body["allocations"].items()}

    def usages(self, project_id: str, user_id: str | None = None) -> Mapping[str, int]:
        parameters = {"project_id": project_id}
        if user_id is not None:
            parameters["user_id"] = user_id
        usages: Mapping[str, int] = self._http.json("GET", "/usages", params=parameters)["usages"]
        return dict(usages)

    # Providers

    def providers(self) -> Mapping[str, str]:
        body = self._http.json("GET", "/resource_providers")
        return {entry["uuid"]: entry["root_provider_uuid"] for entry in body["resource_providers"]}

    def find_provider(self, uuid: str) -> Provider | None:
        try:
            return self._filled(self._http.json("GET", f"/resource_providers/{uuid}"))
        except errors.NotFound:
            return None

    def provider_tree(self, uuid: str) -> Mapping[str, Provider]:
        body = self._http.json("GET", "/resource_providers", params={"in_tree": uuid})
        return {entry["uuid"]: self._filled(entry) for entry in body["resource_providers"]}

    def ensure_provider(self, uuid: str, name: str, *, parent_uuid: str | None = None) -> Provider:
        present = self.find_provider(uuid)
        if present is None:
            body: dict[str, Any] = {"uuid": uuid, "name": name}
            if parent_uuid is not None:
                body["parent_provider_uuid"] = parent_uuid
            try:
                self._http.request("POST", "/resource_providers", body=body)
            except errors.Conflict:
                # Either the name is another's, or somebody made this very provider meanwhile.
                present = self.find_provider(uuid)
                if present is None:
                    raise
            else:
                return self._present(uuid)
        if present.name != name:
            self._http.request("PUT", f"/resource_providers/{uuid}", body={"name": name})
            return self._present(uuid)
        return present

    def update_provider(
        self,
        uuid: str,
        *,
        inventories: Mapping[str, Inventory] | None = None,
        traits: Callable[[frozenset[str]], Collection[str]] | Collection[str] | None = None,
        aggregates: Collection[str] | None = None,
    ) -> Provider:
        def update() -> Provider:
            provider = self._present(uuid)
            if inventories is not None and not _same_inventories(provider.inventories, inventories):
                self.ensure_resource_classes(set(inventories) - set(provider.inventories))
                self._put_part(
                    provider,
                    "inventories",
                    {name: wire.inventory_body(record) for name, record in inventories.items()},
                )
                provider = self._present(uuid)
            if traits is not None:
                wanted = frozenset(traits(provider.traits) if callable(traits) else traits)
                if wanted != provider.traits:
                    self.ensure_traits(wanted - provider.traits)
                    self._put_part(provider, "traits", sorted(wanted))
                    provider = self._present(uuid)
            if aggregates is not None and frozenset(aggregates) != provider.aggregates:
                self._put_part(provider, "aggregates", sorted(aggregates))
                provider = self._present(uuid)
            return provider

        return self._retried(update)

    def delete_provider(self, uuid: str, *, cascade: bool = False) -> bool:
        if cascade:
            for child in self._children_first(uuid):
                for consumer in self.allocations_of_provider(child):
                    self.delete_allocations(consumer)
                if child != uuid:
                    self._deleted(f"/resource_providers/{child}")
        return self._deleted(f"/resource_providers/{uuid}")

    def set_aggregate_member(self, provider_uuid: str, aggregate_uuid: str, *, member: bool) -> None:
        def change() -> None:
            provider = self._present(provider_uuid)
            wanted = (
                provider.aggregates | {aggregate_uuid} if member else provider.aggregates - {aggregate_uuid}
            )
            if wanted != provider.aggregates:
                self._put_part(provider, "aggregates", sorted(wanted))

        self._retried(change)

    # Names

    def ensure_traits(self, traits: Collection[str]) -> None:
        for trait in sorted(traits):
            if trait.startswith("CUSTOM_"):
                self._http.request("PUT", f"/traits/{trait}")

    def ensure_resource_classes(self, classes: Collection[str]) -> None:
        for name in sorted(classes):
            if name.startswith("CUSTOM_"):
                self._http.request("PUT", f"/resource_classes/{name}")

    def traits(self) -> frozenset[str]:
        return frozenset(self._http.json("GET", "/traits")["traits"])

    # How it is done

    def _retried(self, change: Callable[[], T]) -> T:
        """Run `change`, which reads before it writes, again while Placement says "changed meanwhile"."""
        deadline = time.monotonic() + PATIENCE_S
        for attempt in itertools.count(1):
            try:
                return change()
            except errors.Conflict as conflict:
                if conflict.code != CONCURRENT or time.monotonic() > deadline:
                    raise
                LOG.debug("Placement was changed meanwhile, attempt %d: %s", attempt, conflict.detail)
            time.sleep(random.uniform(0.2, 1.0) * min(PAUSE_S * attempt, LONGEST_PAUSE_S))  # noqa: S311 jitter
        raise AssertionError("unreachable")

    def _deleted(self, path: str) -> bool:
        try:
            self._http.request("DELETE", path)
        except errors.NotFound:
            return False
        return True

    def _put_part(self, provider: Provider, part: str, value: Any) -> None:
        self._http.request(
            "PUT",
            f"/resource_providers/{provider.uuid}/{part}",
            body={part: value, "resource_provider_generation": provider.generation},
        )

    def _filled(self, body: Mapping[str, Any]) -> Provider:
        path = f"/resource_providers/{body['uuid']}"
        return wire.provider(
            body,
            inventories=self._http.json("GET", f"{path}/inventories"),
            traits=self._http.json("GET", f"{path}/traits"),
            aggregates=self._http.json("GET", f"{path}/aggregates"),
        )

    def _present(self, uuid: str) -> Provider:
        return self._filled(self._http.json("GET", f"/resource_providers/{uuid}"))

    def _children_first(self, uuid: str) -> list[str]:
        tree = self.provider_tree(uuid)
        parents = {key: provider.parent_uuid for key, provider in tree.items()}

        def below(key: str) -> list[str]:
            return [
                *(name for child, parent in parents.items() if parent == key for name in below(child)),
                key,
            ]

        return below(uuid) if uuid in tree else []


def _same_inventories(present: Mapping[str, Inventory], wanted: Mapping[str, Inventory]) -> bool:
    return {name: wire.inventory_body(record) for name, record in present.items()} == {
        name: wire.inventory_body(record) for name, record in wanted.items()
    }


def make_client(conf: cfg.ConfigOpts) -> PlacementClient:
    """The client that [placement] describes."""
    return PlacementClient(connect(conf, "placement", "Placement", microversion=MICROVERSION))
