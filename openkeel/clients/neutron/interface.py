"""What callers may ask of Neutron. `client.NeutronClient` and `fake.FakeNeutron` answer it.

Questions and new ports are asked as the user of `ctx` (his visibility, his quota, his policy);
bindings, updates and deletes run on the service account, which has the service role that Neutron
wants for them. A `ctx` without a token means the service account for everything.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from openkeel.clients.neutron.floating_ips import FloatingIps
from openkeel.clients.neutron.groups import SecurityGroups
from openkeel.clients.neutron.types import (
    BoundPort,
    Network,
    NetworkFacts,
    NicRequests,
    Port,
    PortOwner,
    SecurityGroup,
)
from openkeel.common.context import Context


class Neutron(Protocol):
    """Raises everywhere: Unavailable."""

    groups: SecurityGroups
    floating_ips: FloatingIps

    def validate_networks(
        self,
        ctx: Context,
        requests: NicRequests,
        count: int,
        *,
        may_attach_external: bool = False,
    ) -> int:
        """Check what a boot request asks for, before anything is made.

        Returns: for how many of the `count` servers the project's port quota suffices.

        Raises: NetworkNotFound, NetworkAmbiguous, NetworkRequiresSubnet, UnableToAutoAllocateNetwork,
        ExternalNetworkAttachForbidden, PortNotFound, PortInUse, PortRequiresFixedIP, FixedIpInvalid,
        FixedIpAlreadyInUse.
        """

    def network_facts(self, ctx: Context, requests: NicRequests) -> NetworkFacts:
        """What the scheduler must know of these NICs. Raises: NetworkNotFound, PortNotFound."""

    def find_security_group(self, ctx: Context, name_or_id: str) -> SecurityGroup:
        """A group of the user's project. Raises: SecurityGroupNotFound, NoUniqueMatch."""

    def list_networks(self, ctx: Context, ids: Collection[str] = ()) -> Sequence[Network]:
        """Networks the user may attach to, or just these; absent ids are left out."""

    def networks_seen(self, ctx: Context) -> Sequence[Network]:
        """All networks that the user sees, those among them that only lead outside."""

    def bind_ports(
        self,
        ctx: Context,
        owner: PortOwner,
        requests: NicRequests,
        security_groups: Sequence[str] = (),
    ) -> Sequence[BoundPort]:
        """Make or take over the ports of a server and bind them on its host, in the order asked for.

        Called again (a restarted build, the next host) it goes on with the ports that are there.
        On failure everything that this call made is removed and the user's ports are let go.
        `security_groups` are ids or names and count for ports that we make.

        Raises: as `validate_networks`; PortLimitExceeded, NoMoreFixedIps, PortNotUsable,
        PortBindingFailed, SecurityGroupNotFound, NoUniqueMatch, SecurityGroupCannotBeApplied.
        """

    def release_ports(self, ctx: Context, instance_uuid: str, *, keep: Collection[str] = ()) -> Sequence[str]:
        """Delete the server's ports; those in `keep` (the user's own) are only let go.

        Idempotent. Returns: the ids of all ports that were released.
        """

    def find_port(self, ctx: Context, port_id: str) -> Port | None:
        """One port, with the rights of the service account."""

    def list_ports(self, ctx: Context, instance_uuid: str) -> Sequence[Port]:
        """The server's ports, with the rights of the service account."""

    def security_groups_of(
        self, ctx: Context, instance_uuids: Collection[str]
    ) -> Mapping[str, Sequence[str]]:
        """Names of the security groups on the ports of these servers; those without any are left out.

        A constant number of questions for every hundred servers.
        """

    def network_info(
        self,
        ctx: Context,
        instance_uuid: str,
        project_id: str,
        *,
        previous: Sequence[Mapping[str, Any]] = (),
        order: Sequence[str] = (),
        keep: Collection[str] = (),
    ) -> list[dict[str, Any]]:
        """The server's NICs in the form InstanceInfoCache.network_info keeps them.

        `previous` is the cached value: its order and its `preserve_on_delete` marks are kept; `order`
        (port ids) is the order of ports that are new, `keep` says which of them are the user's own.

        Contract: the network model of Nova: a list of VIFs, plain JSON.
        """
