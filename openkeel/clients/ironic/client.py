"""Ironic over HTTP. See `interface.py` for what each call promises."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from oslo_config import cfg

from openkeel.clients import errors
from openkeel.clients.ironic.types import Node
from openkeel.clients.session import Connection, connect

# Fields on request are of 1.8, and from 1.2 on a node that nobody has is in a state, too. 1.46 is of 2018.
_MICROVERSION: Final = "1.46"
_FIELDS: Final = "uuid,provision_state,instance_uuid,properties"
_NAME: Final = re.compile(r"[A-Za-z0-9_~-][A-Za-z0-9_.~-]*")  # what a node can be called


def node_from_wire(body: Mapping[str, Any]) -> Node:
    """Ironic's JSON to our type."""
    return Node(
        id=body["uuid"],
        provision_state=body["provision_state"],
        instance_uuid=body.get("instance_uuid"),
        properties=dict(body.get("properties") or {}),
    )


class IronicClient:
    """The `Ironic` interface on a connection."""

    def __init__(self, connection: Connection) -> None:
        self._http = connection

    def list_nodes(self) -> Sequence[Node]:
        return [node_from_wire(entry) for entry in self._all("/nodes", "nodes", _FIELDS)]

    def get_node(self, node: str) -> Node:
        return node_from_wire(self._http.json("GET", self._path(node), params={"fields": _FIELDS}))

    def mac_addresses(self, node_id: str) -> Sequence[str]:
        ports = self._all(f"{self._path(node_id)}/ports", "ports", "address,uuid")
        return [entry["address"] for entry in ports]

    def _all(self, path: str, noun: str, fields: str) -> list[Mapping[str, Any]]:
        """Every page of a list."""
        found: list[Mapping[str, Any]] = []
        while True:
            asked = {"fields": fields} | ({"marker": found[-1]["uuid"]} if found else {})
            body = self._http.json("GET", path, params=asked)
            found += body[noun]
            if not body[noun] or not body.get("next"):
                return found

    def _path(self, node: str) -> str:
        if not _NAME.fullmatch(node):
            raise errors.NotFound(service="Ironic", status=None, code="", detail=f"there is no node {node}")
        return f"/nodes/{node}"


def make_client(conf: cfg.ConfigOpts) -> IronicClient:
    """The client that [ironic] describes."""
    return IronicClient(connect(conf, "ironic", "Ironic", microversion=_MICROVERSION, version_path="/v1"))
