"""Networks as old clients of the compute API see them: Neutron's, asked as the user."""

from collections.abc import Sequence

from openkeel.clients.neutron.interface import Neutron
from openkeel.clients.neutron.types import Network
from openkeel.common.context import Context
from openkeel.domain.errors import NetworkNotFound


class NetworkService:
    """The use cases of networks."""

    def __init__(self, neutron: Neutron) -> None:
        self._neutron = neutron

    def of_project(self, ctx: Context) -> Sequence[Network]:
        """Networks that the project may attach to, and those that lead outside."""
        return self._neutron.list_networks(ctx, also_external=True)

    def get(self, ctx: Context, network_id: str) -> Network:
        """Any network that the user sees. Raises: NetworkNotFound."""
        found = self._neutron.list_networks(ctx, [network_id])
        if not found:
            raise NetworkNotFound(network_id=network_id)
        return found[0]
