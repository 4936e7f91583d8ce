"""The garbage collector and the end of namespaces."""

from collections.abc import Iterable
from typing import Final

from devstack.cluster import objects
from devstack.cluster.controllers.plane import Plane
from devstack.cluster.controllers.runtime import Interests, itself
from devstack.cluster.kinds import EVENT, KINDS, NAMESPACE
from devstack.cluster.objects import Key, Object
from devstack.cluster.registry import FOREGROUND, ORPHAN, Deletion
from devstack.cluster.store import DELETED, Change, Record

AGAIN_S: Final = 0.2


class GarbageCollector:
    """Objects whose owners are all gone go too; foreground and orphan deletions of owners.

    Its keys are uids, of the object in question.
    """

    name = "garbage-collector"

    def __init__(self, plane: Plane) -> None:
        self._plane = plane

    @property
    def interests(self) -> Interests:
        return {kind: self._changed for kind in KINDS if kind is not EVENT}

    def _changed(self, change: Change) -> Iterable[Key]:
        record = change.record
        due: list[str] = []
        if change.type == DELETED:
            due += [each.uid for each in self._plane.store.dependents(record.uid)]
            due += record.owners
        elif record.owners and (change.previous is None or change.previous.owners != record.owners):
            due.append(record.uid)
        if change.type != DELETED and (b'"foregroundDeletion"' in record.raw or b'"orphan"' in record.raw):
            due.append(record.uid)
        return [Key("", uid) for uid in due]

    def reconcile(self, key: Key) -> float | None:
        record = self._plane.store.by_uid(key.name)
        if record is None:
            return None
        obj = record.load()
        if objects.is_deleting(obj):
            return self._finish_owner(record, obj)
        references = obj["metadata"].get("ownerReferences") or []
        if not references:
            return None
        gone = [each for each in references if self._is_gone(each)]
        if len(gone) == len(references):
            self._plane.registry.delete(
                record.kind, record.key, Deletion(propagation="Background", uid=record.uid)
            )
        elif gone:
            self._plane.registry.edit(
                record.kind, record.key, lambda each: _disown(each, {g["uid"] for g in gone}), ""
            )
        elif all(self._is_foreground(each["uid"]) for each in references):
            self._plane.registry.delete(record.kind, record.key, Deletion(uid=record.uid))
        return None

    def _is_gone(self, reference: Object) -> bool:
        return self._plane.store.by_uid(reference["uid"]) is None

    def _is_foreground(self, uid: str) -> bool:
        owner = self._plane.store.by_uid(uid)
        if owner is None:
            return True
        meta = owner.load()["metadata"]
        return "deletionTimestamp" in meta and FOREGROUND in (meta.get("finalizers") or ())

    def _finish_owner(self, record: Record, obj: Object) -> float | None:
        finalizers = obj["metadata"].get("finalizers") or ()
        dependents = self._plane.store.dependents(record.uid)
        if ORPHAN in finalizers:
            for each in dependents:
                self._plane.registry.edit(each.kind, each.key, lambda other: _disown(other, {record.uid}), "")
            self._plane.registry.finalize(record.kind, record.key, ORPHAN)
            return None
        if FOREGROUND not in finalizers:
            return None
        blocking = False
        for each in dependents:
            dependent = each.load()
            blocking = blocking or _blocks(dependent, record.uid)
            if not objects.is_deleting(dependent) and all(self._is_foreground(uid) for uid in each.owners):
                self._plane.registry.delete(each.kind, each.key, Deletion(uid=each.uid))
        if blocking and self._plane.store.dependents(record.uid):
            return AGAIN_S
        self._plane.registry.finalize(record.kind, record.key, FOREGROUND)
        return None


class NamespaceController:
    """A namespace that is deleted takes everything in it along."""

    name = "namespaces"

    def __init__(self, plane: Plane) -> None:
        self._plane = plane

    @property
    def interests(self) -> Interests:
        return {NAMESPACE: itself}

    def reconcile(self, key: Key) -> float | None:
        namespace = self._plane.store.find(NAMESPACE, key)
        if namespace is None or not objects.is_deleting(namespace):
            return None
        left = [
            (kind, record)
            for kind in KINDS
            if kind.namespaced
            for record in self._plane.store.records(kind, key.name)
        ]
        for kind, record in left:
            if not objects.is_deleting(record.load()):
                self._plane.registry.delete(kind, record.key, Deletion(propagation="Background"))
        if any(True for kind in KINDS if kind.namespaced for _ in self._plane.store.records(kind, key.name)):
            return AGAIN_S
        self._plane.registry.edit(NAMESPACE, key, _empty, "")
        return None


def _empty(namespace: Object) -> None:
    namespace.get("spec", {}).pop("finalizers", None)


def _blocks(dependent: Object, owner_uid: str) -> bool:
    references = dependent["metadata"].get("ownerReferences") or ()
    return any(each["uid"] == owner_uid and each.get("blockOwnerDeletion") for each in references)


def _disown(obj: Object, uids: set[str]) -> None:
    kept = [each for each in obj["metadata"].get("ownerReferences") or () if each["uid"] not in uids]
    if kept:
        obj["metadata"]["ownerReferences"] = kept
    else:
        obj["metadata"].pop("ownerReferences", None)
