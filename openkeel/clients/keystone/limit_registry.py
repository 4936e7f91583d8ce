"""Writing the limits that Keystone keeps for the compute service, for `openkeel-manage limits`.

Asked and written on the account of [keystone], which needs rights on the whole system.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from keystoneauth1 import loading
from oslo_config import cfg

from openkeel.clients.session import Connection, connect
from openkeel.domain.errors import Unavailable


class LimitRegistry(Protocol):
    """Limits of one region, or of none. Raises everywhere: Unavailable, and what Keystone refuses."""

    def registered(self) -> Mapping[str, int]:
        """Limits of projects for which nothing is set, by resource."""

    def of_projects(self) -> Mapping[str, Mapping[str, int]]:
        """What is set for projects, by resource."""

    def register(self, limits: Mapping[str, int]) -> None:
        """Add limits of projects for which nothing is set."""

    def set_project(self, project_id: str, limits: Mapping[str, int]) -> None:
        """Add limits of a project: only of resources with a registered limit."""


class LimitRegistryClient:
    """The `LimitRegistry` interface on a connection."""

    def __init__(self, connection: Connection, region_id: str | None = None) -> None:
        self._http = connection
        self._region_id = region_id
        self._service_id: str | None = None

    def registered(self) -> Mapping[str, int]:
        return {
            entry["resource_name"]: int(entry["default_limit"]) for entry in self._all("registered_limits")
        }

    def of_projects(self) -> Mapping[str, Mapping[str, int]]:
        found: dict[str, dict[str, int]] = {}
        for entry in self._all("limits"):
            limits = found.setdefault(entry.get("project_id") or "", {})
            limits[entry["resource_name"]] = int(entry["resource_limit"])
        return found

    def register(self, limits: Mapping[str, int]) -> None:
        entries = [
            {**self._scope(), "resource_name": name, "default_limit": limit} for name, limit in limits.items()
        ]
        self._http.request("POST", "/registered_limits", body={"registered_limits": entries})

    def set_project(self, project_id: str, limits: Mapping[str, int]) -> None:
        entries = [
            {**self._scope(), "project_id": project_id, "resource_name": name, "resource_limit": limit}
            for name, limit in limits.items()
        ]
        self._http.request("POST", "/limits", body={"limits": entries})

    def _all(self, kind: str) -> list[Mapping[str, Any]]:
        """Keystone takes no region for all regions, which are left out here."""
        entries = self._http.json("GET", f"/{kind}", params=self._scope())[kind]
        return [entry for entry in entries if entry.get("region_id") == self._region_id]

    def _scope(self) -> dict[str, str]:
        scope = {"service_id": self._service()}
        return scope if self._region_id is None else {**scope, "region_id": self._region_id}

    def _service(self) -> str:
        if self._service_id is None:
            found = self._http.json("GET", "/services", params={"type": "compute"})["services"]
            if len(found) != 1:
                raise Unavailable(f"Keystone has {len(found)} compute services: whose limits are these?")
            self._service_id = str(found[0]["id"])
        return self._service_id


class FakeLimitRegistry:
    """The `LimitRegistry` interface in memory, with Keystone's rules."""

    def __init__(self) -> None:
        self.everybody: dict[str, int] = {}
        self.projects: dict[str, dict[str, int]] = {}

    def registered(self) -> Mapping[str, int]:
        return dict(self.everybody)

    def of_projects(self) -> Mapping[str, Mapping[str, int]]:
        return {project: dict(limits) for project, limits in self.projects.items()}

    def register(self, limits: Mapping[str, int]) -> None:
        if not limits or limits.keys() & self.everybody.keys():
            raise ValueError("409: registered before, or nothing to register")
        self.everybody |= limits

    def set_project(self, project_id: str, limits: Mapping[str, int]) -> None:
        mine = self.projects.setdefault(project_id, {})
        if not limits or limits.keys() & mine.keys() or limits.keys() - self.everybody.keys():
            raise ValueError("409 or 403: set before, not registered, or nothing to set")
        mine |= limits


def make_registry(conf: cfg.ConfigOpts, region_id: str | None) -> LimitRegistryClient:
    """The client that [keystone] describes, with the account there."""
    loading.register_auth_conf_options(conf, "keystone")
    return LimitRegistryClient(connect(conf, "keystone", "Keystone", version_path="/v3"), region_id)
