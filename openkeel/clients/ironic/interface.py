"""What callers may ask of Ironic. `client.IronicClient` and `fake.FakeIronic` answer it."""

from collections.abc import Sequence
from typing import Protocol

from openkeel.clients.ironic.types import Node


class Ironic(Protocol):
    """Every call is made on the service account: bare metal is nothing that users see.

    Raises everywhere: Unavailable; NotSetUp, when there is no Ironic.
    """

    def list_nodes(self) -> Sequence[Node]:
        """All nodes."""

    def get_node(self, node: str) -> Node:
        """One node, by uuid or name. Raises: NotFound."""

    def mac_addresses(self, node_id: str) -> Sequence[str]:
        """Of the node's ports. Raises: NotFound."""
