"""NICs and security groups of a new server, in the words of the wire and of the scheduler."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from oslo_utils import uuidutils

from openkeel import objects
from openkeel.clients.neutron.interface import Neutron
from openkeel.clients.neutron.types import NetworkChoice, NetworkFacts, NicRequests
from openkeel.common.context import Context
from openkeel.domain.errors import Invalid, Unsupported

DEFAULT_GROUP: Final = "default"


@dataclass(frozen=True, slots=True)
class WantedResources:
    """What the ports of a server want of its host. `same_subtree`: groups that belong together."""

    groups: tuple[objects.RequestGroup, ...] = ()
    same_subtree: tuple[tuple[str, ...], ...] = ()


def requested_networks(networks: NicRequests) -> objects.NetworkRequestList:
    """The wire form. Contract: NetworkRequest.network_id is "auto" or "none" for the two words."""
    if networks.choice in {NetworkChoice.AUTO, NetworkChoice.NONE}:
        return objects.NetworkRequestList(objects=[_nic(network_id=str(networks.choice))])
    return objects.NetworkRequestList(
        objects=[
            _nic(
                network_id=nic.network_id,
                address=nic.fixed_ip,
                port_id=nic.port_id,
                tag=nic.tag,
            )
            for nic in networks.nics
        ]
    )


def _nic(**values: Any) -> objects.NetworkRequest:
    known = dict.fromkeys(objects.NetworkRequest.fields)
    return objects.NetworkRequest(**{**known, **values})


def check_count(networks: NicRequests, count: int) -> None:
    """Several servers cannot share one port or one address. Raises: Invalid."""
    if count < 2:  # noqa: PLR2004
        return
    if any(nic.fixed_ip for nic in networks.nics):
        raise Invalid("A fixed IP address can be given to one server only.")
    if networks.port_ids:
        raise Invalid("A port can be given to one server only.")


def wanted_resources(facts: NetworkFacts, *, allowed: bool) -> WantedResources:
    """What the scheduler must find for the ports.

    Raises: Unsupported when a port wants resources and the request is of an older microversion.
    """
    if facts.resources and not allowed:
        raise Unsupported(
            "A port with a resource request can be used from microversion 2.72 on:"
            f" {', '.join(port.port_id for port in facts.resources)}"
        )
    return WantedResources(
        groups=tuple(
            objects.RequestGroup(
                requester_id=group.id,
                resources=dict(group.resources),
                required_traits=set(group.required),
            )
            for port in facts.resources
            for group in port.groups
            if group.resources
        ),
        same_subtree=tuple(tuple(sorted(port.same_subtree)) for port in facts.resources if port.same_subtree),
    )


def security_groups(neutron: Neutron, ctx: Context, names: Sequence[str]) -> objects.SecurityGroupList:
    """The groups by id; `default` stays a name, since Neutron makes it with the first port.

    Raises: SecurityGroupNotFound, NoUniqueMatch.
    """
    ids = [
        name if name == DEFAULT_GROUP else neutron.find_security_group(ctx, name).id
        for name in dict.fromkeys(names)
    ]
    return objects.SecurityGroupList(
        objects=[
            objects.SecurityGroup(uuid=group)
            if uuidutils.is_uuid_like(group)
            else objects.SecurityGroup(name=group)
            for group in dict.fromkeys(ids)
        ]
    )
