"""The server's NICs as InstanceInfoCache.network_info keeps them: Nova's network model as plain JSON.

Contract: peers read and write this text, so every key is there, also those that mean nothing here.
Pure: the client fetches, this module shapes.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Any, Final

from openkeel.clients.neutron.types import Network, Port
from openkeel.clients.neutron.wire import TUNNELS

# Names of network devices in Linux have 15 characters at most; one is kept for other uses.
DEVICE_NAME_LENGTH: Final = 14


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What Neutron says about everything the ports touch."""

    networks: Mapping[str, Network]
    subnets: Mapping[str, Mapping[str, Any]]  # Neutron's own form, by id
    dhcp_servers: Mapping[str, str]  # by subnet id
    floating_ips: Mapping[tuple[str, str], Sequence[str]]  # by port id and fixed address
    default_bridge: str


def ordered(ports: Sequence[Port], previous: Sequence[Mapping[str, Any]], order: Sequence[str]) -> list[Port]:
    """The ports in the order of the cached value; new ones behind them as `order` says, then by age."""
    ranks = {
        port_id: rank for rank, port_id in enumerate(dict.fromkeys([*(v["id"] for v in previous), *order]))
    }
    return sorted(ports, key=lambda port: (ranks.get(port.id, len(ranks)), port.created_at or "", port.id))


def vifs(
    ports: Sequence[Port],
    around: Surroundings,
    *,
    previous: Sequence[Mapping[str, Any]] = (),
    keep: Collection[str] = (),
) -> list[dict[str, Any]]:
    """One entry per port whose network is known, in the order given."""
    kept = {vif["id"] for vif in previous if vif.get("preserve_on_delete")} | set(keep)
    return [
        _vif(port, around.networks[port.network_id], around, is_users_own=port.id in kept)
        for port in ports
        if port.network_id in around.networks
    ]


def _vif(port: Port, network: Network, around: Surroundings, *, is_users_own: bool) -> dict[str, Any]:
    bridge, interface_id = _plug(port, around)
    return {
        "id": port.id,
        "address": port.mac_address,
        "network": _network(port, network, around, bridge),
        "type": port.vif_type,
        "details": dict(port.vif_details),
        "devname": f"tap{port.id}"[:DEVICE_NAME_LENGTH],
        "ovs_interfaceid": interface_id,
        "qbh_params": None,
        "qbg_params": None,
        # A port that is administratively down never becomes ACTIVE: nobody shall wait for it.
        "active": port.is_active or not port.admin_state_up,
        "vnic_type": port.vnic_type,
        "profile": dict(port.profile),
        "preserve_on_delete": is_users_own,
        "delegate_create": True,
        "meta": {},
    }


def _plug(port: Port, around: Surroundings) -> tuple[str | None, str | None]:
    """Bridge and interface id, as far as the kind of port has them."""
    if port.vif_type == "ovs" or port.vif_details.get("vhostuser_ovs_plug"):
        return str(port.vif_details.get("bridge_name") or around.default_bridge), port.id
    if port.vif_type == "bridge":
        return f"brq{port.network_id}"[:DEVICE_NAME_LENGTH], None
    return None, None


def _network(port: Port, network: Network, around: Surroundings, bridge: str | None) -> dict[str, Any]:
    meta: dict[str, Any] = {"injected": False, "tenant_id": network.project_id, "mtu": network.mtu}
    if network.network_type is not None:
        meta["physical_network"] = network.physical_network
        meta["tunneled"] = network.network_type in TUNNELS
    return {
        "id": network.id,
        "bridge": bridge,
        "label": network.name,
        "subnets": [
            _subnet(port, around.subnets[subnet_id], around)
            for subnet_id in dict.fromkeys(fixed.subnet_id for fixed in port.fixed_ips)
            if subnet_id in around.subnets
        ],
        "meta": meta,
    }


def _subnet(port: Port, subnet: Mapping[str, Any], around: Surroundings) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    if subnet["id"] in around.dhcp_servers:
        meta["dhcp_server"] = around.dhcp_servers[subnet["id"]]
    if subnet.get("ipv6_address_mode"):
        meta["ipv6_address_mode"] = subnet["ipv6_address_mode"]
    return {
        "cidr": subnet["cidr"],
        "dns": [_ip(address, "dns") for address in subnet.get("dns_nameservers") or ()],
        "gateway": _ip(subnet.get("gateway_ip"), "gateway"),
        "ips": [
            {
                **_ip(fixed.address, "fixed"),
                "floating_ips": [
                    _ip(address, "floating")
                    for address in around.floating_ips.get((port.id, fixed.address), ())
                ],
            }
            for fixed in port.fixed_ips
            if fixed.subnet_id == subnet["id"]
        ],
        "routes": [
            {
                "cidr": route["destination"],
                "gateway": _ip(route["nexthop"], "gateway"),
                "interface": None,
                "meta": {},
            }
            for route in subnet.get("host_routes") or ()
        ],
        "version": ip_network(subnet["cidr"], strict=False).version,
        "meta": meta,
    }


def _ip(address: str | None, kind: str) -> dict[str, Any]:
    return {
        "address": address,
        "type": kind,
        "version": None if address is None else ip_address(address).version,
        "meta": {},
    }
