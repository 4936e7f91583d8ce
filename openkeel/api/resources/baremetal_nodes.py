"""Bare metal nodes, a proxy to Ironic for old clients: /os-baremetal-nodes.

What could be done with them before Ironic is refused.
"""

from typing import Any, Final, NoReturn

from openkeel.api.answer_types import TEXT, UUID, or_null
from openkeel.api.forms import enum
from openkeel.api.request import Request
from openkeel.api.schema import Query
from openkeel.api.tables import ANYONE, Field, Operation, View, a
from openkeel.api.versions import END, V
from openkeel.domain.errors import Invalid
from openkeel.policies import baremetal_nodes as rules

# Fields

_HOST: Final = "IRONIC MANAGED"  # Compat: nobody else's
INTERFACE: Final = View(Field("address", get=lambda address, _: address, type=TEXT))
NODE: Final = View(
    Field("id", type=UUID),
    Field("interfaces", get=a("addresses"), view=INTERFACE, many=True),
    Field("host", get=lambda _node, _: _HOST, type=enum(_HOST)),
    Field("task_state", get=a("provision_state"), type=TEXT),
    Field("cpus"),
    Field("memory_mb", get=a("memory_mib"), type=TEXT),
    Field("disk_gb", get=a("disk_gib"), type=TEXT),
)
NODE_WITH_SERVER: Final = NODE.plus(Field("instance_uuid", type=or_null(UUID)))

# Bodies and queries

ANYTHING: Final = Query(strict_since=END)

# Handlers


def index(request: Request) -> Any:
    """All nodes."""
    return request.services.bare_metal.nodes()


def show(request: Request) -> Any:
    """One node, with the addresses of its interfaces."""
    return request.services.bare_metal.get(request.params["id"])


def refuse(_request: Request) -> NoReturn:
    """Send the client to Ironic, whoever asks."""
    raise Invalid("Bare metal nodes are changed through the bare metal service only.")


# Operations

_NODES: Final = "/os-baremetal-nodes"
_UNTIL: Final = V.PROXIES_GONE

OPERATIONS: Final = (
    Operation(
        "GET",
        _NODES,
        index,
        until=_UNTIL,
        rule=rules.LIST,
        query=ANYTHING,
        view=NODE.list("nodes"),
        faults=(404,),
    ),
    Operation(
        "GET",
        f"{_NODES}/{{id}}",
        show,
        until=_UNTIL,
        rule=rules.SHOW,
        query=ANYTHING,
        view=NODE_WITH_SERVER.one("node"),
    ),
    Operation("POST", _NODES, refuse, until=_UNTIL, rule=ANYONE),
    Operation("DELETE", _NODES + "/{id}", refuse, until=_UNTIL, rule=ANYONE),
    *(
        Operation("POST", _NODES + "/{id}/action", refuse, action=action, until=_UNTIL, rule=ANYONE)
        for action in ("add_interface", "remove_interface")
    ),
)
