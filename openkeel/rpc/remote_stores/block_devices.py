"""Disks of servers."""

from typing import Any

from openkeel.rpc.remote_stores.rows import Rows, named
from openkeel.rpc.remote_stores.wire import take


class RemoteBlockDevices(Rows):
    """Contract: BlockDeviceMapping, BlockDeviceMappingList."""

    def list(self, instance_uuid: str) -> Any:
        return self._wire.ask("BlockDeviceMappingList", "get_by_instance_uuid", instance_uuid=instance_uuid)

    def create(self, item: Any) -> None:
        named(item)
        super().create(item)

    def update_or_create(self, bdm: Any) -> None:
        """Save it, or create it where the server has none of this device or source."""
        named(bdm)
        self._wire.tell(bdm, "update_or_create", settled=lambda _error: self._was_made(bdm))

    def _was_made(self, bdm: Any) -> bool | None:
        row = self._made(bdm)
        if row is None:
            return None
        take(bdm, row)
        return True

    def _made(self, item: Any) -> Any | None:
        return next((bdm for bdm in self.list(item.instance_uuid) if bdm.uuid == item.uuid), None)
