"""Objects, one revision counter, and a bounded memory of changes for watches.

Objects are kept as JSON bytes: reading one gives a dict of one's own, a list or a watch copies bytes only.
Everything happens on the loop's thread; a write is complete, and journalled, when it returns.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import orjson

from devstack.cluster.kinds import KINDS, Kind
from devstack.cluster.objects import Key, Object
from devstack.cluster.selectors import EVERYTHING, Selector

ADDED: Final = "ADDED"
MODIFIED: Final = "MODIFIED"
DELETED: Final = "DELETED"


@dataclass(frozen=True, slots=True)
class Record:
    """One version of one object: its bytes and what selectors ask for."""

    kind: Kind
    key: Key
    uid: str
    version: int
    raw: bytes
    labels: Mapping[str, str]
    fields: Mapping[str, str]
    owners: tuple[str, ...]

    def load(self) -> Object:
        loaded: Object = orjson.loads(self.raw)
        return loaded


@dataclass(frozen=True, slots=True)
class Change:
    """What happened at a version; `previous` is absent for ADDED."""

    type: str
    record: Record
    previous: Record | None
    _lines: dict[str, bytes] = field(default_factory=dict)

    def forget_lines(self) -> None:
        """Everybody has been told; what comes late renders its own."""
        self._lines.clear()

    def line(self, kind_of_event: str) -> bytes:
        """The watch event, rendered once for all watchers."""
        line = self._lines.get(kind_of_event)
        if line is None:
            record = self.record
            if kind_of_event == DELETED and self.type != DELETED and self.previous is not None:
                # It left a selection: the watcher gets the last state that was in it, at the new version.
                record = restamped(self.previous, self.record.version)
            line = b'{"type":"%s","object":%s}\n' % (kind_of_event.encode(), record.raw)
            self._lines[kind_of_event] = line
        return line


class Journal(Protocol):
    """Where objects survive the process."""

    def put(self, kind: Kind, key: Key, raw: bytes, version: int) -> None: ...

    def remove(self, kind: Kind, key: Key, version: int) -> None: ...


class Store:
    """All objects of the cluster."""

    def __init__(self, *, history: int = 2000, journal: Journal | None = None, version: int = 0) -> None:
        self.version = version
        self._journal = journal
        self._history_length = history
        self._records: dict[Kind, dict[str, dict[str, Record]]] = {kind: defaultdict(dict) for kind in KINDS}
        self._by_owner: dict[str, dict[tuple[Kind, Key], None]] = defaultdict(dict)
        self._by_uid: dict[str, Record] = {}
        self._history: dict[Kind, deque[Change]] = {kind: deque() for kind in KINDS}
        self._floor: dict[Kind, int] = dict.fromkeys(KINDS, version)
        self._listeners: list[Callable[[Change], None]] = []

    def listen(self, listener: Callable[[Change], None]) -> None:
        """Call `listener` after every change, in order."""
        self._listeners.append(listener)

    def find(self, kind: Kind, key: Key) -> Object | None:
        record = self.record(kind, key)
        return record.load() if record else None

    def record(self, kind: Kind, key: Key) -> Record | None:
        return self._records[kind].get(key.namespace, {}).get(key.name)

    def by_uid(self, uid: str) -> Record | None:
        return self._by_uid.get(uid)

    def dependents(self, owner_uid: str) -> list[Record]:
        found = (self.record(kind, key) for kind, key in self._by_owner.get(owner_uid, ()))
        return [record for record in found if record is not None]

    def records(self, kind: Kind, namespace: str = "") -> Iterator[Record]:
        """Every record of a kind, unordered; of all namespaces when none is named."""
        spaces = self._records[kind]
        chosen: Iterable[dict[str, Record]] = (spaces[namespace],) if namespace in spaces else ()
        if not namespace:
            chosen = list(spaces.values())
        for space in chosen:
            yield from list(space.values())

    def select(
        self, kind: Kind, namespace: str = "", labels: Selector = EVERYTHING, fields: Selector = EVERYTHING
    ) -> list[Record]:
        """The records in a selection, in the order of their keys."""
        found = [
            record
            for record in self.records(kind, namespace)
            if (not labels or labels.matches(record.labels)) and (not fields or fields.matches(record.fields))
        ]
        found.sort(key=lambda record: record.key)
        return found

    def count(self, kind: Kind) -> int:
        return sum(len(space) for space in self._records[kind].values())

    def put(self, kind: Kind, obj: Object) -> Record:
        """Write an object; it gets the next version, in place and in the store."""
        self.version += 1
        obj["metadata"]["resourceVersion"] = str(self.version)
        record = make_record(kind, obj, self.version)
        previous = self.record(kind, record.key)
        if previous:
            self._forget(previous)
        self._remember(record)
        if self._journal:
            self._journal.put(kind, record.key, record.raw, self.version)
        self._publish(Change(MODIFIED if previous else ADDED, record, previous))
        return record

    def remove(self, kind: Kind, key: Key) -> Object | None:
        """Take an object away; returns its last state, or None when it was not there."""
        previous = self.record(kind, key)
        if previous is None:
            return None
        self.version += 1
        self._forget(previous)
        del self._records[kind][key.namespace][key.name]
        if self._journal:
            self._journal.remove(kind, key, self.version)
        last = restamped(previous, self.version)
        self._publish(Change(DELETED, last, previous))
        return last.load()

    def restore(self, kind: Kind, raw: bytes) -> None:
        """Put back what a journal kept: no new version, no change."""
        obj: Object = orjson.loads(raw)
        self._remember(make_record(kind, obj, int(obj["metadata"]["resourceVersion"]), raw))

    def changes_since(self, kind: Kind, version: int) -> list[Change] | None:
        """The changes after a version, or None when some of them are forgotten."""
        if version < self._floor[kind]:
            return None
        return [change for change in self._history[kind] if change.record.version > version]

    def forget_history(self, kind: Kind | None = None) -> None:
        """Make every older version too old, as an etcd compaction does."""
        for each in (kind,) if kind else KINDS:
            self._history[each].clear()
            self._floor[each] = self.version

    def _remember(self, record: Record) -> None:
        self._records[record.kind][record.key.namespace][record.key.name] = record
        self._by_uid[record.uid] = record
        for owner in record.owners:
            self._by_owner[owner][record.kind, record.key] = None

    def _forget(self, record: Record) -> None:
        self._by_uid.pop(record.uid, None)
        for owner in record.owners:
            owned = self._by_owner[owner]
            owned.pop((record.kind, record.key), None)
            if not owned:
                del self._by_owner[owner]

    def _publish(self, change: Change) -> None:
        kind = change.record.kind
        history = self._history[kind]
        history.append(change)
        if len(history) > self._history_length:
            self._floor[kind] = history.popleft().record.version
        for listener in self._listeners:
            listener(change)
        change.forget_lines()


def make_record(kind: Kind, obj: Object, version: int, raw: bytes | None = None) -> Record:
    """The record of an object at a version."""
    meta = obj["metadata"]
    key = Key(meta.get("namespace", ""), meta["name"])
    fields = {"metadata.name": key.name, "metadata.namespace": key.namespace}
    for name, path in kind.fields.items():
        fields[name] = text_at(obj, path)
    owners = tuple(reference["uid"] for reference in meta.get("ownerReferences") or ())
    return Record(
        kind,
        key,
        meta["uid"],
        version,
        raw or orjson.dumps(obj),
        dict(meta.get("labels") or {}),
        fields,
        owners,
    )


def restamped(record: Record, version: int) -> Record:
    """The same object at another version."""
    obj = record.load()
    obj["metadata"]["resourceVersion"] = str(version)
    return make_record(record.kind, obj, version)


def text_at(obj: Object, path: str) -> str:
    """A field as selectors see it: text, empty when absent."""
    value: Any = obj
    for part in path.split("."):
        if not isinstance(value, dict):
            return ""
        value = value.get(part)
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
