"""Limits that Keystone keeps for the compute service: for everybody, and for projects.

Contract: group oslo_limit, which names the endpoint that the limits are registered for.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from oslo_config import cfg

from openkeel.clients.session import Connection, connect
from openkeel.domain.errors import Unavailable


class KeystoneLimits(Protocol):
    """Raises everywhere: Unavailable."""

    def registered(self) -> Mapping[str, int]:
        """Limits of projects for which nothing is set, by resource."""

    def of_project(self, project_id: str) -> Mapping[str, int]:
        """What is set for a project, by resource."""


@dataclass(frozen=True, slots=True)
class OwnEndpoint:
    """Our endpoint in the catalogue: by id, or by what it is found."""

    endpoint_id: str | None = None
    service_type: str | None = None
    service_name: str | None = None
    region: str | None = None
    interface: str | None = "public"


class KeystoneLimitsClient:
    """The `KeystoneLimits` interface on a connection of an account that may read limits."""

    def __init__(self, connection: Connection, endpoint: OwnEndpoint) -> None:
        self._http = connection
        self._endpoint = endpoint
        self._guard = threading.Lock()
        self._scope: dict[str, str] | None = None

    def registered(self) -> Mapping[str, int]:
        body = self._http.json("GET", "/registered_limits", params=self._where())
        return {entry["resource_name"]: int(entry["default_limit"]) for entry in body["registered_limits"]}

    def of_project(self, project_id: str) -> Mapping[str, int]:
        body = self._http.json("GET", "/limits", params={**self._where(), "project_id": project_id})
        return {entry["resource_name"]: int(entry["resource_limit"]) for entry in body["limits"]}

    def _where(self) -> dict[str, str]:
        """The service and region that limits are registered for: asked once."""
        with self._guard:
            if self._scope is None:
                found = self._find()
                scope = {"service_id": found["service_id"], "region_id": found.get("region_id")}
                self._scope = {name: value for name, value in scope.items() if value}
            return dict(self._scope)

    def _find(self) -> Mapping[str, Any]:
        mine = self._endpoint
        if mine.endpoint_id is not None:
            found: Mapping[str, Any] = self._http.json("GET", f"/endpoints/{mine.endpoint_id}")["endpoint"]
            return found
        wanted = {"type": mine.service_type, "name": mine.service_name}
        services = self._http.json("GET", "/services", params=_given(wanted))["services"]
        endpoints: list[Mapping[str, Any]] = []
        for service in services:
            place = {"service_id": service["id"], "region_id": mine.region, "interface": mine.interface}
            endpoints += self._http.json("GET", "/endpoints", params=_given(place))["endpoints"]
        if len(endpoints) != 1:
            raise Unavailable(
                f"The options of [oslo_limit] must name one endpoint; Keystone has {len(endpoints)} such."
            )
        return endpoints[0]


def _given(filters: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in filters.items() if value is not None}


class FakeKeystoneLimits:
    """The `KeystoneLimits` interface in memory."""

    def __init__(self, registered: Mapping[str, int] | None = None) -> None:
        self.everybody = dict(registered or {})
        self.projects: dict[str, dict[str, int]] = {}

    def registered(self) -> Mapping[str, int]:
        return dict(self.everybody)

    def of_project(self, project_id: str) -> Mapping[str, int]:
        return dict(self.projects.get(project_id, {}))


def make_client(conf: cfg.ConfigOpts) -> KeystoneLimitsClient:
    """The client that [oslo_limit] describes."""
    options = conf.oslo_limit
    return KeystoneLimitsClient(
        connect(conf, "oslo_limit", "Keystone", version_path="/v3"),
        OwnEndpoint(
            endpoint_id=options.endpoint_id,
            service_type=options.endpoint_service_type,
            service_name=options.endpoint_service_name,
            region=options.endpoint_region_name,
            interface=options.endpoint_interface.removesuffix("URL"),
        ),
    )
