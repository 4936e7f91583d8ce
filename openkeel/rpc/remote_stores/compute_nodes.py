"""Hypervisors."""

from typing import Any

from openkeel import objects
from openkeel.rpc.remote_stores.rows import Rows, named, or_none


class RemoteComputeNodes(Rows):
    """Contract: ComputeNode, ComputeNodeList."""

    def find(self, host: str, nodename: str) -> Any | None:
        return or_none(
            lambda: self._wire.ask("ComputeNode", "get_by_host_and_nodename", host=host, nodename=nodename)
        )

    def get_by_uuid(self, uuid: str) -> Any:
        """Raises: NotFound."""
        return self._wire.ask("ComputeNode", "get_by_uuid", compute_uuid=uuid)

    def create(self, item: Any) -> None:
        named(item)
        super().create(item)

    def _made(self, item: Any) -> Any | None:
        return or_none(lambda: self.get_by_uuid(item.uuid))

    def list_by_host(self, host: str) -> Any:
        nodes = or_none(lambda: self._wire.ask("ComputeNodeList", "get_all_by_host", host=host))
        return objects.ComputeNodeList() if nodes is None else nodes
