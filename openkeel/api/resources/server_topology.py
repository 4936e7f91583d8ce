"""The NUMA nodes of a server: /servers/{server_id}/topology."""

from typing import Any, Final

from openkeel.api.request import Request
from openkeel.api.schema import Query
from openkeel.api.tables import Field, Operation, Rendering, View
from openkeel.api.versions import V
from openkeel.policies import server_topology as rules

# Fields


def _cpus(node: Any, _: Rendering) -> list[int]:
    return sorted({*node.cpuset, *node.pcpuset})


def _siblings(node: Any, r: Rendering) -> list[list[int]]:
    """Processors that share a core, where the guest has more than one thread a core."""
    topology = node.cpu_topology
    threads = topology.threads if topology is not None else 0
    if not threads:
        return []
    cpus = _cpus(node, r)
    return [cpus[start : start + threads] for start in range(0, len(cpus) - threads + 1, threads)]


def _pinning(node: Any, _: Rendering) -> dict[str, int]:
    pinned = node.cpu_pinning_raw or {}
    return {str(cpu): int(host_cpu) for cpu, host_cpu in pinned.items()}


NODE: Final = View(
    Field("memory_mb", get=lambda node, _: node.memory),
    Field("vcpu_set", get=_cpus, shape=("[]",)),
    Field("siblings", get=_siblings, shape=("[]", "[][]")),
    Field("host_node", get=lambda node, _: node.id, rule=rules.HOST_INDEX),
    Field("cpu_pinning", get=_pinning, rule=rules.HOST_INDEX, shape=(".*",)),
)


def _nodes(topology: Any, _: Rendering) -> Any:
    return [] if topology is None else topology.cells


def _page_size(topology: Any, _: Rendering) -> int | None:
    return next((node.pagesize for node in topology.cells), None) if topology is not None else None


TOPOLOGY: Final = View(
    Field("nodes", get=_nodes, view=NODE, many=True),
    Field("pagesize_kb", get=_page_size),
)

# Bodies and queries

NOTHING: Final = Query(strict_since=V.FLAVOR_NAME_FILTER)

# Handlers

_NEEDED: Final = ("numa_topology",)


def load_topology(request: Request) -> Any:
    """The server with its nodes."""
    return request.services.server_lookup.get(request.ctx, request.params["server_id"], _NEEDED)


def show(request: Request) -> Any:
    """The nodes, and where they lie on the host for whom the rule allows."""
    return request.target.instance.numa_topology


# Operations

OPERATIONS: Final = (
    Operation(
        "GET",
        "/servers/{server_id}/topology",
        show,
        since=V.SERVER_TOPOLOGY,
        rule=rules.INDEX,
        target=load_topology,
        query=NOTHING,
        view=TOPOLOGY,
    ),
)
