"""Hears what all daemons of the cloud tell, by the driver of oslo.messaging that keeps it in memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from oslo_messaging.notify import _impl_test as memory

from tests.fixtures.compute_world import eventually


@dataclass(frozen=True)
class Heard:
    event: str
    publisher: str
    priority: str
    payload: dict[str, Any]
    context: dict[str, Any]

    @property
    def is_versioned(self) -> bool:
        return "nova_object.name" in self.payload

    @property
    def data(self) -> dict[str, Any]:
        """What it says, in either format."""
        return self.payload["nova_object.data"] if self.is_versioned else self.payload


class Ear:
    """Listens to a cloud whose daemons tell everything."""

    def __init__(self, cloud: Any) -> None:
        self._cloud = cloud
        memory.reset()

    def __iter__(self) -> Iterator[Heard]:
        for context, message, _priority, _retry in list(memory.NOTIFICATIONS):
            yield Heard(
                message["event_type"],
                message["publisher_id"],
                message["priority"],
                message["payload"],
                context,
            )

    def forget(self) -> None:
        """Hear only what comes from here on."""
        self._settle()
        memory.reset()

    def versioned(self, *leave_out: str) -> list[Heard]:
        """What was told in the versioned format, without events that begin so."""
        return [
            one for one in self._all() if one.is_versioned and not one.event.startswith(leave_out or ("-",))
        ]

    def unversioned(self, *leave_out: str) -> list[Heard]:
        """What was told in the unversioned format."""
        return [
            one
            for one in self._all()
            if not one.is_versioned and not one.event.startswith(leave_out or ("-",))
        ]

    def until(self, event: str, count: int = 1) -> None:
        """Wait until an event was told so often."""

        def is_told() -> bool:
            return sum(one.event == event for one in self) >= count

        try:
            eventually(is_told, 20)
        except AssertionError:
            raise AssertionError(f"no {event} among {[one.event for one in self]}") from None
        self._settle()

    def _all(self) -> list[Heard]:
        self._settle()
        return list(self)

    def _settle(self) -> None:
        for part in self._cloud.parts:
            notifications = getattr(part.daemon, "_notifications", None)
            if notifications is not None:
                assert notifications.emitter.outbox.flush(10), (
                    f"{part.name} does not get rid of what it tells"
                )
