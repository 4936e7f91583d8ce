"""What went wrong with servers."""

from typing import Any

from openkeel.rpc.remote_stores.rows import Store
from openkeel.rpc.remote_stores.wire import take


class RemoteFaults(Store):
    """Contract: InstanceFault."""

    def create(self, fault: Any) -> None:
        def made() -> bool | None:
            row = self._wire.ask(
                "InstanceFault", "get_latest_for_instance", instance_uuid=fault.instance_uuid
            )
            if row is None or (row.code, row.message, row.host) != (fault.code, fault.message, fault.host):
                return None
            take(fault, row)
            return True

        self._wire.tell(fault, "create", made=made)
