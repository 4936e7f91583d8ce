"""From what a server needs to a query for candidates. Pure.

Contract: extra specs `resources[GROUP]:CLASS`, `trait[GROUP]:TRAIT`, `group_policy`, `hw:cpu_policy`,
`hw:cpu_thread_policy`, `hw:mem_encryption`; image property `traits_required`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from oslo_utils import strutils

from openkeel.clients.placement.types import CandidateQuery, ResourceGroup
from openkeel.domain.errors import NoValidHost
from openkeel.scheduler.request import Request

_KEY: Final = re.compile(r"(?P<kind>resources|trait)(?P<suffix>[0-9a-zA-Z_-]{0,64}):(?P<name>[A-Z0-9_]+)")
_NUMBERED: Final = 2  # from two groups on Placement wants to know whether they may share a provider


@dataclass(slots=True)
class _Draft:
    resources: dict[str, int] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    forbidden: set[str] = field(default_factory=set)


def candidate_query(request: Request, *, limit: int, in_tree: str | None = None) -> CandidateQuery:
    """The query. `in_tree` is the compute node's uuid when only one host may be.

    Raises: NoValidHost when an extra spec makes no sense.
    """
    drafts: dict[str, _Draft] = {"": _from_flavor(request)}
    _apply_extra_specs(request.extra_specs, drafts)
    drafts[""].required |= request.required_traits
    main = drafts.pop("")
    groups = [
        ResourceGroup(
            resources={name: amount for name, amount in main.resources.items() if amount},
            required=frozenset(main.required - main.forbidden),
            forbidden=frozenset(main.forbidden),
            member_of=request.target.aggregates,
            forbidden_aggregates=request.target.forbidden_aggregates,
            in_tree=in_tree,
        ),
        *(
            ResourceGroup(
                suffix=suffix,
                resources={name: amount for name, amount in draft.resources.items() if amount},
                required=frozenset(draft.required),
                forbidden=frozenset(draft.forbidden),
            )
            for suffix, draft in sorted(drafts.items())
        ),
        *request.resource_groups,
    ]
    groups = [one for one in groups if one.resources or one.required or one.suffix == ""]
    policy = request.extra_specs.get("group_policy")
    if policy is None and sum(bool(one.suffix) for one in groups) >= _NUMBERED:
        policy = "none"
    return CandidateQuery(
        groups=tuple(groups),
        group_policy=policy,
        same_subtree=request.same_subtree,
        root_required=request.root_required,
        root_forbidden=request.root_forbidden,
        limit=limit,
    )


def _from_flavor(request: Request) -> _Draft:
    draft = _Draft(
        resources={
            "VCPU": request.vcpus,
            "MEMORY_MB": request.memory_mib,
            "DISK_GB": request.disk_gib,
        }
    )
    if _either(request, "cpu_policy") == "dedicated":
        draft.resources["PCPU"] = draft.resources.pop("VCPU")
        threads = _either(request, "cpu_thread_policy")
        if threads == "isolate":
            draft.forbidden.add("HW_CPU_HYPERTHREADING")
        elif threads == "require":
            draft.required.add("HW_CPU_HYPERTHREADING")
    if strutils.bool_from_string(_either(request, "mem_encryption")):
        draft.resources["MEM_ENCRYPTION_CONTEXT"] = 1
    return draft


def _either(request: Request, name: str) -> str | None:
    """A hardware wish that flavor or image may state; the flavor's word counts."""
    value = request.extra_specs.get(f"hw:{name}") or request.image_properties.get(f"hw_{name}")
    return None if value is None else str(value)


def _apply_extra_specs(extra_specs: Mapping[str, str], drafts: dict[str, _Draft]) -> None:
    for key, value in extra_specs.items():
        match = _KEY.fullmatch(key)
        if match is None:
            continue
        draft = drafts.setdefault(match["suffix"], _Draft())
        if match["kind"] == "resources":
            draft.resources[match["name"]] = _amount(key, value)
        elif value == "required":
            draft.required.add(match["name"])
        elif value == "forbidden":
            draft.forbidden.add(match["name"])
        else:
            raise NoValidHost(reason=f"Flavor extra spec {key} must be required or forbidden.")


def _amount(key: str, value: str) -> int:
    try:
        amount = int(value)
    except ValueError:
        amount = -1
    if amount < 0:
        raise NoValidHost(reason=f"Flavor extra spec {key} is not an amount.")
    return amount


def summary(query: CandidateQuery) -> str:
    """What was looked for, in words for the person who asked."""
    wanted = [
        f"{amount} {name}" for group in query.groups for name, amount in sorted(group.resources.items())
    ]
    traits = sorted({trait for group in query.groups for trait in group.required} | query.root_required)
    return ", ".join(wanted) + (f" with {', '.join(traits)}" if traits else "")
