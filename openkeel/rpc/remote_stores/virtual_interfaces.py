"""NICs of servers."""

from typing import Any

from openkeel.rpc.remote_stores.rows import Rows


class RemoteVirtualInterfaces(Rows):
    """Contract: VirtualInterface, VirtualInterfaceList."""

    def _made(self, item: Any) -> Any | None:
        return self._wire.ask("VirtualInterface", "get_by_uuid", vif_uuid=item.uuid)

    def list(self, instance_uuid: str) -> Any:
        return self._wire.ask("VirtualInterfaceList", "get_by_instance_uuid", instance_uuid=instance_uuid)

    def destroy_all(self, instance_uuid: str) -> None:
        """Remove all NICs of a server."""
        self._wire.ask("VirtualInterface", "delete_by_instance_uuid", instance_uuid=instance_uuid)
