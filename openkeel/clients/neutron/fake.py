"""A Neutron in memory: the service behind the real client.

`FakeNeutronServer` plays the part of Neutron's REST API that the client uses and keeps the rules it
depends on: what a project sees, quotas, addresses, binding on known hosts, status by plugging, errors
under Neutron's names. `FakeNeutron` is the client on such a server, so client code is always real.
"""

import itertools
import re
import threading
import uuid
from collections.abc import Callable, Iterable, Mapping
from ipaddress import ip_address, ip_network
from typing import Any, Final, NoReturn, cast

from openkeel.clients import errors
from openkeel.clients.faults import Faults
from openkeel.clients.neutron.client import NeutronClient
from openkeel.clients.neutron.fake_proxies import Filters, GroupsAndAddresses, Routes
from openkeel.clients.neutron.types import Port
from openkeel.clients.neutron.wire import port as port_from_wire
from openkeel.clients.session import DEFAULT_TIMEOUT_S, Connection
from openkeel.common.context import Context

Event = tuple[str, str, str]  # server uuid, event name, port id


class FakeNeutronServer(GroupsAndAddresses):
    """Stands where a `Connection` does. `faults` orders failures by "METHOD collection"."""

    service: Final = "Neutron"

    def __init__(
        self, *, hosts: Iterable[str] = ("node-1", "node-2"), extensions: Iterable[str] = ()
    ) -> None:
        super().__init__()
        self.faults = Faults()
        self.hosts = set(hosts)
        self.extensions = {"quota_details", "router", "port-security", "security-group", *extensions}
        self.port_limits: dict[str, int] = {}
        self.takes_s: dict[str, float] = {}  # by the first word of the path: how long an answer takes
        self.on_event: Callable[[Event], None] | None = None
        self._lock = threading.RLock()
        self._clock = itertools.count()
        self._networks: dict[str, dict[str, Any]] = {}
        self._subnets: dict[str, dict[str, Any]] = {}
        self._ports: dict[str, dict[str, Any]] = {}
        self._groups: dict[str, dict[str, Any]] = {}
        self._floating_ips: dict[str, dict[str, Any]] = {}
        self._routes: Routes = (
            ("GET", r"/extensions", self._list_extensions),
            ("GET", r"/networks", self._list_networks),
            ("GET", r"/subnets", self._list_subnets),
            ("GET", r"/floatingips", self._list_floating_ips),
            ("GET", r"/security-groups", self._list_groups),
            ("GET", r"/ports", self._list_ports),
            ("POST", r"/ports", self._create_port),
            ("GET", r"/ports/([^/]+)", self._show_port),
            ("PUT", r"/ports/([^/]+)", self._update_port),
            ("DELETE", r"/ports/([^/]+)", self._delete_port),
            ("GET", r"/quotas/([^/]+)/details\.json", self._show_quota),
            ("GET", r"/auto-allocated-topology/([^/]+)", self._auto_topology),
            *self._proxied(),
        )

    # What tests prepare and look at

    def add_network(
        self,
        name: str,
        project_id: str,
        *,
        cidr: str | None = "10.0.0.0/24",
        shared: bool = False,
        external: bool = False,
        port_security: bool = True,
        physical_network: str | None = None,
        mtu: int = 1442,
    ) -> str:
        """A network with one subnet (none without `cidr`). Returns: its id."""
        with self._lock:
            network_id = str(uuid.uuid4())
            subnets: list[str] = []
            if cidr is not None:
                subnet_id = str(uuid.uuid4())
                subnets.append(subnet_id)
                self._subnets[subnet_id] = {
                    "id": subnet_id,
                    "network_id": network_id,
                    "cidr": cidr,
                    "gateway_ip": str(next(ip_network(cidr).hosts())),
                    "dns_nameservers": ["9.9.9.9"],
                    "host_routes": [],
                    "ipv6_address_mode": None,
                }
            self._networks[network_id] = {
                "id": network_id,
                "name": name,
                "project_id": project_id,
                "subnets": subnets,
                "shared": shared,
                "router:external": external,
                "admin_state_up": True,
                "mtu": mtu,
                "port_security_enabled": port_security,
                "provider:network_type": "flat" if physical_network else "geneve",
                "provider:physical_network": physical_network,
            }
            return network_id

    def remove_network(self, network_id: str) -> None:
        """Take a network away."""
        with self._lock:
            del self._networks[network_id]

    def add_security_group(self, name: str, project_id: str) -> str:
        """Returns: its id."""
        with self._lock:
            group_id = str(uuid.uuid4())
            self._groups[group_id] = {"id": group_id, "name": name, "project_id": project_id}
            return group_id

    def add_port(self, network_id: str, project_id: str, **values: Any) -> str:
        """A port that a user made. Returns: its id."""
        body = {"network_id": network_id, "project_id": project_id, **values}
        created: dict[str, Any] = self._create_port(None, {}, {"port": body})["port"]
        return str(created["id"])

    def add_floating_ip(self, port_id: str, address: str) -> None:
        """Lead a floating address to the port's first fixed one."""
        with self._lock:
            self._floating_ips[address] = {
                "id": str(uuid.uuid4()),
                "project_id": self._ports[port_id]["project_id"],
                "floating_network_id": "",
                "port_id": port_id,
                "fixed_ip_address": self._ports[port_id]["fixed_ips"][0]["ip_address"],
                "floating_ip_address": address,
            }

    def ports(self) -> list[Port]:
        """Every port there is: no port of a server when nothing leaked."""
        with self._lock:
            return [port_from_wire(body) for body in self._ports.values()]

    def plug(self, port_id: str) -> None:
        """The wire is plugged at the bound host: the port goes ACTIVE and Nova hears of it."""
        self._set_status(port_id, "ACTIVE", "network-vif-plugged")

    def unplug(self, port_id: str) -> None:
        """The wire is gone."""
        self._set_status(port_id, "DOWN", "network-vif-unplugged")

    # The part of Connection that the client uses

    def request(
        self,
        method: str,
        path: str,
        *,
        ctx: Context | None = None,
        body: Any = None,
        params: Any = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        **_: Any,
    ) -> Any:
        """Answer one request; returns what the body of the answer would be."""
        word = path.split("/")[1]
        key = f"{method} {word}"
        self.faults.before(key)
        if self.takes_s.get(word, 0) > timeout_s:
            raise errors.Unavailable(service="Neutron", detail="it does not answer in time")
        filters: Filters = {}
        pairs = params.items() if isinstance(params, Mapping) else params or ()
        for name, value in pairs:
            filters.setdefault(name, []).append(str(value))
        user = ctx if ctx is not None and ctx.auth_token else None
        for verb, pattern, handler in self._routes:
            match = re.fullmatch(pattern, path)
            if match and verb == method:
                answer = handler(user, filters, body, *match.groups())
                self.faults.after(key)
                return answer
        return self._refuse(errors.NotFound, 404, "HTTPNotFound", path)

    json = request

    # Handlers: (user or None for the service account, filters, body, parts of the path)

    def _list_extensions(self, _user: Context | None, _filters: Filters, _body: Any) -> dict[str, Any]:
        return {"extensions": [{"alias": alias} for alias in sorted(self.extensions)]}

    def _list_networks(self, user: Context | None, filters: Filters, _body: Any) -> dict[str, Any]:
        with self._lock:
            shown = [dict(one) for one in self._networks.values() if self._sees_network(user, one)]
        if user is not None and not user.is_admin:
            for one in shown:
                del one["provider:network_type"], one["provider:physical_network"]
        return {"networks": _matching(shown, filters)}

    def _list_subnets(self, _user: Context | None, filters: Filters, _body: Any) -> dict[str, Any]:
        with self._lock:
            return {"subnets": _matching(self._subnets.values(), filters)}

    def _list_floating_ips(self, user: Context | None, filters: Filters, _body: Any) -> dict[str, Any]:
        if "router" not in self.extensions:
            self._refuse(errors.NotFound, 404, "HTTPNotFound", "floatingips")
        with self._lock:
            visible = [one for one in self._floating_ips.values() if self._owns(user, one)]
            return {"floatingips": _matching(visible, filters)}

    def _list_groups(self, user: Context | None, filters: Filters, _body: Any) -> dict[str, Any]:
        with self._lock:
            visible = [one for one in self._groups.values() if self._owns(user, one)]
        return {"security_groups": _matching(visible, filters)}

    def _list_ports(self, user: Context | None, filters: Filters, _body: Any) -> dict[str, Any]:
        addresses = {value.removeprefix("ip_address=") for value in filters.pop("fixed_ips", [])}
        with self._lock:
            visible = [self._port_view(user, one) for one in self._ports.values() if self._owns(user, one)]
        if addresses:
            visible = [
                one for one in visible if addresses & {fixed["ip_address"] for fixed in one["fixed_ips"]}
            ]
        return {"ports": _matching(visible, filters)}

    def _show_port(self, user: Context | None, _filters: Filters, _body: Any, port_id: str) -> dict[str, Any]:
        with self._lock:
            return {"port": self._port_view(user, self._port(user, port_id))}

    def _create_port(self, user: Context | None, _filters: Filters, body: Any) -> dict[str, Any]:
        wanted: dict[str, Any] = body["port"]
        with self._lock:
            network = self._networks.get(wanted["network_id"])
            if network is None or not self._sees_network(user, network):
                self._refuse(errors.NotFound, 404, "NetworkNotFound", wanted["network_id"])
            project_id = str(wanted.get("project_id") or (user.project_id if user else ""))
            limit = self.port_limits.get(project_id, -1)
            if 0 <= limit <= self._count(project_id):
                self._refuse(errors.OverQuota, 409, "OverQuota", "ports")
            port_id = str(uuid.uuid4())
            port: dict[str, Any] = {
                "id": port_id,
                "network_id": network["id"],
                "project_id": project_id,
                "mac_address": "fa:16:3e:" + ":".join(port_id[start : start + 2] for start in (0, 2, 4)),
                "status": "DOWN",
                "admin_state_up": wanted.get("admin_state_up", True),
                "device_id": wanted.get("device_id", ""),
                "device_owner": wanted.get("device_owner", ""),
                "fixed_ips": self._addresses(network, wanted.get("fixed_ips")),
                "security_groups": self._groups_for(wanted.get("security_groups")),
                "binding:host_id": "",
                "binding:vif_type": "unbound",
                "binding:vif_details": {},
                "binding:vnic_type": wanted.get("binding:vnic_type", "normal"),
                "binding:profile": {},
                "resource_request": wanted.get("resource_request"),
                "created_at": f"{next(self._clock):09d}",
            }
            self._ports[port_id] = port
            if wanted.get("binding:host_id"):
                self._bind(port, wanted["binding:host_id"])
            return {"port": self._port_view(user, port)}

    def _update_port(
        self, user: Context | None, _filters: Filters, body: Any, port_id: str
    ) -> dict[str, Any]:
        wanted = dict(body["port"])
        with self._lock:
            port = self._port(user, port_id)
            if user is not None and any(name.startswith("binding:") for name in wanted):
                self._refuse(errors.Forbidden, 403, "HTTPForbidden", "binding is for services")
            if "binding:host_id" in wanted:
                self._bind(port, wanted.pop("binding:host_id"))
            port.update(wanted)
            return {"port": self._port_view(user, port)}

    def _delete_port(self, user: Context | None, _filters: Filters, _body: Any, port_id: str) -> None:
        with self._lock:
            port = self._port(user, port_id)
            del self._ports[port_id]
            for address in [key for key, one in self._floating_ips.items() if one["port_id"] == port_id]:
                del self._floating_ips[address]
        self._tell(port, "network-vif-deleted")

    def _show_quota(
        self, _user: Context | None, _filters: Filters, _body: Any, project_id: str
    ) -> dict[str, Any]:
        with self._lock:
            used = self._count(project_id)
        return {
            "quota": {"port": {"limit": self.port_limits.get(project_id, -1), "used": used, "reserved": 0}}
        }

    def _auto_topology(
        self, user: Context | None, filters: Filters, _body: Any, project_id: str
    ) -> dict[str, Any]:
        external = [one for one in self._networks.values() if one["router:external"]]
        if not external:
            self._refuse(errors.Rejected, 400, "AutoAllocationFailure", "no external network")
        if filters.get("fields") == ["dry-run"]:
            return {"auto_allocated_topology": {"id": "dry-run=pass", "tenant_id": project_id}}
        owner = user.project_id if user is not None and user.project_id else project_id
        return {
            "auto_allocated_topology": {
                "id": self.add_network("auto_allocated_network", owner),
                "tenant_id": project_id,
            }
        }

    # Rules

    def _refuse(self, kind: type[errors.ServiceError], status: int, code: str, detail: str) -> NoReturn:
        raise kind(service=self.service, status=status, code=code, detail=detail)

    @staticmethod
    def _owns(user: Context | None, thing: Mapping[str, Any]) -> bool:
        return user is None or user.is_admin or thing["project_id"] == user.project_id

    def _sees_network(self, user: Context | None, network: Mapping[str, Any]) -> bool:
        return self._owns(user, network) or bool(network["shared"] or network["router:external"])

    def _port(self, user: Context | None, port_id: str) -> dict[str, Any]:
        port = self._ports.get(port_id)
        if port is None or not self._owns(user, port):
            self._refuse(errors.NotFound, 404, "PortNotFound", port_id)
        return port

    @staticmethod
    def _port_view(user: Context | None, port: Mapping[str, Any]) -> dict[str, Any]:
        hidden = user is not None and not user.is_admin
        admins = {"binding:host_id", "binding:vif_type", "binding:vif_details", "binding:profile"}
        return {
            key: value
            for key, value in port.items()
            if not (hidden and (key in admins or key == "resource_request"))
        }

    def _count(self, project_id: str) -> int:
        return sum(port["project_id"] == project_id for port in self._ports.values())

    def _groups_for(self, wanted: list[str] | None) -> list[str]:
        for group_id in wanted or ():
            if group_id not in self._groups:
                self._refuse(errors.NotFound, 404, "SecurityGroupNotFound", group_id)
        return list(wanted or ())

    def _addresses(
        self, network: Mapping[str, Any], wanted: list[dict[str, str]] | None
    ) -> list[dict[str, str]]:
        if not network["subnets"]:
            return []
        subnet = self._subnets[network["subnets"][0]]
        cidr = ip_network(subnet["cidr"])
        taken = {
            fixed["ip_address"]
            for port in self._ports.values()
            if port["network_id"] == network["id"]
            for fixed in port["fixed_ips"]
        } | {subnet["gateway_ip"]}
        if wanted:
            address = wanted[0]["ip_address"]
            if ip_address(address) not in cidr:
                self._refuse(errors.Rejected, 400, "InvalidIpForNetwork", address)
            if address in taken:
                self._refuse(errors.Conflict, 409, "IpAddressAlreadyAllocated", address)
        else:
            free = next((str(one) for one in cidr.hosts() if str(one) not in taken), None)
            if free is None:
                self._refuse(errors.Conflict, 409, "IpAddressGenerationFailure", network["id"])
            address = free
        return [{"subnet_id": subnet["id"], "ip_address": address}]

    def _cidr_of(self, network: Mapping[str, Any]) -> str:
        return str(self._subnets[network["subnets"][0]]["cidr"])

    def _bind(self, port: dict[str, Any], host: str) -> None:
        port["binding:host_id"] = host
        port["binding:vif_details"] = {}
        if not host:
            port["binding:vif_type"] = "unbound"
            port["status"] = "DOWN"
        elif host not in self.hosts:
            port["binding:vif_type"] = "binding_failed"
        else:
            port["binding:vif_type"] = "ovs"
            port["binding:vif_details"] = {
                "port_filter": True,
                "connectivity": "l2",
                "bridge_name": "br-int",
                "datapath_type": "netdev",
                "ovs_create_tap": True,
                "bound_drivers": {"0": "ovn"},
            }

    def _set_status(self, port_id: str, status: str, event: str) -> None:
        with self._lock:
            port = self._ports[port_id]
            port["status"] = status
        self._tell(port, event)

    def _tell(self, port: Mapping[str, Any], event: str) -> None:
        # Compat: Neutron tells Nova only of ports whose owner starts so.
        if self.on_event is not None and port["device_owner"].startswith("compute:") and port["device_id"]:
            self.on_event((port["device_id"], event, port["id"]))


class FakeNeutron(NeutronClient):
    """The client on a server in memory; tests prepare and look at `server`."""

    def __init__(self, server: FakeNeutronServer | None = None) -> None:
        self.server = server or FakeNeutronServer()
        super().__init__(cast(Connection, self.server))  # it answers what the client asks of one


def _matching(things: Iterable[Mapping[str, Any]], filters: Filters) -> list[dict[str, Any]]:
    """The things that match: equal to one of the values of every filter; `fields` does not filter."""
    wanted = {name: set(values) for name, values in filters.items() if name != "fields"}
    return [
        dict(thing)
        for thing in things
        if all(str(thing.get(name)) in values for name, values in wanted.items())
    ]
