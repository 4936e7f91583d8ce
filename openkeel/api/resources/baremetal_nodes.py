"""What could be done with bare metal before Ironic, and is refused since: /os-baremetal-nodes."""

from typing import Final, NoReturn

from openkeel.api.request import Request
from openkeel.api.tables import ANYONE, Operation
from openkeel.api.versions import V
from openkeel.domain.errors import Invalid


def refuse(_request: Request) -> NoReturn:
    """Send the client to Ironic, whoever asks."""
    raise Invalid("Bare metal nodes are changed through the bare metal service only.")


_NODES: Final = "/os-baremetal-nodes"
_UNTIL: Final = V.PROXIES_GONE

OPERATIONS: Final = (
    Operation("POST", _NODES, refuse, until=_UNTIL, rule=ANYONE),
    Operation("DELETE", _NODES + "/{id}", refuse, until=_UNTIL, rule=ANYONE),
    *(
        Operation("POST", _NODES + "/{id}/action", refuse, action=action, until=_UNTIL, rule=ANYONE)
        for action in ("add_interface", "remove_interface")
    ),
)
