"""What the Neutron in memory answers about security groups and floating addresses."""

import threading
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from ipaddress import ip_network
from typing import Any, NoReturn

from openkeel.clients import errors
from openkeel.common.context import Context

Filters = dict[str, list[str]]
Routes = tuple[tuple[str, str, Callable[..., Any]], ...]


class GroupsAndAddresses(ABC):
    """Handlers over the tables of the server: (user or None for the service account, filters, body, ...)."""

    _lock: threading.RLock
    _networks: dict[str, dict[str, Any]]
    _ports: dict[str, dict[str, Any]]
    _groups: dict[str, dict[str, Any]]
    _floating_ips: dict[str, dict[str, Any]]

    def __init__(self) -> None:
        self.floating_ip_limit = -1

    def _proxied(self) -> Routes:
        return (
            ("POST", r"/security-groups", self._create_group),
            ("GET", r"/security-groups/([^/]+)", self._show_group),
            ("PUT", r"/security-groups/([^/]+)", self._update_group),
            ("DELETE", r"/security-groups/([^/]+)", self._delete_group),
            ("POST", r"/security-group-rules", self._create_rule),
            ("DELETE", r"/security-group-rules/([^/]+)", self._delete_rule),
            ("POST", r"/floatingips", self._create_floating_ip),
            ("GET", r"/floatingips/([^/]+)", self._show_floating_ip),
            ("PUT", r"/floatingips/([^/]+)", self._update_floating_ip),
            ("DELETE", r"/floatingips/([^/]+)", self._delete_floating_ip),
        )

    @abstractmethod
    def _refuse(self, kind: type[errors.ServiceError], status: int, code: str, detail: str) -> NoReturn: ...

    @staticmethod
    @abstractmethod
    def _owns(user: Context | None, thing: Mapping[str, Any]) -> bool: ...

    # Security groups

    def _group(self, user: Context | None, group_id: str) -> dict[str, Any]:
        group = self._groups.get(group_id)
        if group is None or not self._owns(user, group):
            self._refuse(errors.NotFound, 404, "SecurityGroupNotFound", group_id)
        return group

    def _show_group(
        self, user: Context | None, _filters: Filters, _body: Any, group_id: str
    ) -> dict[str, Any]:
        with self._lock:
            return {"security_group": dict(self._group(user, group_id))}

    def _create_group(self, user: Context | None, _filters: Filters, body: Any) -> dict[str, Any]:
        wanted = body["security_group"]
        if wanted["name"] == "default":
            self._refuse(errors.Conflict, 409, "SecurityGroupDefaultAlreadyExists", "default")
        group = {
            "id": str(uuid.uuid4()),
            "project_id": "" if user is None else user.project_id,
            "security_group_rules": [],
            **wanted,
        }
        with self._lock:
            self._groups[group["id"]] = group
        return {"security_group": dict(group)}

    def _update_group(self, user: Context | None, _filters: Filters, body: Any, group_id: str) -> Any:
        with self._lock:
            group = self._group(user, group_id)
            if "default" in {group["name"], body["security_group"]["name"]}:
                self._refuse(errors.Conflict, 409, "SecurityGroupCannotUpdateDefault", "default")
            group.update(body["security_group"])
            return {"security_group": dict(group)}

    def _delete_group(self, user: Context | None, _filters: Filters, _body: Any, group_id: str) -> None:
        with self._lock:
            self._group(user, group_id)
            if any(group_id in port["security_groups"] for port in self._ports.values()):
                self._refuse(errors.Conflict, 409, "SecurityGroupInUse", group_id)
            del self._groups[group_id]

    def _create_rule(self, user: Context | None, _filters: Filters, body: Any) -> dict[str, Any]:
        wanted = dict(body["security_group_rule"])
        with self._lock:
            rules = self._group(user, wanted["security_group_id"]).setdefault("security_group_rules", [])
            if any({**one, "id": None} == {**wanted, "id": None} for one in rules):
                self._refuse(errors.Conflict, 409, "SecurityGroupRuleExists", "the same rule")
            rule = {**wanted, "id": str(uuid.uuid4())}
            rules.append(rule)
            return {"security_group_rule": dict(rule)}

    def _delete_rule(self, user: Context | None, _filters: Filters, _body: Any, rule_id: str) -> None:
        with self._lock:
            for group in self._groups.values():
                for rule in group.get("security_group_rules", ()):
                    if rule["id"] == rule_id and self._owns(user, group):
                        group["security_group_rules"].remove(rule)
                        return
        self._refuse(errors.NotFound, 404, "SecurityGroupRuleNotFound", rule_id)

    # Floating addresses

    def _floating_ip(self, user: Context | None, floating_ip_id: str) -> dict[str, Any]:
        for one in self._floating_ips.values():
            if one["id"] == floating_ip_id and self._owns(user, one):
                return one
        return self._refuse(errors.NotFound, 404, "FloatingIPNotFound", floating_ip_id)

    def _show_floating_ip(self, user: Context | None, _filters: Filters, _body: Any, key: str) -> Any:
        with self._lock:
            return {"floatingip": dict(self._floating_ip(user, key))}

    def _create_floating_ip(self, user: Context | None, _filters: Filters, body: Any) -> Any:
        network = self._networks[body["floatingip"]["floating_network_id"]]
        with self._lock:
            if 0 <= self.floating_ip_limit <= len(self._floating_ips):
                self._refuse(errors.OverQuota, 409, "OverQuota", "floatingip")
            hosts: Iterable[Any] = ip_network(self._cidr_of(network)).hosts()
            taken = set(self._floating_ips)
            address = next((str(one) for one in hosts if str(one) not in taken), None)
            if address is None:
                self._refuse(errors.Conflict, 409, "IpAddressGenerationFailure", network["id"])
            floating = {
                "id": str(uuid.uuid4()),
                "project_id": "" if user is None else user.project_id,
                "floating_network_id": network["id"],
                "floating_ip_address": address,
                "port_id": None,
                "fixed_ip_address": None,
            }
            self._floating_ips[address] = floating
            return {"floatingip": dict(floating)}

    @abstractmethod
    def _cidr_of(self, network: Mapping[str, Any]) -> str: ...

    def _update_floating_ip(self, user: Context | None, _filters: Filters, body: Any, key: str) -> Any:
        wanted = body["floatingip"]
        with self._lock:
            floating = self._floating_ip(user, key)
            if wanted["port_id"] is not None and wanted["port_id"] not in self._ports:
                self._refuse(errors.NotFound, 404, "PortNotFound", wanted["port_id"])
            floating.update({"fixed_ip_address": None, **wanted})
            return {"floatingip": dict(floating)}

    def _delete_floating_ip(self, user: Context | None, _filters: Filters, _body: Any, key: str) -> None:
        with self._lock:
            del self._floating_ips[self._floating_ip(user, key)["floating_ip_address"]]
