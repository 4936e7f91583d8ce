"""Floating addresses over HTTP, as the user: for the proxies of the compute API."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from openkeel.clients.neutron import wire
from openkeel.clients.neutron.types import FloatingIp, Network, Port
from openkeel.clients.session import Connection
from openkeel.common.context import Context


class FloatingIps:
    """Raises everywhere: Unavailable; Forbidden, when Neutron does not let the user."""

    def __init__(self, http: Connection) -> None:
        self._http = http

    def pools(self, ctx: Context) -> Sequence[Network]:
        """Networks that floating addresses come from."""
        body = self._http.json("GET", "/networks", ctx=ctx, params=[("router:external", "True")])
        return [wire.network(entry) for entry in body["networks"]]

    def list(self, ctx: Context, address: str | None = None) -> Sequence[FloatingIp]:
        """The project's, or the one with an address."""
        filters = [("project_id", ctx.project_id or "")]
        if address is not None:
            filters.append(("floating_ip_address", address))
        body = self._http.json("GET", "/floatingips", ctx=ctx, params=filters)
        return [wire.floating_ip(entry) for entry in body["floatingips"]]

    def get(self, ctx: Context, floating_ip_id: str) -> FloatingIp:
        """Raises: NotFound."""
        return self._one("GET", ctx, floating_ip_id)

    def create(self, ctx: Context, network_id: str) -> FloatingIp:
        """Take one from a network. Raises: OverQuota; Conflict when none is left; Rejected."""
        body = {"floatingip": {"floating_network_id": network_id}}
        return wire.floating_ip(self._http.json("POST", "/floatingips", ctx=ctx, body=body)["floatingip"])

    def lead(
        self, ctx: Context, floating_ip_id: str, port_id: str | None, fixed_address: str | None = None
    ) -> FloatingIp:
        """Lead it to an address of a port, or nowhere. Raises: NotFound; Conflict; Rejected."""
        changes: dict[str, Any] = {"port_id": port_id}
        if port_id is not None:
            changes["fixed_ip_address"] = fixed_address
        return self._one("PUT", ctx, floating_ip_id, {"floatingip": changes})

    def delete(self, ctx: Context, floating_ip_id: str) -> None:
        """Give it back. Raises: NotFound."""
        self._http.json("DELETE", f"/floatingips/{floating_ip_id}", ctx=ctx)

    def _one(
        self, method: str, ctx: Context, floating_ip_id: str, body: Mapping[str, Any] | None = None
    ) -> FloatingIp:
        answer = self._http.json(method, f"/floatingips/{floating_ip_id}", ctx=ctx, body=body)
        return wire.floating_ip(answer["floatingip"])

    def ports(self, ctx: Context, ids: Collection[str]) -> Mapping[str, Port]:
        """Ports that floating addresses lead to, by id."""
        if not ids:
            return {}
        body = self._http.json("GET", "/ports", ctx=ctx, params=[("id", one) for one in sorted(set(ids))])
        return {entry["id"]: wire.port(entry) for entry in body["ports"]}

    def ports_of(self, ctx: Context, instance_uuid: str) -> Sequence[Port]:
        """Ports of a server in the order they were made."""
        body = self._http.json("GET", "/ports", ctx=ctx, params=[("device_id", instance_uuid)])
        entries = sorted(body["ports"], key=lambda entry: str(entry.get("created_at") or ""))
        return [wire.port(entry) for entry in entries]
