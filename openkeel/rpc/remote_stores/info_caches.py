"""What a server's network looked like."""

from typing import Any

from openkeel.rpc.remote_stores.rows import Store


class RemoteInfoCaches(Store):
    """Contract: InstanceInfoCache."""

    def get(self, instance_uuid: str) -> Any:
        return self._wire.ask("InstanceInfoCache", "get_by_instance_uuid", instance_uuid=instance_uuid)

    def save(self, cache: Any) -> None:
        self._wire.tell(cache, "save")
