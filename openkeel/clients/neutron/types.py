"""Neutron's words: what NICs are wished for, ports, networks, security groups.

The network info that InstanceInfoCache keeps is not here: it is plain JSON, made in `network_info.py`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Self


class NetworkChoice(StrEnum):
    """How the NICs of a server are chosen."""

    GIVEN = "given"  # the request names networks or ports
    ANY = "any"  # nothing said: the one network there is, no NIC when there is none (up to 2.36)
    AUTO = "auto"  # "networks": "auto": the one network there is, or Neutron makes one
    NONE = "none"  # "networks": "none"


@dataclass(frozen=True, slots=True)
class NicRequest:
    """One NIC as the user asked for it: by network (with an address at will) or by port."""

    network_id: str | None = None
    fixed_ip: str | None = None
    port_id: str | None = None
    tag: str | None = None


@dataclass(frozen=True, slots=True)
class NicRequests:
    """All NICs of a server in their order."""

    choice: NetworkChoice
    nics: tuple[NicRequest, ...] = ()

    @classmethod
    def any(cls) -> Self:
        """Nothing was said about networks."""
        return cls(NetworkChoice.ANY)

    @classmethod
    def auto(cls) -> Self:
        """The user asked for a network to be found or made."""
        return cls(NetworkChoice.AUTO)

    @classmethod
    def none(cls) -> Self:
        """The user wants no NIC."""
        return cls(NetworkChoice.NONE)

    @classmethod
    def given(cls, nics: Iterable[NicRequest]) -> Self:
        """The user named networks or ports."""
        return cls(NetworkChoice.GIVEN, tuple(nics))

    @classmethod
    def from_object(cls, requested: Any | None) -> Self:
        """Read a NetworkRequestList as it travels by RPC; None or empty means nothing was said.

        Contract: NetworkRequest.network_id is "auto" or "none" for the two words of the API.
        """
        entries = [] if requested is None else list(requested.objects)
        if not entries:
            return cls.any()
        nics = tuple(
            NicRequest(
                network_id=_text(entry, "network_id"),
                fixed_ip=_text(entry, "address"),
                port_id=_text(entry, "port_id"),
                tag=_text(entry, "tag"),
            )
            for entry in entries
        )
        if len(nics) == 1 and nics[0].network_id in {NetworkChoice.AUTO, NetworkChoice.NONE}:
            return cls(NetworkChoice(nics[0].network_id))
        return cls.given(nics)

    @property
    def port_ids(self) -> frozenset[str]:
        """Ports that the user made: they outlive the server."""
        return frozenset(nic.port_id for nic in self.nics if nic.port_id)


def _text(entry: Any, name: str) -> str | None:
    """A field of a wire object as text; None when it is unset."""
    value = getattr(entry, name) if entry.obj_attr_is_set(name) else None
    return None if value is None else str(value)


UNBOUND: Final = "unbound"
BINDING_FAILED: Final = "binding_failed"


@dataclass(frozen=True, slots=True)
class FixedIp:
    """An address of a port."""

    subnet_id: str
    address: str


@dataclass(frozen=True, slots=True)
class PortResourceGroup:
    """Resources that one port wants from one provider. `id` is Neutron's name of the group."""

    id: str
    resources: Mapping[str, int]
    required: frozenset[str]


@dataclass(frozen=True, slots=True)
class PortResources:
    """What a port of the user wants of the host, for the scheduler."""

    port_id: str
    groups: tuple[PortResourceGroup, ...]
    same_subtree: frozenset[str] = frozenset()  # ids of groups that must lie under one provider


@dataclass(frozen=True, slots=True)
class Port:
    """A port as Neutron has it."""

    id: str
    network_id: str
    project_id: str
    mac_address: str
    status: str
    device_id: str
    device_owner: str
    admin_state_up: bool
    fixed_ips: tuple[FixedIp, ...]
    security_groups: tuple[str, ...]
    host: str | None
    vif_type: str
    vif_details: Mapping[str, Any]
    vnic_type: str
    profile: Mapping[str, Any]
    resources: PortResources | None = None
    ip_allocation: str | None = None
    created_at: str | None = None

    @property
    def is_active(self) -> bool:
        """Whether Neutron says that the wire is plugged."""
        return self.status == "ACTIVE"


@dataclass(frozen=True, slots=True)
class BoundPort:
    """A port that now belongs to a server on a host. `is_ours`: it dies with the server."""

    port: Port
    is_ours: bool
    tag: str | None = None


@dataclass(frozen=True, slots=True)
class PortOwner:
    """For whom ports are bound. `host` is `binding:host_id`."""

    instance_uuid: str
    project_id: str
    host: str
    availability_zone: str | None
    hostname: str | None = None


@dataclass(frozen=True, slots=True)
class Network:
    """A network as Neutron has it."""

    id: str
    name: str
    project_id: str
    subnet_ids: tuple[str, ...]
    is_shared: bool
    is_external: bool
    admin_state_up: bool
    mtu: int | None = None
    physical_network: str | None = None
    network_type: str | None = None
    port_security: bool = True


@dataclass(frozen=True, slots=True)
class SecurityGroup:
    """A security group's identity."""

    id: str
    name: str
    project_id: str


@dataclass(frozen=True, slots=True)
class SecurityGroupRule:
    """What a group lets in. Ports None: all; `protocol` None: every one."""

    id: str
    group_id: str
    ethertype: str
    protocol: str | None
    port_min: int | None
    port_max: int | None
    cidr: str | None
    remote_group_id: str | None


@dataclass(frozen=True, slots=True)
class SecurityGroupDetail:
    """A security group with its rules for what comes in."""

    id: str
    name: str
    project_id: str
    description: str
    rules: tuple[SecurityGroupRule, ...]


@dataclass(frozen=True, slots=True)
class FloatingIp:
    """An address of an external network, perhaps leading to a port."""

    id: str
    address: str
    network_id: str
    port_id: str | None
    fixed_address: str | None


@dataclass(frozen=True, slots=True)
class NetworkFacts:
    """What scheduling needs to know of the requested NICs."""

    physnets: frozenset[str] = frozenset()
    tunneled: bool = False
    resources: tuple[PortResources, ...] = ()
