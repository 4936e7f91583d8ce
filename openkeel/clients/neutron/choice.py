"""Which networks and ports a server gets, checked against what the project may have.

Asked as the user: what he cannot see does not exist for him.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from openkeel.clients import errors as service_errors
from openkeel.clients.neutron import wire
from openkeel.clients.neutron.types import (
    Network,
    NetworkChoice,
    NicRequest,
    NicRequests,
    Port,
    SecurityGroup,
)
from openkeel.clients.session import Connection
from openkeel.common.context import Context
from openkeel.domain import errors

AUTO_TOPOLOGY: Final = "auto-allocated-topology"
# Neutron makes network, subnet and router before it answers; who gives up early lets a boot fail for nothing.
_MAKING_TIMEOUT_S: Final = 300.0
DNS: Final = "dns-integration"


class Extensions:
    """What this Neutron can do beyond the core, asked for now and then."""

    def __init__(
        self, http: Connection, every_s: float, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._http = http
        self._every_s = every_s
        self._monotonic = monotonic
        self._known: tuple[float, frozenset[str]] | None = None

    def has(self, alias: str) -> bool:
        """Whether the extension is there. Raises: Unavailable."""
        known = self._known
        if known is None or self._monotonic() - known[0] > self._every_s:
            body = self._http.json("GET", "/extensions")
            known = (self._monotonic(), frozenset(entry["alias"] for entry in body["extensions"]))
            self._known = known
        return alias in known[1]


class Chooser:
    """Networks, ports and security groups as the user sees them."""

    def __init__(self, http: Connection, extensions: Extensions) -> None:
        self._http = http
        self._extensions = extensions

    def networks(self, ctx: Context, ids: Collection[str] = ()) -> list[Network]:
        """These networks as far as the user sees them, or all he may attach to."""
        if ids:
            return self._networks(ctx, [("id", network_id) for network_id in sorted(set(ids))])
        found = self._networks(ctx, [("project_id", ctx.project_id or ""), ("shared", "False")])
        found += self._networks(ctx, [("shared", "True")])
        return found

    def seen(self, ctx: Context) -> list[Network]:
        """All networks that the user sees."""
        return self._networks(ctx, [])

    def _networks(self, ctx: Context, filters: Sequence[tuple[str, str]]) -> list[Network]:
        body = self._http.json("GET", "/networks", ctx=ctx, params=list(filters))
        return [wire.network(entry) for entry in body["networks"]]

    def chosen_network(
        self, ctx: Context, choice: NetworkChoice, project_id: str, *, make: bool
    ) -> str | None:
        """The network of a request that names none; None: no NIC. With `make` Neutron may build one.

        Raises: NetworkAmbiguous, UnableToAutoAllocateNetwork.
        """
        available = [network for network in self.networks(ctx) if network.admin_state_up]
        if len(available) > 1:
            raise errors.NetworkAmbiguous
        if available:
            return available[0].id
        if choice is not NetworkChoice.AUTO:
            return None
        if not self._extensions.has(AUTO_TOPOLOGY):
            raise errors.UnableToAutoAllocateNetwork(project_id=project_id)
        path = f"/{AUTO_TOPOLOGY}/{project_id}"
        try:
            # Compat: asked with the field "dry-run", Neutron only says whether it could.
            if make:
                answer = self._http.json("GET", path, ctx=ctx, timeout_s=_MAKING_TIMEOUT_S)
            else:
                answer = self._http.json("GET", path, ctx=ctx, params={"fields": "dry-run"})
        except (service_errors.Conflict, service_errors.NotFound, service_errors.Rejected) as error:
            raise errors.UnableToAutoAllocateNetwork(project_id=project_id) from error
        return str(answer["auto_allocated_topology"]["id"])

    def check(self, ctx: Context, nics: Sequence[NicRequest], *, may_attach_external: bool) -> None:
        """Raises what `Neutron.validate_networks` says."""
        seen: set[str] = set()
        for nic in nics:
            if nic.port_id is None:
                continue
            if nic.port_id in seen:
                raise errors.PortInUse(port_id=nic.port_id)
            seen.add(nic.port_id)
            self._check_port(self.users_port(ctx, nic.port_id))
        wanted = {nic.network_id for nic in nics if nic.port_id is None and nic.network_id}
        self.check_networks(ctx, wanted, may_attach_external=may_attach_external)
        for nic in nics:
            if nic.port_id is None and nic.network_id and nic.fixed_ip:
                self._check_address(ctx, nic.network_id, nic.fixed_ip)

    def check_networks(
        self, ctx: Context, ids: Collection[str], *, may_attach_external: bool
    ) -> Mapping[str, Network]:
        """The networks by id. Raises: NetworkNotFound, NetworkRequiresSubnet, ExternalNetwork..."""
        networks = {network.id: network for network in self.networks(ctx, ids)} if ids else {}
        missing = sorted(set(ids) - set(networks))
        if missing:
            raise errors.NetworkNotFound(network_id=", ".join(missing))
        for network in networks.values():
            if network.is_external and not network.is_shared and not may_attach_external:
                raise errors.ExternalNetworkAttachForbidden(network_id=network.id)
            if not network.subnet_ids and network.port_security:
                raise errors.NetworkRequiresSubnet(network_id=network.id)
        return networks

    def users_port(self, ctx: Context, port_id: str) -> Port:
        """A port the user sees. Raises: PortNotFound."""
        try:
            return wire.port(self._http.json("GET", f"/ports/{port_id}", ctx=ctx)["port"])
        except service_errors.NotFound as error:
            raise errors.PortNotFound(port_id=port_id) from error

    @staticmethod
    def _check_port(port: Port) -> None:
        if port.device_id:
            raise errors.PortInUse(port_id=port.id)
        # Addresses of a "deferred" port come when it is bound (routed networks).
        if not port.fixed_ips and port.ip_allocation not in {"deferred", "none"}:
            raise errors.PortRequiresFixedIP(port_id=port.id)

    def _check_address(self, ctx: Context, network_id: str, address: str) -> None:
        body = self._http.json(
            "GET",
            "/ports",
            ctx=ctx,
            params=[
                ("network_id", network_id),
                ("fixed_ips", f"ip_address={address}"),
                ("fields", "device_id"),
            ],
        )
        if any(entry.get("device_id") for entry in body["ports"]):
            raise errors.FixedIpAlreadyInUse(address=address)

    def affordable(self, project_id: str, count: int, ports_each: int) -> int:
        """For how many of `count` servers the port quota suffices, asked on the service account."""
        if ports_each == 0:
            return count
        body = self._http.json("GET", f"/quotas/{project_id}/details.json")
        quota = body["quota"]["port"]
        if quota["limit"] < 0:
            return count
        free = max(0, quota["limit"] - quota["used"] - quota["reserved"])
        return min(count, int(free) // ports_each)

    def security_groups(self, ctx: Context, project_id: str, wanted: Sequence[str]) -> list[SecurityGroup]:
        """The project's groups by name or id, in the order asked for.

        Raises: SecurityGroupNotFound, NoUniqueMatch.
        """
        if not wanted:
            return []
        body = self._http.json(
            "GET",
            "/security-groups",
            ctx=ctx,
            params=[
                ("project_id", project_id),
                ("fields", "id"),
                ("fields", "name"),
                ("fields", "project_id"),
            ],
        )
        groups = [wire.security_group(entry) for entry in body["security_groups"]]
        return [_match(groups, name_or_id) for name_or_id in dict.fromkeys(wanted)]


def _match(groups: Sequence[SecurityGroup], name_or_id: str) -> SecurityGroup:
    by_id = [group for group in groups if group.id == name_or_id]
    matches = by_id or [group for group in groups if group.name == name_or_id]
    if not matches:
        raise errors.SecurityGroupNotFound(security_group_id=name_or_id)
    if len(matches) > 1:
        raise errors.NoUniqueMatch(name=name_or_id)
    return matches[0]


def ports_needed(requests: NicRequests, *, has_network: bool) -> int:
    """How many ports one server takes out of the quota: the user's own ports are counted already."""
    if requests.choice is NetworkChoice.GIVEN:
        return sum(nic.port_id is None for nic in requests.nics)
    return int(has_network)
