"""Operations that were removed for good: they answer 410 to everybody who has a token.

Contract: rest_routes.json (removed). A client that asks learns that it is too old, not that it is lost.
"""

from typing import Any, Final

from openkeel.api.errors import Fault
from openkeel.api.request import Request
from openkeel.api.tables import ANYONE, Operation
from openkeel.api.versions import V
from openkeel.domain.errors import Invalid

_GONE: Final = (
    "GET POST /os-agents",
    "PUT DELETE /os-agents/{id}",
    "GET POST /os-cells",
    "GET /os-cells/capacities",
    "GET /os-cells/detail",
    "GET /os-cells/info",
    "POST /os-cells/sync_instances",
    "GET PUT DELETE /os-cells/{id}",
    "GET /os-cells/{id}/capacities",
    "POST /os-certificates",
    "GET /os-certificates/{id}",
    "GET POST /os-cloudpipe",
    "PUT /os-cloudpipe/{id}",
    "GET /os-fixed-ips/{id}",
    "GET /os-floating-ip-dns",
    "GET PUT DELETE /os-floating-ip-dns/{domain_id}/entries/{id}",
    "PUT DELETE /os-floating-ip-dns/{id}",
    "GET POST /os-floating-ips-bulk",
    "GET PUT /os-floating-ips-bulk/{id}",
    "GET /os-fping",
    "GET /os-fping/{id}",
    "POST /os-networks",
    "POST /os-networks/add",
    "DELETE /os-networks/{id}",
    "GET POST /os-security-group-default-rules",
    "GET DELETE /os-security-group-default-rules/{id}",
    "POST /os-tenant-networks",
    "DELETE /os-tenant-networks/{id}",
    "GET POST /servers/{server_id}/consoles",
    "GET DELETE /servers/{server_id}/consoles/{id}",
    "GET /servers/{server_id}/os-virtual-interfaces",
)
_GONE_ACTIONS: Final = {
    "/os-fixed-ips/{id}/action": ("reserve", "unreserve"),
    "/os-networks/{id}/action": (
        "associate_host",
        "disassociate",
        "disassociate_host",
        "disassociate_project",
    ),
    "/servers/{id}/action": ("resetNetwork",),
}


def gone(_request: Request) -> None:
    """Refuse with 410."""
    raise Fault(410, "This operation is not supported any more.")


def no_such_console(_request: Request) -> None:
    """Refuse a console type that no hypervisor has any more."""
    raise Invalid("Consoles of type rdp are not supported any more.")


def _rows() -> Any:
    for line in _GONE:
        *methods, path = line.split()
        for method in methods:
            yield Operation(method, path, gone, rule=ANYONE, faults=(410,), is_removed=True)
    for path, actions in _GONE_ACTIONS.items():
        for action in actions:
            yield Operation("POST", path, gone, action=action, rule=ANYONE, faults=(410,), is_removed=True)
    yield Operation(
        "POST",
        "/servers/{id}/action",
        no_such_console,
        action="os-getRDPConsole",
        until=V.REMOTE_CONSOLES,
        rule=ANYONE,
        is_removed=True,
    )


OPERATIONS: Final[tuple[Operation, ...]] = tuple(_rows())
