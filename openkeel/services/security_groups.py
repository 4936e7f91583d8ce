"""Security groups as old clients of the compute API know them, and which of them a server is in.

The groups are Neutron's; asked with the user's own rights. Contract: the security group operations.
"""

import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from openkeel.clients.neutron.interface import Neutron
from openkeel.clients.neutron.types import SecurityGroup, SecurityGroupDetail, SecurityGroupRule
from openkeel.common.context import Context
from openkeel.domain.errors import Conflict, Forbidden, Invalid, NotFound

TCP_UDP: Final = frozenset({"tcp", "udp"})
ICMP: Final = "icmp"
ANY_IPV4, ANY_IPV6 = "0.0.0.0/0", "::/0"
_ALL: Final = -1  # old clients' word for every ICMP type and code
_MAX_PORT: Final = 65535
_MAX_ICMP: Final = 255


@dataclass(frozen=True, slots=True)
class RequestedRule:
    """A rule as old clients ask for it, nothing of it checked."""

    group_id: str
    protocol: Any = None
    from_port: Any = None
    to_port: Any = None
    cidr: Any = None
    remote_group_id: str | None = None


@dataclass(frozen=True, slots=True)
class ShownRule:
    """A rule in the words of old clients; `remote` is the group it lets in."""

    id: str
    group_id: str
    protocol: str | None
    from_port: int | None
    to_port: int | None
    cidr: str | None
    remote: SecurityGroup | None


@dataclass(frozen=True, slots=True)
class ShownGroup:
    """A group in the words of old clients."""

    id: str
    name: str
    description: str
    project_id: str
    rules: Sequence[ShownRule]


class SecurityGroupService:
    """The use cases of security groups."""

    def __init__(self, neutron: Neutron) -> None:
        self._neutron = neutron

    # Groups

    def of_project(self, ctx: Context, *, all_projects: bool = False) -> list[ShownGroup]:
        """The project's groups by name; all for an administrator who says so."""
        wanted = None if all_projects and ctx.is_admin else ctx.project_id
        groups = self._neutron.groups.list(ctx, wanted)
        ordered = sorted(groups, key=lambda group: (group.project_id, group.name))
        return self._shown(ctx, ordered)

    def get(self, ctx: Context, group_id: str) -> ShownGroup:
        """Raises: SecurityGroupNotFound."""
        return self._shown(ctx, [self._neutron.groups.get(ctx, group_id)])[0]

    def create(self, ctx: Context, name: str, description: str) -> ShownGroup:
        """Raises: Forbidden, when the quota or the name `default` is against it; Invalid."""
        try:
            created = self._neutron.groups.create(ctx, name, description)
        except Conflict as error:
            raise Forbidden(f"A security group {name} cannot be made: {error}") from error
        return self._shown(ctx, [created])[0]

    def update(self, ctx: Context, group_id: str, name: str, description: str) -> ShownGroup:
        """Raises: SecurityGroupNotFound; Conflict for the group `default`; Invalid."""
        return self._shown(ctx, [self._neutron.groups.update(ctx, group_id, name, description)])[0]

    def delete(self, ctx: Context, group_id: str) -> None:
        """Raises: SecurityGroupNotFound; Invalid while servers are in it."""
        try:
            self._neutron.groups.delete(ctx, group_id)
        except Conflict as error:
            raise Invalid(f"Security group {group_id} is in use.") from error

    # Rules

    def add_rule(self, ctx: Context, asked: RequestedRule) -> ShownRule:
        """Raises: SecurityGroupNotFound; Invalid; Forbidden, when the quota is against it."""
        group = self._neutron.groups.get(ctx, asked.group_id)
        if asked.remote_group_id is not None:
            self._neutron.groups.get(ctx, asked.remote_group_id)
        rule = checked(asked)
        if rule.cidr is not None and any(_lets_in_the_same(rule, other) for other in group.rules):
            raise Invalid(f"Security group {group.id} has such a rule already.")
        try:
            created = self._neutron.groups.create_rule(ctx, rule)
        except Conflict as error:
            raise Forbidden(f"The rule cannot be added to security group {group.id}: {error}") from error
        shown = self._rules(ctx, [created])
        return shown[0]

    def remove_rule(self, ctx: Context, rule_id: str) -> None:
        """Raises: NotFound."""
        self._neutron.groups.delete_rule(ctx, rule_id)

    # Servers

    def of_server(self, ctx: Context, instance_uuid: str) -> list[ShownGroup]:
        """The groups that the ports of a server are in."""
        by_port = self._neutron.groups.of_server(ctx, instance_uuid)
        ids = sorted({group for groups in by_port.values() for group in groups})
        return self._shown(ctx, self._neutron.groups.list(ctx, ids=ids))

    def put_in(self, ctx: Context, instance_uuid: str, name_or_id: str) -> None:
        """Put every port of a server into a group.

        Raises: SecurityGroupNotFound, NoUniqueMatch; NotFound, when there are no ports; Invalid, when
        they are in it already or cannot be in any.
        """
        group = self._neutron.find_security_group(ctx, name_or_id)
        ports = self._ports(ctx, instance_uuid)
        if all(group.id in groups for groups in ports.values()):
            raise Invalid(f"Server {instance_uuid} is in security group {name_or_id} already.")
        for port_id, groups in ports.items():
            if group.id not in groups:
                self._neutron.groups.set_port(ctx, port_id, [*groups, group.id])

    def take_out(self, ctx: Context, instance_uuid: str, name_or_id: str) -> None:
        """Take every port of a server out of a group. Raises: as `put_in`; NotFound, when none is in it."""
        group = self._neutron.find_security_group(ctx, name_or_id)
        ports = self._ports(ctx, instance_uuid)
        members = {port_id: groups for port_id, groups in ports.items() if group.id in groups}
        if not members:
            raise NotFound(f"Server {instance_uuid} is not in security group {name_or_id}.")
        for port_id, groups in members.items():
            self._neutron.groups.set_port(ctx, port_id, [one for one in groups if one != group.id])

    def _ports(self, ctx: Context, instance_uuid: str) -> Mapping[str, Sequence[str]]:
        ports = self._neutron.groups.of_server(ctx, instance_uuid)
        if not ports:
            raise NotFound(f"Server {instance_uuid} has no ports.")
        return ports

    # Words of old clients

    def _shown(self, ctx: Context, groups: Sequence[SecurityGroupDetail]) -> list[ShownGroup]:
        rules = self._rules(ctx, [rule for group in groups for rule in group.rules])
        return [
            ShownGroup(
                id=group.id,
                name=group.name,
                description=group.description,
                project_id=group.project_id,
                rules=[rule for rule in rules if rule.group_id == group.id],
            )
            for group in groups
        ]

    def _rules(self, ctx: Context, rules: Sequence[SecurityGroupRule]) -> list[ShownRule]:
        """Rules with the groups they let in, asked for once; those of groups out of sight are left out."""
        ids = sorted({rule.remote_group_id for rule in rules if rule.remote_group_id})
        remotes = {
            group.id: SecurityGroup(group.id, group.name, group.project_id)
            for group in self._neutron.groups.list(ctx, ids=ids)
        }
        return [
            ShownRule(
                id=rule.id,
                group_id=rule.group_id,
                protocol=rule.protocol,
                from_port=_ports_of(rule)[0],
                to_port=_ports_of(rule)[1],
                cidr=_cidr_of(rule),
                remote=remotes.get(rule.remote_group_id or ""),
            )
            for rule in rules
            if rule.remote_group_id is None or rule.remote_group_id in remotes
        ]


def _ports_of(rule: SecurityGroupRule) -> tuple[int | None, int | None]:
    if rule.protocol is None or rule.port_min is not None or rule.port_max is not None:
        return rule.port_min, rule.port_max
    return (1, _MAX_PORT) if rule.protocol.lower() in TCP_UDP else (_ALL, _ALL)


def _cidr_of(rule: SecurityGroupRule) -> str | None:
    if rule.remote_group_id is not None:
        return None
    return rule.cidr or (ANY_IPV6 if rule.ethertype == "IPv6" else ANY_IPV4)


def _lets_in_the_same(rule: SecurityGroupRule, other: SecurityGroupRule) -> bool:
    return (
        _cidr_of(rule) == _cidr_of(other)
        and rule.protocol == other.protocol
        and _ports_of(rule) == _ports_of(other)
    )


def checked(asked: RequestedRule) -> SecurityGroupRule:
    """The rule in Neutron's words. Raises: Invalid."""
    cidr, ethertype = None, "IPv4"
    if asked.remote_group_id is None:
        cidr = str(asked.cidr or ANY_IPV4)
        ethertype = f"IPv{_network(cidr).version}"
    everything = asked.protocol is None and asked.from_port is None and asked.to_port is None
    if everything and asked.remote_group_id is not None:
        protocol, port_min, port_max = None, None, None
    else:
        protocol, port_min, port_max = _protocol_and_ports(asked)
    return SecurityGroupRule(
        id="",
        group_id=asked.group_id,
        ethertype=ethertype,
        protocol=protocol,
        port_min=port_min,
        port_max=port_max,
        cidr=cidr,
        remote_group_id=asked.remote_group_id,
    )


def _network(cidr: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    """Compat: a length is needed; the address need not be the first of the range."""
    try:
        if "/" in cidr:
            return ipaddress.ip_network(cidr, strict=False)
    except ValueError as error:
        raise Invalid(f"{cidr!r} is no range of addresses.") from error
    raise Invalid(f"{cidr!r} is one address, not a range.")


def _protocol_and_ports(asked: RequestedRule) -> tuple[str, int | None, int | None]:
    protocol = str(asked.protocol or "").lower()
    if protocol not in TCP_UDP | {ICMP}:
        raise Invalid(f"The protocol must be tcp, udp or icmp, not {asked.protocol!r}.")
    low, high = _number("from_port", asked.from_port), _number("to_port", asked.to_port)
    if protocol == ICMP:
        if not (_ALL <= low <= _MAX_ICMP and _ALL <= high <= _MAX_ICMP):
            raise Invalid(f"ICMP types and codes are between {_ALL} and {_MAX_ICMP}.")
        return protocol, None if low == _ALL else low, None if high == _ALL else high
    if not 1 <= low <= high <= _MAX_PORT:
        raise Invalid(f"Ports are between 1 and {_MAX_PORT}, and from_port not above to_port.")
    return protocol, low, high


def _number(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise Invalid(f"{name} must be a whole number, not {value!r}.")
    try:
        return int(value)
    except ValueError as error:
        raise Invalid(f"{name} must be a whole number, not {value!r}.") from error
