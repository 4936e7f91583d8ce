"""Daemons and their pulse."""

from typing import Any, Final

from openkeel.rpc.remote_stores.rows import Rows, or_none
from openkeel.rpc.remote_stores.wire import Wire

_PULSE: Final = {"report_count", "last_seen_up"}


class RemoteServices(Rows):
    """Contract: Service."""

    def __init__(self, wire: Wire, pulse: Wire) -> None:
        super().__init__(wire)
        self._pulse = pulse

    def find(self, host: str, binary: str) -> Any | None:
        return or_none(lambda: self._wire.ask("Service", "get_by_host_and_binary", host=host, binary=binary))

    def save(self, item: Any) -> None:
        # The next pulse is the repetition of this one.
        wire = self._pulse if item.obj_what_changed() <= _PULSE else self._wire
        wire.tell(item, "save")

    def _made(self, item: Any) -> Any | None:
        return self.find(item.host, item.binary)

    def minimum_version(self, binary: str) -> int:
        return int(self._wire.ask("Service", "get_minimum_version", binary=binary) or 0)
