"""Server groups."""

from typing import Any

from openkeel.rpc.remote_stores.rows import Store, or_none


class RemoteServerGroups(Store):
    """Contract: InstanceGroup."""

    def find_by_instance(self, instance_uuid: str) -> Any | None:
        return or_none(
            lambda: self._wire.ask("InstanceGroup", "get_by_instance_uuid", instance_uuid=instance_uuid)
        )
