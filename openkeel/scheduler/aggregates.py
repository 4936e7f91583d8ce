"""The host aggregates as last heard of."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from openkeel.scheduler.host_state import AggregateFacts


class AggregateCache:
    """Aggregates by uuid: read whole now and then, corrected by what the API casts in between.

    A cast that is lost costs nothing but the time until the next reading.
    """

    def __init__(
        self,
        read: Callable[[], Sequence[AggregateFacts]],
        *,
        fresh_for_s: float = 60,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._read = read
        self._fresh_for_s = fresh_for_s
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._read_at: float | None = None
        self._known: dict[str, AggregateFacts] = {}

    def all(self) -> list[AggregateFacts]:
        """All aggregates, at most `fresh_for_s` seconds old."""
        with self._lock:
            if self._read_at is None or self._monotonic() - self._read_at > self._fresh_for_s:
                self._known = {one.uuid: one for one in self._read()}
                self._read_at = self._monotonic()
            return list(self._known.values())

    def update(self, aggregates: Iterable[Any]) -> None:
        """Take over what these wire objects say."""
        with self._lock:
            for one in aggregates:
                self._known[one.uuid] = AggregateFacts(
                    uuid=one.uuid,
                    name=one.name,
                    hosts=frozenset(one.hosts or () if one.obj_attr_is_set("hosts") else ()),
                    metadata=dict(one.metadata or {} if one.obj_attr_is_set("metadata") else {}),
                )

    def delete(self, aggregate: Any) -> None:
        """Forget one."""
        with self._lock:
            self._known.pop(aggregate.uuid, None)
