"""Shares that servers mount."""

from typing import Any

from openkeel.rpc.remote_stores.rows import Store


class RemoteShares(Store):
    """Contract: ShareMappingList."""

    def list(self, instance_uuid: str) -> Any:
        return self._wire.ask("ShareMappingList", "get_by_instance_uuid", instance_uuid=instance_uuid)
