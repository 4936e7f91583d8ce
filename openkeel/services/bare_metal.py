"""Nodes of bare metal as old clients of the compute API know them: Ironic's, asked on our account.

Contract: the bare metal operations up to 2.35.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from openkeel.clients.errors import NotSetUp
from openkeel.clients.ironic.interface import Ironic
from openkeel.clients.ironic.types import Node
from openkeel.domain.errors import NotFound


@dataclass(frozen=True, slots=True)
class ShownNode:
    """A node in the words of old clients, who get sizes as texts."""

    id: str
    provision_state: str
    instance_uuid: str | None
    cpus: str
    memory_mib: str
    disk_gib: str
    addresses: tuple[str, ...] = ()


class BareMetalService:
    """The use cases of bare metal. All raise Unavailable; NotFound, when the cloud has no Ironic."""

    def __init__(self, ironic: Ironic) -> None:
        self._ironic = ironic

    def nodes(self) -> list[ShownNode]:
        """All nodes, without the addresses of their interfaces."""
        with _there_is_one():
            return [_shown(node) for node in self._ironic.list_nodes()]

    def get(self, node_id: str) -> ShownNode:
        """Raises: NotFound."""
        with _there_is_one():
            node = self._ironic.get_node(node_id)
            return _shown(node, self._ironic.mac_addresses(node.id))


@contextmanager
def _there_is_one() -> Iterator[None]:
    """Where there is no Ironic there are no nodes. Nova fails there with a 500."""
    try:
        yield
    except NotSetUp as error:
        raise NotFound("This cloud has no bare metal service.") from error


def _shown(node: Node, addresses: Sequence[str] = ()) -> ShownNode:
    # Operators may leave sizes out, and write them as numbers or as texts.
    cpus, memory, disk = (str(node.properties.get(name) or 0) for name in ("cpus", "memory_mb", "local_gb"))
    return ShownNode(
        id=node.id,
        provision_state=node.provision_state,
        instance_uuid=node.instance_uuid,
        cpus=cpus,
        memory_mib=memory,
        disk_gib=disk,
        addresses=tuple(addresses),
    )
