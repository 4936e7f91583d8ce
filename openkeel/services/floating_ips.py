"""Floating addresses as old clients of the compute API know them: Neutron's, asked as the user.

Servers hear of a changed address by Neutron's event network-changed. Contract: the floating ip
operations up to 2.35, and the actions up to 2.43.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from openkeel.clients import errors as service_errors
from openkeel.clients.neutron.interface import Neutron
from openkeel.clients.neutron.types import FloatingIp, Port
from openkeel.common.context import Context
from openkeel.domain.errors import Conflict, Forbidden, Invalid, NotFound, OverQuota


@dataclass(frozen=True, slots=True)
class ShownFloatingIp:
    """An address in the words of old clients."""

    id: str
    address: str
    pool: str
    fixed_address: str | None
    instance_uuid: str | None


class FloatingIpService:
    """The use cases of floating addresses."""

    def __init__(self, neutron: Neutron, default_pool: str = "nova") -> None:
        self._neutron = neutron
        self._default_pool = default_pool

    def pools(self, ctx: Context) -> list[str]:
        """Names of the networks that addresses come from, ids where they have none."""
        return [network.name or network.id for network in self._neutron.floating_ips.pools(ctx)]

    def of_project(self, ctx: Context) -> list[ShownFloatingIp]:
        """The project's addresses."""
        return self._shown(ctx, self._neutron.floating_ips.list(ctx))

    def get(self, ctx: Context, floating_ip_id: str) -> ShownFloatingIp:
        """Raises: NotFound."""
        return self._shown(ctx, [self._neutron.floating_ips.get(ctx, floating_ip_id)])[0]

    def create(self, ctx: Context, pool: str | None) -> ShownFloatingIp:
        """Take an address from a pool, or the default one.

        Raises: NotFound, for an unknown pool or when none is left; Forbidden, when the quota is
        against it; Invalid.
        """
        wanted = pool or self._default_pool
        networks = self._neutron.floating_ips.pools(ctx)
        network = next((one for one in networks if wanted in {one.name, one.id}), None)
        if network is None:
            raise NotFound(f"There is no pool {wanted} of floating addresses.")
        try:
            created = self._neutron.floating_ips.create(ctx, network.id)
        except OverQuota as error:
            raise Forbidden("The project has no more floating addresses left.") from error
        except Conflict as error:
            raise NotFound(f"No floating address is left in {wanted}.") from error
        return self._shown(ctx, [created])[0]

    def delete(self, ctx: Context, floating_ip_id: str) -> None:
        """Give an address back, wherever it leads. Raises: NotFound."""
        self._neutron.floating_ips.delete(ctx, floating_ip_id)

    # Servers

    def lead_to_server(
        self, ctx: Context, instance_uuid: str, address: str, fixed_address: str | None
    ) -> None:
        """Lead an address to a server: to one of its fixed addresses, or to its first of IPv4.

        Raises: NotFound, for an unknown address; Invalid, when the server has no such fixed address.
        """
        ports = self._neutron.floating_ips.ports_of(ctx, instance_uuid)
        fixed = [(port, one.address) for port in ports for one in port.fixed_ips if ":" not in one.address]
        if fixed_address is not None:
            fixed = [(port, one) for port, one in fixed if one == fixed_address]
        if not fixed:
            raise Invalid(f"Server {instance_uuid} has no fixed address that could be led to.")
        found = self.find(ctx, address)
        port, target = fixed[0]
        try:
            self._neutron.floating_ips.lead(ctx, found.id, port.id, target)
        except (Conflict, service_errors.NotFound) as error:
            raise Invalid(f"Address {address} cannot be led to server {instance_uuid}: {error}") from error

    def lead_away(self, ctx: Context, instance_uuid: str, address: str) -> None:
        """Let an address lead nowhere. Raises: NotFound; Conflict, when it does not lead to the server."""
        found = self.find(ctx, address)
        ports = self._neutron.floating_ips.ports(ctx, [found.port_id] if found.port_id else [])
        if not any(port.device_id == instance_uuid for port in ports.values()):
            raise Conflict(f"Address {address} does not lead to server {instance_uuid}.")
        self._neutron.floating_ips.lead(ctx, found.id, None)

    def find(self, ctx: Context, address: str) -> FloatingIp:
        """The project's floating address. Raises: NotFound."""
        found = self._neutron.floating_ips.list(ctx, address)
        if not found:
            raise NotFound(f"The project has no floating address {address}.")
        return found[0]

    def _shown(self, ctx: Context, found: Sequence[FloatingIp]) -> list[ShownFloatingIp]:
        """With pools and servers, two questions however many addresses there are."""
        if not found:
            return []
        pools = {network.id: network.name or network.id for network in self._neutron.floating_ips.pools(ctx)}
        ports = self._neutron.floating_ips.ports(ctx, [one.port_id for one in found if one.port_id])
        return [
            ShownFloatingIp(
                id=one.id,
                address=one.address,
                pool=pools.get(one.network_id, one.network_id),
                fixed_address=one.fixed_address,
                instance_uuid=_server_of(ports.get(one.port_id or "")),
            )
            for one in found
        ]


def _server_of(port: Port | None) -> str | None:
    return port.device_id or None if port is not None else None
