"""Neutron over HTTP. See `interface.py` for what each call promises."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from oslo_config import cfg

from openkeel.clients import errors as service_errors
from openkeel.clients.neutron import network_info as model
from openkeel.clients.neutron import wire
from openkeel.clients.neutron.choice import Chooser, Extensions, ports_needed
from openkeel.clients.neutron.floating_ips import FloatingIps
from openkeel.clients.neutron.groups import SecurityGroups
from openkeel.clients.neutron.ports import PortBinder
from openkeel.clients.neutron.types import (
    BoundPort,
    Network,
    NetworkChoice,
    NetworkFacts,
    NicRequests,
    Port,
    PortOwner,
    SecurityGroup,
)
from openkeel.clients.session import Connection, connect
from openkeel.common.context import Context
from openkeel.domain import errors

_IDS_PER_URL: Final = 100


class NeutronClient:
    """The `Neutron` interface on a connection."""

    def __init__(
        self, connection: Connection, *, ovs_bridge: str = "br-int", extension_sync_interval_s: float = 600
    ) -> None:
        self._http = connection
        self._ovs_bridge = ovs_bridge
        self._extensions = Extensions(connection, extension_sync_interval_s)
        self._chooser = Chooser(connection, self._extensions)
        self._ports = PortBinder(connection, self._chooser, self._extensions)
        self.groups = SecurityGroups(connection)
        self.floating_ips = FloatingIps(connection)

    # Asked as the user

    def validate_networks(
        self, ctx: Context, requests: NicRequests, count: int, *, may_attach_external: bool = False
    ) -> int:
        project_id = ctx.project_id or ""
        network_id: str | None = None
        if requests.choice is NetworkChoice.GIVEN:
            self._chooser.check(ctx, requests.nics, may_attach_external=may_attach_external)
        elif requests.choice is not NetworkChoice.NONE:
            network_id = self._chooser.chosen_network(ctx, requests.choice, project_id, make=False)
        needed = ports_needed(requests, has_network=network_id is not None)
        return self._chooser.affordable(project_id, count, needed)

    def network_facts(self, ctx: Context, requests: NicRequests) -> NetworkFacts:  # noqa: ARG002 as below
        if requests.choice is not NetworkChoice.GIVEN:
            return NetworkFacts()
        # Physical networks and resource requests are shown to administrators only.
        ports: list[Port] = []
        for nic in requests.nics:
            if nic.port_id is not None:
                port = self._ports.find(nic.port_id)
                if port is None:
                    raise errors.PortNotFound(port_id=nic.port_id)
                ports.append(port)
        ids = {port.network_id for port in ports}
        ids |= {nic.network_id for nic in requests.nics if nic.port_id is None and nic.network_id}
        networks = self._networks(ids)
        missing = sorted(ids - set(networks))
        if missing:
            raise errors.NetworkNotFound(network_id=", ".join(missing))
        return NetworkFacts(
            physnets=frozenset(one.physical_network for one in networks.values() if one.physical_network),
            tunneled=any(one.network_type in wire.TUNNELS for one in networks.values()),
            resources=tuple(port.resources for port in ports if port.resources is not None),
        )

    def find_security_group(self, ctx: Context, name_or_id: str) -> SecurityGroup:
        return self._chooser.security_groups(ctx, ctx.project_id or "", [name_or_id])[0]

    def list_networks(self, ctx: Context, ids: Collection[str] = ()) -> Sequence[Network]:
        return self._chooser.networks(ctx, ids)

    def networks_seen(self, ctx: Context) -> Sequence[Network]:
        return self._chooser.seen(ctx)

    # Ports of servers

    def bind_ports(
        self,
        ctx: Context,
        owner: PortOwner,
        requests: NicRequests,
        security_groups: Sequence[str] = (),
    ) -> Sequence[BoundPort]:
        return self._ports.bind(ctx, owner, requests, security_groups)

    def release_ports(
        self,
        ctx: Context,  # noqa: ARG002 the interface's: who asked, for a client that acts as the user
        instance_uuid: str,
        *,
        keep: Collection[str] = (),
    ) -> Sequence[str]:
        return self._ports.release(instance_uuid, keep)

    def find_port(self, ctx: Context, port_id: str) -> Port | None:  # noqa: ARG002 as above
        return self._ports.find(port_id)

    def list_ports(self, ctx: Context, instance_uuid: str) -> Sequence[Port]:  # noqa: ARG002 as above
        return self._ports.ports_of(instance_uuid)

    def security_groups_of(
        self,
        ctx: Context,  # noqa: ARG002 as above
        instance_uuids: Collection[str],
    ) -> Mapping[str, Sequence[str]]:
        groups: dict[str, list[str]] = defaultdict(list)  # Compat: once for each port that is in it
        for some in _batches(sorted(instance_uuids)):
            filters = [("fields", "device_id"), ("fields", "security_groups")]
            filters += [("device_id", one) for one in some]
            for port in self._http.json("GET", "/ports", params=filters)["ports"]:
                groups[port["device_id"]] += port["security_groups"]
        names: dict[str, str] = {}
        for some in _batches(sorted({group for one in groups.values() for group in one})):
            filters = [("fields", "id"), ("fields", "name"), *(("id", one) for one in some)]
            body = self._http.json("GET", "/security-groups", params=filters)
            names.update((group["id"], group["name"]) for group in body["security_groups"])
        return {
            uuid: [names[group] for group in one if group in names] for uuid, one in groups.items() if one
        }

    def network_info(
        self,
        ctx: Context,  # noqa: ARG002 as above
        instance_uuid: str,
        project_id: str,  # noqa: ARG002 as above
        *,
        previous: Sequence[Mapping[str, Any]] = (),
        order: Sequence[str] = (),
        keep: Collection[str] = (),
    ) -> list[dict[str, Any]]:
        ports = model.ordered(self._ports.ports_of(instance_uuid), previous, order)
        if not ports:
            return []
        return model.vifs(ports, self._surroundings(ports), previous=previous, keep=keep)

    # What lies around ports, a constant number of questions however many there are

    def _surroundings(self, ports: Sequence[Port]) -> model.Surroundings:
        network_ids = {port.network_id for port in ports}
        subnet_ids = {fixed.subnet_id for port in ports for fixed in port.fixed_ips}
        return model.Surroundings(
            networks=self._networks(network_ids),
            subnets=self._subnets(subnet_ids),
            dhcp_servers=self._dhcp_servers(network_ids) if subnet_ids else {},
            floating_ips=self._floating_ips(ports) if subnet_ids else {},
            default_bridge=self._ovs_bridge,
        )

    def _networks(self, ids: Collection[str]) -> dict[str, Network]:
        if not ids:
            return {}
        body = self._http.json("GET", "/networks", params=[("id", one) for one in sorted(ids)])
        return {entry["id"]: wire.network(entry) for entry in body["networks"]}

    def _subnets(self, ids: Collection[str]) -> dict[str, Mapping[str, Any]]:
        if not ids:
            return {}
        body = self._http.json("GET", "/subnets", params=[("id", one) for one in sorted(ids)])
        return {entry["id"]: entry for entry in body["subnets"]}

    def _dhcp_servers(self, network_ids: Collection[str]) -> dict[str, str]:
        filters = [
            ("device_owner", "network:dhcp"),
            ("fields", "fixed_ips"),
            *(("network_id", one) for one in sorted(network_ids)),
        ]
        body = self._http.json("GET", "/ports", params=filters)
        return {
            fixed["subnet_id"]: fixed["ip_address"] for entry in body["ports"] for fixed in entry["fixed_ips"]
        }

    def _floating_ips(self, ports: Sequence[Port]) -> dict[tuple[str, str], list[str]]:
        filters = [("port_id", port.id) for port in ports]
        try:
            body = self._http.json("GET", "/floatingips", params=filters)
        except service_errors.NotFound:
            return {}  # a Neutron without routers
        found: dict[tuple[str, str], list[str]] = defaultdict(list)
        for entry in body["floatingips"]:
            found[entry["port_id"], entry["fixed_ip_address"]].append(entry["floating_ip_address"])
        return found


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """Few enough at a time that the URL stays short."""
    for start in range(0, len(ids), _IDS_PER_URL):
        yield ids[start : start + _IDS_PER_URL]


def make_client(conf: cfg.ConfigOpts) -> NeutronClient:
    """The client that [neutron] describes."""
    return NeutronClient(
        connect(conf, "neutron", "Neutron", connect_retries=conf.neutron.http_retries, version_path="/v2.0"),
        ovs_bridge=conf.neutron.ovs_bridge,
        extension_sync_interval_s=conf.neutron.extension_sync_interval,
    )
