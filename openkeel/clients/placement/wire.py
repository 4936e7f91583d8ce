"""Placement's JSON and query strings to our types and back. Pure."""

from collections.abc import Mapping
from typing import Any

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


def query_parameters(query: CandidateQuery) -> list[tuple[str, str]]:
    """The parameters of GET /allocation_candidates, in a stable order."""
    parameters: list[tuple[str, str]] = []
    for group in query.groups:
        parameters.extend(_group_parameters(group))
    parameters.extend(("same_subtree", ",".join(sorted(suffixes))) for suffixes in query.same_subtree)
    if query.root_required or query.root_forbidden:
        parameters.append(("root_required", _traits(query.root_required, query.root_forbidden)))
    if query.group_policy:
        parameters.append(("group_policy", query.group_policy))
    if query.limit is not None:
        parameters.append(("limit", str(query.limit)))
    return parameters


def _traits(required: frozenset[str], forbidden: frozenset[str]) -> str:
    return ",".join([*sorted(required), *(f"!{trait}" for trait in sorted(forbidden))])


def _group_parameters(group: ResourceGroup) -> list[tuple[str, str]]:
    suffix = group.suffix
    parameters: list[tuple[str, str]] = []
    if group.resources:
        wanted = ",".join(f"{name}:{amount}" for name, amount in sorted(group.resources.items()))
        parameters.append((f"resources{suffix}", wanted))
    if group.required or group.forbidden:
        parameters.append((f"required{suffix}", _traits(group.required, group.forbidden)))
    parameters.extend((f"member_of{suffix}", "in:" + ",".join(sorted(any_of))) for any_of in group.member_of)
    if group.forbidden_aggregates:
        parameters.append((f"member_of{suffix}", "!in:" + ",".join(sorted(group.forbidden_aggregates))))
    if group.in_tree:
        parameters.append((f"in_tree{suffix}", group.in_tree))
    return parameters


def candidates(body: Mapping[str, Any]) -> Candidates:
    """The answer of GET /allocation_candidates."""
    return Candidates(
        requests=tuple(AllocationRequest.from_wire(entry) for entry in body["allocation_requests"]),
        summaries={
            uuid: ProviderSummary(
                uuid=uuid,
                root_uuid=summary["root_provider_uuid"],
                parent_uuid=summary["parent_provider_uuid"],
                resources={
                    name: Capacity(capacity=amounts["capacity"], used=amounts["used"])
                    for name, amounts in summary["resources"].items()
                },
                traits=frozenset(summary["traits"]),
            )
            for uuid, summary in body["provider_summaries"].items()
        },
    )


def allocations(body: Mapping[str, Any]) -> Allocations:
    """The answer of GET /allocations/{consumer}."""
    return Allocations(
        allocations={provider: dict(entry["resources"]) for provider, entry in body["allocations"].items()},
        project_id=body.get("project_id"),
        user_id=body.get("user_id"),
        consumer_generation=body.get("consumer_generation"),
    )


def allocation_body(
    resources: Mapping[str, Mapping[str, int]],
    *,
    project_id: str,
    user_id: str,
    consumer_generation: int | None,
    mappings: Mapping[str, tuple[str, ...]] | None = None,
) -> dict[str, Any]:
    """What PUT /allocations/{consumer} wants."""
    body: dict[str, Any] = {
        "allocations": {provider: {"resources": dict(amounts)} for provider, amounts in resources.items()},
        "project_id": project_id,
        "user_id": user_id,
        "consumer_generation": consumer_generation,
    }
    if mappings:
        body["mappings"] = {suffix: list(providers) for suffix, providers in mappings.items()}
    return body


def inventory(body: Mapping[str, Any]) -> Inventory:
    """One inventory record."""
    return Inventory(
        total=body["total"],
        reserved=body["reserved"],
        allocation_ratio=body["allocation_ratio"],
        min_unit=body["min_unit"],
        max_unit=body["max_unit"],
        step_size=body["step_size"],
    )


def inventory_body(record: Inventory) -> dict[str, Any]:
    """One inventory record, for PUT."""
    return {
        "total": record.total,
        "reserved": record.reserved,
        "allocation_ratio": record.allocation_ratio,
        "min_unit": record.min_unit,
        "max_unit": record.largest,
        "step_size": record.step_size,
    }


def provider(
    body: Mapping[str, Any],
    *,
    inventories: Mapping[str, Any],
    traits: Mapping[str, Any],
    aggregates: Mapping[str, Any],
) -> Provider:
    """A provider from the answers about it and its three parts."""
    return Provider(
        uuid=body["uuid"],
        name=body["name"],
        generation=body["generation"],
        parent_uuid=body.get("parent_provider_uuid"),
        root_uuid=body.get("root_provider_uuid") or body["uuid"],
        inventories={name: inventory(record) for name, record in inventories["inventories"].items()},
        traits=frozenset(traits["traits"]),
        aggregates=frozenset(aggregates["aggregates"]),
    )
