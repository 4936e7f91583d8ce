"""Neutron's JSON to our types. Pure."""

from collections.abc import Mapping
from typing import Any, Final

from openkeel.clients.neutron.types import (
    UNBOUND,
    FixedIp,
    FloatingIp,
    Network,
    Port,
    PortResourceGroup,
    PortResources,
    SecurityGroup,
    SecurityGroupDetail,
    SecurityGroupRule,
)

TUNNELS: Final = frozenset({"geneve", "gre", "vxlan"})


def network(body: Mapping[str, Any]) -> Network:
    """A network; what only administrators see is None for others."""
    segment = _segment(body)
    return Network(
        id=body["id"],
        name=body.get("name") or "",
        project_id=body.get("project_id") or body.get("tenant_id") or "",
        subnet_ids=tuple(body.get("subnets") or ()),
        is_shared=bool(body.get("shared")),
        is_external=bool(body.get("router:external")),
        admin_state_up=bool(body.get("admin_state_up", True)),
        mtu=body.get("mtu"),
        physical_network=segment.get("provider:physical_network"),
        network_type=segment.get("provider:network_type"),
        port_security=bool(body.get("port_security_enabled", True)),
    )


def _segment(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Where the network lies: the segment with a physical network if there are several."""
    segments: list[Mapping[str, Any]] = body.get("segments") or [body]
    return next((one for one in segments if one.get("provider:physical_network")), segments[0])


def port(body: Mapping[str, Any]) -> Port:
    """A port; what only administrators see is empty for others."""
    return Port(
        id=body["id"],
        network_id=body["network_id"],
        project_id=body.get("project_id") or body.get("tenant_id") or "",
        mac_address=body["mac_address"],
        status=body.get("status") or "",
        device_id=body.get("device_id") or "",
        device_owner=body.get("device_owner") or "",
        admin_state_up=bool(body.get("admin_state_up", True)),
        fixed_ips=tuple(
            FixedIp(subnet_id=entry["subnet_id"], address=entry["ip_address"])
            for entry in body.get("fixed_ips") or ()
        ),
        security_groups=tuple(body.get("security_groups") or ()),
        host=body.get("binding:host_id") or None,
        vif_type=body.get("binding:vif_type") or UNBOUND,
        vif_details=body.get("binding:vif_details") or {},
        vnic_type=body.get("binding:vnic_type") or "normal",
        profile=body.get("binding:profile") or {},
        resources=_port_resources(body["id"], body.get("resource_request")),
        ip_allocation=body.get("ip_allocation"),
        created_at=body.get("created_at"),
    )


def _port_resources(port_id: str, request: Mapping[str, Any] | None) -> PortResources | None:
    """Both forms that Neutron has for it: groups, and the older single group."""
    if not request:
        return None
    groups = request.get("request_groups")
    if groups is None:
        groups = [{"id": port_id, **request}]
    return PortResources(
        port_id=port_id,
        groups=tuple(
            PortResourceGroup(
                id=group["id"],
                resources=dict(group["resources"]),
                required=frozenset(group.get("required") or ()),
            )
            for group in groups
        ),
        same_subtree=frozenset(request.get("same_subtree") or ()),
    )


def security_group(body: Mapping[str, Any]) -> SecurityGroup:
    """A security group's identity."""
    return SecurityGroup(
        id=body["id"],
        name=body["name"],
        project_id=body.get("project_id") or body.get("tenant_id") or "",
    )


def security_group_rule(body: Mapping[str, Any]) -> SecurityGroupRule:
    """A rule."""
    protocol = body.get("protocol")
    return SecurityGroupRule(
        id=body["id"],
        group_id=body["security_group_id"],
        ethertype=body.get("ethertype") or "IPv4",
        protocol=None if protocol is None else str(protocol),
        port_min=body.get("port_range_min"),
        port_max=body.get("port_range_max"),
        cidr=body.get("remote_ip_prefix"),
        remote_group_id=body.get("remote_group_id"),
    )


def security_group_detail(body: Mapping[str, Any]) -> SecurityGroupDetail:
    """A group with its rules for what comes in."""
    return SecurityGroupDetail(
        id=body["id"],
        name=body.get("name") or "",
        project_id=body.get("project_id") or body.get("tenant_id") or "",
        description=body.get("description") or "",
        rules=tuple(
            security_group_rule(entry)
            for entry in body.get("security_group_rules") or ()
            if entry.get("direction") == "ingress"
        ),
    )


def floating_ip(body: Mapping[str, Any]) -> FloatingIp:
    """A floating address."""
    return FloatingIp(
        id=body["id"],
        address=body["floating_ip_address"],
        network_id=body["floating_network_id"],
        port_id=body.get("port_id") or None,
        fixed_address=body.get("fixed_ip_address") or None,
    )
