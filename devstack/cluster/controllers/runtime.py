"""The loop that runs controllers: changes make keys due, due keys are reconciled, failures come again."""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Protocol

from devstack.cluster.clock import Clock
from devstack.cluster.kinds import Kind
from devstack.cluster.objects import Key
from devstack.cluster.store import ADDED, Change, Store

LOG = logging.getLogger(__name__)

BATCH: Final = 25  # keys reconciled before other work on the loop gets its turn
RETRY_S: Final = 0.5
RETRY_MOST_S: Final = 30.0

Keys = Callable[[Change], Iterable[Key]]
Interests = Mapping[Kind, Keys]


class Controller(Protocol):
    """Brings one kind of object from what is to what should be, looking only at the whole state."""

    @property
    def name(self) -> str: ...

    @property
    def interests(self) -> Interests:
        """Which changes concern it, and which keys they make due."""
        ...

    def reconcile(self, key: Key) -> float | None:
        """Take the next steps for a key; return after how many seconds to look again, if at all."""
        ...


class Runtime:
    """Runs controllers on a clock, one key at a time."""

    def __init__(self, store: Store, clock: Clock, controllers: Iterable[Controller]) -> None:
        self._store = store
        self._clock = clock
        self._interested: dict[Kind, list[tuple[Controller, Keys]]] = defaultdict(list)
        for controller in controllers:
            for kind, keys_of in controller.interests.items():
                self._interested[kind].append((controller, keys_of))
        self._due: dict[tuple[Controller, Key], None] = {}
        self._failures: dict[tuple[Controller, Key], int] = {}
        self._draining = False
        store.listen(self._notice)

    def start(self) -> None:
        """Look at everything there is once."""
        for kind in self._interested:
            for record in self._store.records(kind):
                self._notice(Change(ADDED, record, None))

    def enqueue(self, controller: Controller, key: Key) -> None:
        self._due[controller, key] = None
        if not self._draining:
            self._draining = True
            self._clock.call_soon(self._drain)

    def _notice(self, change: Change) -> None:
        for controller, keys_of in self._interested.get(change.record.kind, ()):
            for key in keys_of(change):
                self.enqueue(controller, key)

    def _drain(self) -> None:
        for _ in range(BATCH):
            if not self._due:
                break
            entry = next(iter(self._due))
            del self._due[entry]
            self._reconcile(*entry)
        self._draining = bool(self._due)
        if self._draining:
            self._clock.call_soon(self._drain)

    def _reconcile(self, controller: Controller, key: Key) -> None:
        try:
            again_s = controller.reconcile(key)
        except Exception:
            failures = self._failures[controller, key] = self._failures.get((controller, key), 0) + 1
            again_s = min(RETRY_MOST_S, RETRY_S * 2**failures)
            LOG.exception("%s: reconciling %s/%s failed", controller.name, *key)
        else:
            self._failures.pop((controller, key), None)
        if again_s is not None:
            self._clock.call_later(again_s, lambda: self.enqueue(controller, key))


def itself(change: Change) -> Iterable[Key]:
    """The changed object's own key."""
    return (change.record.key,)


def owners_of(kind: Kind, store: Store) -> Keys:
    """The keys of a changed object's owners of a kind, as far as they are still there."""

    def keys(change: Change) -> Iterable[Key]:
        owners = (store.by_uid(uid) for uid in change.record.owners)
        return [owner.key for owner in owners if owner is not None and owner.kind is kind]

    return keys
