"""Security groups over HTTP, as the user: for the proxies of the compute API."""

from collections.abc import Mapping, Sequence
from typing import Any

from openkeel.clients import errors as service_errors
from openkeel.clients.neutron import wire
from openkeel.clients.neutron.types import SecurityGroupDetail, SecurityGroupRule
from openkeel.clients.session import Connection
from openkeel.common.context import Context
from openkeel.domain import errors


class SecurityGroups:
    """Raises everywhere: Unavailable; Forbidden, when Neutron does not let the user."""

    def __init__(self, http: Connection) -> None:
        self._http = http

    def list(
        self, ctx: Context, project_id: str | None = None, ids: Sequence[str] | None = None
    ) -> Sequence[SecurityGroupDetail]:
        """Groups of a project, or these as far as the user sees them, or all he sees."""
        if ids is not None and not ids:
            return []
        filters = [("id", one) for one in ids or ()]
        if project_id is not None:
            filters.append(("project_id", project_id))
        body = self._http.json("GET", "/security-groups", ctx=ctx, params=filters)
        return [wire.security_group_detail(entry) for entry in body["security_groups"]]

    def get(self, ctx: Context, group_id: str) -> SecurityGroupDetail:
        """Raises: SecurityGroupNotFound."""
        return self._one("GET", ctx, group_id)

    def create(self, ctx: Context, name: str, description: str) -> SecurityGroupDetail:
        """Raises: OverQuota; Conflict for the name `default`; Rejected."""
        body = self._http.json(
            "POST",
            "/security-groups",
            ctx=ctx,
            body={"security_group": {"name": name, "description": description}},
        )
        return wire.security_group_detail(body["security_group"])

    def update(self, ctx: Context, group_id: str, name: str, description: str) -> SecurityGroupDetail:
        """Raises: SecurityGroupNotFound; Conflict; Rejected."""
        changes = {"security_group": {"name": name, "description": description}}
        return self._one("PUT", ctx, group_id, changes)

    def delete(self, ctx: Context, group_id: str) -> None:
        """Raises: SecurityGroupNotFound; Conflict while ports are in it."""
        self._one("DELETE", ctx, group_id)

    def _one(self, method: str, ctx: Context, group_id: str, body: Any = None) -> SecurityGroupDetail:
        try:
            answer = self._http.json(method, f"/security-groups/{group_id}", ctx=ctx, body=body)
        except service_errors.NotFound as error:
            raise errors.SecurityGroupNotFound(security_group_id=group_id) from error
        return wire.security_group_detail(answer["security_group"] if answer else {"id": group_id})

    # Rules

    def create_rule(self, ctx: Context, rule: SecurityGroupRule) -> SecurityGroupRule:
        """Let more in; the id of `rule` is not looked at. Raises: OverQuota; Conflict; Rejected."""
        wanted = {
            "direction": "ingress",
            "security_group_id": rule.group_id,
            "ethertype": rule.ethertype,
            "protocol": rule.protocol,
            "port_range_min": rule.port_min,
            "port_range_max": rule.port_max,
            "remote_ip_prefix": rule.cidr,
            "remote_group_id": rule.remote_group_id,
        }
        given = {name: value for name, value in wanted.items() if value is not None}
        body = self._http.json("POST", "/security-group-rules", ctx=ctx, body={"security_group_rule": given})
        return wire.security_group_rule(body["security_group_rule"])

    def delete_rule(self, ctx: Context, rule_id: str) -> None:
        """Raises: NotFound."""
        self._http.json("DELETE", f"/security-group-rules/{rule_id}", ctx=ctx)

    # Members

    def of_server(self, ctx: Context, instance_uuid: str) -> Mapping[str, Sequence[str]]:
        """The groups of each port of a server: ids by port."""
        filters = [("device_id", instance_uuid), ("fields", "id"), ("fields", "security_groups")]
        body = self._http.json("GET", "/ports", ctx=ctx, params=filters)
        return {entry["id"]: tuple(entry.get("security_groups") or ()) for entry in body["ports"]}

    def set_port(self, ctx: Context, port_id: str, groups: Sequence[str]) -> None:
        """Have a port in just these groups. Raises: Rejected, when it cannot be in any."""
        self._http.json("PUT", f"/ports/{port_id}", ctx=ctx, body={"port": {"security_groups": [*groups]}})
