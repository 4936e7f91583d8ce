"""Watches: one queue per client, fed by the store, rendered once for all."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

import orjson

from devstack.cluster.kinds import KINDS, Kind
from devstack.cluster.objects import Object
from devstack.cluster.selectors import EVERYTHING, Selector
from devstack.cluster.store import ADDED, DELETED, MODIFIED, Change, Record, Store

BACKLOG: Final = 50_000  # a client that far behind is dropped, as the watch cache drops slow watchers


@dataclass(frozen=True, slots=True)
class Selection:
    """Which objects of a kind someone looks at."""

    kind: Kind
    namespace: str = ""
    labels: Selector = EVERYTHING
    fields: Selector = EVERYTHING

    def has(self, record: Record) -> bool:
        return (
            (not self.namespace or record.key.namespace == self.namespace)
            and (not self.labels or self.labels.matches(record.labels))
            and (not self.fields or self.fields.matches(record.fields))
        )

    def event(self, change: Change) -> str:
        """The event type that a change is for this selection; empty when it is none of its business."""
        now = self.has(change.record) and change.type != DELETED
        before = change.previous is not None and self.has(change.previous)
        if now:
            return MODIFIED if before else ADDED
        return DELETED if before else ""


@dataclass(eq=False)
class Watcher:
    """One client's stream: lines wait in `pending` until the connection takes them."""

    selection: Selection
    render: Callable[[Change, str], bytes] = Change.line
    pending: list[bytes] = field(default_factory=list)
    version: int = 0
    closed: bool = False
    _wake: asyncio.Event = field(default_factory=asyncio.Event)

    def offer(self, change: Change) -> None:
        kind_of_event = self.selection.event(change)
        self.version = change.record.version
        if kind_of_event:
            self.pending.append(self.render(change, kind_of_event))
            self._wake.set()
            if len(self.pending) > BACKLOG:
                self.close()

    def close(self) -> None:
        self.closed = True
        self._wake.set()

    def take(self) -> bytes:
        lines, self.pending = self.pending, []
        self._wake.clear()
        return b"".join(lines)

    async def wait(self, timeout_s: float) -> None:
        """Return when there is something to take, it was closed, or the time is up."""
        if self.pending or self.closed:
            return
        try:
            async with asyncio.timeout(timeout_s):
                await self._wake.wait()
        except TimeoutError:
            return


class WatchHub:
    """Hands every change of the store to the watchers of its kind."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._watchers: dict[Kind, dict[Watcher, None]] = {kind: {} for kind in KINDS}
        store.listen(self._spread)

    def open(self, watcher: Watcher) -> None:
        watcher.version = self._store.version
        self._watchers[watcher.selection.kind][watcher] = None

    def close(self, watcher: Watcher) -> None:
        self._watchers[watcher.selection.kind].pop(watcher, None)

    def watchers(self) -> Iterator[Watcher]:
        for of_kind in self._watchers.values():
            yield from list(of_kind)

    def _spread(self, change: Change) -> None:
        for watcher in list(self._watchers[change.record.kind]):
            watcher.offer(change)


def bookmark(kind: Kind, version: int, *, initial: bool = False) -> bytes:
    """A BOOKMARK event: nothing but how far the stream has come."""
    meta: Object = {"resourceVersion": str(version), "creationTimestamp": None}
    if initial:
        meta["annotations"] = {"k8s.io/initial-events-end": "true"}
    body = {
        "type": "BOOKMARK",
        "object": {"kind": kind.kind, "apiVersion": kind.api_version, "metadata": meta},
    }
    return orjson.dumps(body) + b"\n"
