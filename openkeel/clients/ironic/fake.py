"""An Ironic in memory: the service behind the real client, or none at all."""

import threading
import uuid
from collections.abc import Mapping
from typing import Any, Final, cast

from openkeel.clients import errors
from openkeel.clients.faults import Faults
from openkeel.clients.ironic.client import IronicClient
from openkeel.clients.session import Connection


class FakeIronicServer:
    """Stands where a `Connection` does. `faults` orders failures by path; `is_there` says if anything is."""

    service: Final = "Ironic"

    def __init__(self, *, page: int = 1000) -> None:
        """`page` is the most that a list has at a time."""
        self.faults = Faults()
        self.is_there = True
        self._page = page
        self._lock = threading.Lock()
        self._nodes: dict[str, dict[str, Any]] = {}
        self._ports: dict[str, list[dict[str, Any]]] = {}

    def add_node(
        self,
        name: str,
        *,
        state: str = "available",
        instance_uuid: str | None = None,
        addresses: tuple[str, ...] = (),
        **properties: Any,
    ) -> str:
        """Returns: its uuid."""
        with self._lock:
            key = str(uuid.uuid4())
            self._nodes[key] = {
                "uuid": key,
                "name": name,
                "provision_state": state,
                "instance_uuid": instance_uuid,
                "properties": properties,
            }
            self._ports[key] = [{"uuid": str(uuid.uuid4()), "address": one} for one in addresses]
            return key

    def json(self, method: str, path: str, *, params: Mapping[str, str], **_kwargs: Any) -> Any:
        """One request; returns the decoded body."""
        self.faults.before(f"{method} {path}")
        if not self.is_there:
            raise errors.NotSetUp(service=self.service, status=None, code="", detail="there is none")
        _, _, *rest = path.split("/")
        with self._lock:
            if not rest:
                return self._list("nodes", list(self._nodes.values()), params)
            node = self._find(rest[0])
            return self._list("ports", self._ports[node["uuid"]], params) if rest[1:] else dict(node)

    def _find(self, key: str) -> dict[str, Any]:
        for node in self._nodes.values():
            if key in {node["uuid"], node["name"]}:
                return node
        raise errors.NotFound(service=self.service, status=404, code="", detail=f"there is no node {key}")

    def _list(self, noun: str, things: list[dict[str, Any]], params: Mapping[str, str]) -> dict[str, Any]:
        if "marker" in params:
            things = things[[one["uuid"] for one in things].index(params["marker"]) + 1 :]
        more = {"next": "http://ironic.invalid/"} if len(things) > self._page else {}
        wanted = params["fields"].split(",")
        return {noun: [{key: one[key] for key in wanted} for one in things[: self._page]], **more}


class FakeIronic(IronicClient):
    """The client on an Ironic in memory, which is its `server`."""

    def __init__(self, server: FakeIronicServer | None = None) -> None:
        self.server = server or FakeIronicServer()
        super().__init__(cast("Connection", self.server))
