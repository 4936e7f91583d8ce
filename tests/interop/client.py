"""The compute API as a client sees it: raw bodies, so that what differs is seen, and waits."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from keystoneauth1 import exceptions
from keystoneauth1.identity import v3
from keystoneauth1.session import Session

from devstack.lib.site import PASSWORD, REGION, Site

MICROVERSION: Final = "2.104"
SETTLED: Final = frozenset({"ACTIVE", "ERROR"})
_RETRIES: Final = 5  # a busy machine lets a server reset a connection


def eventually(condition: Callable[[], Any], within_s: float, what: str = "", every_s: float = 0.5) -> Any:
    """The condition's value once it is true; the only wait of these tests."""
    deadline = time.monotonic() + within_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {within_s:.0f} s: {what or condition}")
        time.sleep(every_s)


def session(site: Site, project: str = "admin") -> Session:
    """Signed in to devstack's keystone."""
    auth = v3.Password(
        auth_url=site.url("keystone", "/v3"),
        username=project,
        password=PASSWORD,
        project_name=project,
        user_domain_name="Default",
        project_domain_name="Default",
    )
    return Session(auth=auth)


@dataclass(frozen=True)
class Client:
    """One project's compute API. Works the same whoever serves it."""

    session: Session
    site: Site

    @classmethod
    def of(cls, site: Site, project: str = "admin") -> "Client":
        return cls(session(site, project), site)

    # Plain requests

    def request(self, method: str, path: str, body: Any = None, version: str = MICROVERSION) -> Any:
        """The answer's body (None when empty). Raises keystoneauth's HttpError."""
        answer = self.session.request(
            f"/v2.1{path}",
            method,
            json=body,
            endpoint_override=self.site.url("compute"),
            headers={"OpenStack-API-Version": f"compute {version}"},
            connect_retries=_RETRIES if method == "GET" else 0,
        )
        return answer.json() if answer.content else None

    def get(self, path: str, version: str = MICROVERSION) -> Any:
        return self.request("GET", path, version=version)

    def other(self, service: str, path: str, method: str = "GET", version: str | None = None) -> Any:
        """The same of another service, by its type in the catalogue."""
        answer = self.session.request(
            path,
            method,
            endpoint_filter={"service_type": service, "region_name": REGION},
            headers={"OpenStack-API-Version": f"{service} {version}"} if version else {},
        )
        return answer.json() if answer.content else None

    # Servers

    def boot(self, name: str, *, host: str | None = None, wait: bool = True, **more: Any) -> dict[str, Any]:
        """A server with the smallest flavor, on a host if one is named."""
        server = {
            "name": name,
            "flavorRef": self.flavor("m1.tiny"),
            "imageRef": self.image("keel-test"),
            "networks": [{"uuid": self.network("private")}],
            **({"host": host} if host else {}),
            **more,
        }
        made = self.request("POST", "/servers", {"server": server})["server"]
        return self.await_status(made["id"], "ACTIVE") if wait else made

    def server(self, server_id: str, version: str = MICROVERSION) -> dict[str, Any]:
        return dict(self.get(f"/servers/{server_id}", version)["server"])

    def act(self, server_id: str, action: str, argument: Any = None) -> Any:
        """POST an action."""
        return self.request("POST", f"/servers/{server_id}/action", {action: argument})

    def await_status(self, server_id: str, status: str, within_s: float = 400) -> dict[str, Any]:
        """The server once it has the status and no task; an unexpected ERROR ends the wait at once."""

        def there() -> dict[str, Any] | None:
            server = self.server(server_id)
            if server["status"] == "ERROR" != status:
                raise AssertionError(f"server {server_id} went to ERROR: {server.get('fault')}")
            calm = server["OS-EXT-STS:task_state"] is None
            return server if server["status"] == status and calm else None

        return eventually(there, within_s, f"server {server_id} is {status}")

    def stop(self, server_id: str) -> dict[str, Any]:
        self.act(server_id, "os-stop")
        return self.await_status(server_id, "SHUTOFF")

    def start(self, server_id: str) -> dict[str, Any]:
        self.act(server_id, "os-start")
        return self.await_status(server_id, "ACTIVE")

    def reboot(self, server_id: str, kind: str) -> dict[str, Any]:
        """SOFT or HARD; done when its action is finished."""
        self.act(server_id, "reboot", {"type": kind})
        self.await_status(server_id, "ACTIVE")
        return self.await_action(server_id, "reboot")

    def delete(self, server_id: str, within_s: float = 400) -> None:
        """Delete and wait until it is gone."""
        self.request("DELETE", f"/servers/{server_id}")
        self.await_gone(server_id, within_s)

    def await_gone(self, server_id: str, within_s: float = 400) -> None:
        def gone() -> bool:
            try:
                self.server(server_id)
            except exceptions.NotFound:
                return True
            return False

        eventually(gone, within_s, f"server {server_id} is gone")

    def actions(self, server_id: str) -> dict[str, dict[str, Any]]:
        """What was done to a server, with events, by action; the latest of each kind."""
        found = {}
        for row in reversed(self.get(f"/servers/{server_id}/os-instance-actions")["instanceActions"]):
            path = f"/servers/{server_id}/os-instance-actions/{row['request_id']}"
            found[row["action"]] = self.get(path)["instanceAction"]
        return found

    def await_action(self, server_id: str, action: str) -> dict[str, Any]:
        """The action once all its events ended well."""

        def ended() -> dict[str, Any] | None:
            found = self.actions(server_id).get(action)
            events = found["events"] if found else []
            bad = [event for event in events if event["result"] == "Error"]
            assert not bad, f"{action} of {server_id} failed: {bad}"
            return found if events and all(event["finish_time"] for event in events) else None

        return eventually(ended, 300, f"{action} of {server_id} ends")

    def delete_all(self) -> None:
        """A cloud without servers, allocations and ports of servers."""
        for server in self.get("/servers?all_tenants=1")["servers"]:
            try:
                self.request("DELETE", f"/servers/{server['id']}")
            except exceptions.NotFound:
                continue
        eventually(lambda: not self.leftovers(), 400, "nothing is left of the servers", 1)

    def leftovers(self) -> dict[str, Any]:
        """What a cloud without servers must not have."""
        ports = self.other("network", "/v2.0/ports?fields=id&fields=device_owner")["ports"]
        found = {
            "servers": [server["id"] for server in self.get("/servers?all_tenants=1")["servers"]],
            "allocations": self.allocations(),
            "ports": [port["id"] for port in ports if port["device_owner"].startswith("compute:")],
        }
        return {what: there for what, there in found.items() if there}

    # Hosts

    def services(self) -> dict[tuple[str, str], dict[str, Any]]:
        """By binary and host."""
        return {(row["binary"], row["host"]): row for row in self.get("/os-services")["services"]}

    def hypervisors(self) -> dict[str, dict[str, Any]]:
        rows = self.get("/os-hypervisors/detail")["hypervisors"]
        return {row["hypervisor_hostname"]: row for row in rows}

    def providers(self) -> dict[str, str]:
        """UUID of the provider in Placement, by name."""
        rows = self.other("placement", "/resource_providers", version="1.36")["resource_providers"]
        return {row["name"]: row["uuid"] for row in rows}

    def allocations(self) -> dict[str, dict[str, Any]]:
        """What each consumer holds, by the provider's name; without empty providers."""
        found = {}
        for name, uuid in self.providers().items():
            path = f"/resource_providers/{uuid}/allocations"
            rows = self.other("placement", path, version="1.36")["allocations"]
            if rows:
                found[name] = {consumer: row["resources"] for consumer, row in rows.items()}
        return found

    # Names

    def flavor(self, name: str) -> str:
        return str(next(row["id"] for row in self.get("/flavors")["flavors"] if row["name"] == name))

    def image(self, name: str) -> str:
        return str(self.other("image", f"/v2/images?name={name}")["images"][0]["id"])

    def network(self, name: str) -> str:
        return str(self.other("network", f"/v2.0/networks?name={name}")["networks"][0]["id"])
