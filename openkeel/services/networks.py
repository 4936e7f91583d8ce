"""Networks as old clients of the compute API see them: Neutron's, asked as the user."""

from collections.abc import Sequence

from openkeel.clients.neutron.interface import Neutron
from openkeel.clients.neutron.types import Network
from openkeel.common.context import Context
from openkeel.domain.errors import NetworkNotFound


class NetworkService:
    """The use cases of networks."""

    def __init__(self, neutron: Neutron, default_project_id: str | None = None) -> None:
        """`default_project_id` is whose networks every project is shown; None for nobody's.

        Contract: the options use_neutron_default_nets and neutron_default_project_id.
        """
        self._neutron = neutron
        self._default_project_id = default_project_id

    def list(self, ctx: Context) -> Sequence[Network]:
        """All networks that the user sees: an administrator those of every project."""
        return self._neutron.networks_seen(ctx)

    def with_default(self, ctx: Context) -> Sequence[Network]:
        """Those, and the networks of the default project, which are asked for on our own account."""
        mine = list(self._neutron.networks_seen(ctx))
        if self._default_project_id is None:
            return mine
        known = {network.id for network in mine}
        owner = Context(project_id=self._default_project_id, overwrite=False)
        theirs = self._neutron.list_networks(owner)
        return mine + [network for network in theirs if network.id not in known]

    def get(self, ctx: Context, network_id: str) -> Network:
        """Any network that the user sees. Raises: NetworkNotFound."""
        found = self._neutron.list_networks(ctx, [network_id])
        if not found:
            raise NetworkNotFound(network_id=network_id)
        return found[0]
