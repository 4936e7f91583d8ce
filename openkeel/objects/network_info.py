"""The NICs of a server as its info cache keeps them: a list of plain interface dicts.

Contract: InstanceInfoCache.network_info, whose JSON form old and new daemons share in the database
and on the wire. The keys are the contract, so they stay a dict; `vif` builds one with all of them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self


class NetworkInfo(list[dict[str, Any]]):
    """Interfaces in the order in which the guest sees them."""

    @classmethod
    def from_json(cls, text: str | None) -> Self:
        """What the database column or the wire holds; None and "" are no interfaces."""
        return cls(json.loads(text)) if text else cls()

    def to_json(self) -> str:
        return json.dumps(self)

    def find(self, port_id: str) -> dict[str, Any] | None:
        """The interface of this port, if there is one."""
        return next((vif for vif in self if vif["id"] == port_id), None)


def fixed_ips(vif: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The fixed addresses of one interface: dicts with `address`, `version`, `floating_ips`."""
    network = vif.get("network") or {}
    for subnet in network.get("subnets", ()):
        yield from subnet.get("ips", ())


def vif(
    port_id: str,
    mac_address: str,
    network: Mapping[str, Any],
    *,
    vif_type: str | None,
    vnic_type: str = "normal",
    details: Mapping[str, Any] | None = None,
    profile: Mapping[str, Any] | None = None,
    devname: str | None = None,
    is_active: bool = False,
    preserve_on_delete: bool = False,
) -> dict[str, Any]:
    """One interface. `network` is made by `network()`."""
    return {
        "id": port_id,
        "address": mac_address,
        "network": dict(network),
        "type": vif_type,
        "details": dict(details or {}),
        "devname": devname or f"tap{port_id}"[:14],
        "ovs_interfaceid": port_id if vif_type == "ovs" else None,
        "qbh_params": None,
        "qbg_params": None,
        "active": is_active,
        "vnic_type": vnic_type,
        "profile": dict(profile or {}),
        "preserve_on_delete": preserve_on_delete,
        "delegate_create": True,
        "meta": {},
    }


def network(
    network_id: str,
    label: str,
    *,
    bridge: str | None,
    project_id: str | None,
    subnets: Sequence[Mapping[str, Any]],
    mtu: int | None = None,
    is_tunneled: bool = False,
    physical_network: str | None = None,
) -> dict[str, Any]:
    """The network of one interface. `subnets` are made by `subnet()`."""
    meta = {
        "injected": False,
        "tenant_id": project_id,
        "mtu": mtu,
        "physical_network": physical_network,
        "tunneled": is_tunneled,
    }
    return {
        "id": network_id,
        "bridge": bridge,
        "label": label,
        "subnets": [dict(item) for item in subnets],
        "meta": meta,
    }


def subnet(
    cidr: str,
    *,
    gateway: str | None = None,
    dns: Sequence[str] = (),
    routes: Sequence[tuple[str, str]] = (),
    addresses: Sequence[str] = (),
    floating: Mapping[str, Sequence[str]] | None = None,
    dhcp_server: str | None = None,
) -> dict[str, Any]:
    """One subnet with the fixed addresses the interface has in it.

    `routes` are pairs (destination cidr, next hop); `floating` names the outer addresses of a fixed one.
    """
    version = 6 if ":" in cidr else 4

    def address(value: str, kind: str) -> dict[str, Any]:
        return {"address": value, "type": kind, "version": 6 if ":" in value else 4, "meta": {}}

    return {
        "cidr": cidr,
        "version": version,
        "gateway": address(gateway, "gateway") if gateway else None,
        "dns": [address(server, "dns") for server in dns],
        "routes": [
            {"cidr": target, "gateway": address(hop, "gateway"), "interface": None, "meta": {}}
            for target, hop in routes
        ],
        "ips": [
            {
                **address(value, "fixed"),
                "floating_ips": [address(outside, "floating") for outside in (floating or {}).get(value, ())],
            }
            for value in addresses
        ],
        "meta": {"dhcp_server": dhcp_server} if dhcp_server else {},
    }
