"""What a write means: the rules that Kubernetes puts between a request and its storage.

HTTP and the controllers both write through here. Validation and admission webhooks judge clients only; the
controllers are trusted, as KubeVirt's own service accounts are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import orjson

from devstack.cluster import errors, objects
from devstack.cluster.admission import ADMISSION, Review
from devstack.cluster.apply import apply, record_update
from devstack.cluster.clock import Clock
from devstack.cluster.errors import Cause
from devstack.cluster.kinds import NAMESPACE, POD, Kind
from devstack.cluster.objects import Key, Object
from devstack.cluster.schema import Schemas, examine
from devstack.cluster.store import Store
from devstack.cluster.write_checks import (
    Write,
    check_applied,
    check_identity,
    check_metadata,
    check_place,
    refuse_builtin,
    refuse_unknown,
)

FOREGROUND: Final = "foregroundDeletion"
ORPHAN: Final = "orphan"


@dataclass(frozen=True, slots=True)
class Deletion:
    """DeleteOptions."""

    propagation: str = ""
    grace_period_s: int | None = None
    uid: str = ""
    version: str = ""
    dry_run: bool = False


class Registry:
    """Creates, changes and deletes objects of every kind in a store."""

    def __init__(self, store: Store, clock: Clock, schemas: Schemas) -> None:
        self.store = store
        self.clock = clock
        self._schemas = schemas
        self._second, self._now = -1, ""

    def now(self) -> str:
        """The present as metadata carries it."""
        second = int(self.clock.wall())
        if second != self._second:
            self._second, self._now = second, objects.timestamp(second)
        return self._now

    def get(self, kind: Kind, key: Key) -> Object:
        """Raises: ApiError 404."""
        obj = self.store.find(kind, key)
        if obj is None:
            raise errors.not_found(kind.plural, kind.group, key.name)
        return obj

    def create(self, kind: Kind, obj: Object, write: Write) -> Object:
        """Store a new object and return it as stored.

        Raises: ApiError 404 (namespace), 409 AlreadyExists, 400 or 422 when it is not valid.
        """
        meta = obj.setdefault("metadata", {})
        obj["apiVersion"], obj["kind"] = kind.api_version, kind.kind
        if not meta.get("name") and meta.get("generateName"):
            meta["name"] = objects.generated(meta["generateName"])
        for name in ("resourceVersion", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"):
            meta.pop(name, None)
        meta["uid"] = objects.new_uid()
        meta["creationTimestamp"] = self.now()
        managed = meta.pop("managedFields", None)
        meta.pop("generation", None)
        if kind.custom:
            meta["generation"] = 1
        if kind.has_status and not write.trusted:
            obj.pop("status", None)
        check_place(kind, obj, self.store)
        self._judge(kind, obj, None, "", write)
        key = objects.key_of(obj)
        if self.store.record(kind, key):
            raise errors.already_exists(kind.plural, kind.group, key.name)
        if managed:
            meta["managedFields"] = managed
        elif write.manager:
            record_update(None, obj, self._schemas.node(kind.schema), kind, write.manager, self.now())
        if write.dry_run:
            return obj
        self.store.put(kind, obj)
        return obj

    def replace(self, kind: Kind, key: Key, obj: Object, write: Write, subresource: str = "") -> Object:
        """PUT: the whole object (or its status) becomes this, if nobody else wrote meanwhile."""
        old = self.get(kind, key)
        meta = obj.setdefault("metadata", {})
        if kind.custom and not meta.get("resourceVersion"):
            cause = Cause(
                "metadata.resourceVersion",
                "FieldValueInvalid",
                "Invalid value: 0x0: must be specified for an update",
            )
            raise errors.invalid(kind.kind, kind.plural, kind.group, key.name, [cause])
        return self._store_change(kind, old, obj, write, subresource)

    def patch(
        self, kind: Kind, key: Key, change: Callable[[Object], Object], write: Write, subresource: str = ""
    ) -> Object:
        """Change an object by a function of its current state."""
        old = self.get(kind, key)
        return self._store_change(kind, old, change(self.get(kind, key)), write, subresource)

    def apply(
        self, kind: Kind, key: Key, wanted: Object, write: Write, *, force: bool, subresource: str = ""
    ) -> tuple[Object, bool]:
        """Server-side apply; returns the object and whether it was made by this call.

        Raises: ApiError 409 on a conflict of managers, and what create and replace raise.
        """
        check_applied(kind, key, wanted)
        live = self.store.find(kind, key)
        node = self._schemas.node(kind.schema)
        if kind.has_status:
            wanted = _only(wanted, "status") if subresource == "status" else _without(wanted, "status")
        wanted["metadata"]["name"] = key.name
        if key.namespace:
            wanted["metadata"]["namespace"] = key.namespace
        if live is None:
            if subresource:
                raise errors.not_found(kind.plural, kind.group, key.name)
            if wanted["metadata"].get("uid"):
                uid = wanted["metadata"]["uid"]
                why = (
                    f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
                )
                raise errors.conflict(kind.plural, kind.group, key.name, why)
            made = apply(None, wanted, node, kind, write.manager, self.now(), force=force)
            return self.create(kind, made, write), True
        for name, value in (
            ("uid", live["metadata"]["uid"]),
            ("resourceVersion", live["metadata"]["resourceVersion"]),
        ):
            if wanted["metadata"].get(name, value) != value:
                raise errors.stale(kind.plural, kind.group, key.name)
        merged = apply(
            live, wanted, node, kind, write.manager, self.now(), force=force, subresource=subresource
        )
        return self._store_change(kind, live, merged, write, subresource, applied=True), False

    def edit(self, kind: Kind, key: Key, change: Callable[[Object], None], manager: str) -> Object | None:
        """A controller's write: change the object in place; nothing happens when it is gone or the same."""
        record = self.store.record(kind, key)
        if record is None:
            return None
        obj = record.load()
        change(obj)
        return obj if orjson.dumps(obj) == record.raw else self.save(kind, obj, manager)

    def save(self, kind: Kind, obj: Object, manager: str) -> Object:
        """Store a controller's version of an object read just now."""
        old = self.get(kind, objects.key_of(obj))
        if old["metadata"]["uid"] != obj["metadata"]["uid"]:
            raise errors.stale(kind.plural, kind.group, obj["metadata"]["name"])
        obj["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"]
        return self._store_change(kind, old, obj, Write(manager=manager, trusted=True), "")

    def delete(self, kind: Kind, key: Key, deletion: Deletion = Deletion()) -> tuple[Object, bool]:
        """Delete, or begin to; returns the last state and whether the object is gone.

        Raises: ApiError 404, 409 when a precondition does not hold.
        """
        obj = self.get(kind, key)
        meta = obj["metadata"]
        for name, wanted in (("uid", deletion.uid), ("resourceVersion", deletion.version)):
            if wanted and meta[name] != wanted:
                title = "UID" if name == "uid" else "ResourceVersion"
                found = meta[name]
                why = (
                    f"Precondition failed: {title} in precondition: {wanted}, {title} in object meta: {found}"
                )
                raise errors.conflict(kind.plural, kind.group, key.name, why)
        finalizers = _propagated(meta.get("finalizers") or [], deletion.propagation)
        grace_s = self._grace(kind, obj, deletion)
        waits = bool(finalizers) or grace_s > 0 or kind is NAMESPACE
        if deletion.dry_run:
            return obj, not waits
        if not waits:
            return self.store.remove(kind, key) or obj, True
        before = dict(meta)
        if finalizers:
            meta["finalizers"] = finalizers
        meta.setdefault("deletionTimestamp", objects.timestamp(self.clock.wall() + grace_s))
        meta["deletionGracePeriodSeconds"] = min(grace_s, before.get("deletionGracePeriodSeconds", grace_s))
        if kind is NAMESPACE:
            obj.setdefault("status", {})["phase"] = "Terminating"
        if meta != before:
            if kind.custom and "deletionTimestamp" not in before:
                meta["generation"] = meta.get("generation", 1) + 1
            self.store.put(kind, obj)
        return obj, False

    def finalize(self, kind: Kind, key: Key, finalizer: str) -> None:
        """Take one finalizer off; the last one lets a deleted object go."""

        def without(obj: Object) -> None:
            kept = [name for name in obj["metadata"].get("finalizers") or () if name != finalizer]
            if kept:
                obj["metadata"]["finalizers"] = kept
            else:
                obj["metadata"].pop("finalizers", None)

        self.edit(kind, key, without, "")

    def _store_change(
        self, kind: Kind, old: Object, new: Object, write: Write, subresource: str, *, applied: bool = False
    ) -> Object:
        check_identity(kind, old, new)
        new["apiVersion"], new["kind"] = kind.api_version, kind.kind
        managed = new["metadata"].get("managedFields") if applied else None
        _keep_system_fields(old, new)
        if subresource == "status":
            new = {**_without(old, "status"), "metadata": {**old["metadata"]}, **_part(new, "status")}
        elif kind.has_status and not write.trusted:
            new.pop("status", None)
            if "status" in old:
                new["status"] = old["status"]
        if not subresource:
            check_metadata(kind, new)
        self._judge(kind, new, old, subresource, write)
        if kind.custom and _spec_differs(old, new, has_status=kind.has_status):
            new["metadata"]["generation"] = old["metadata"].get("generation", 1) + 1
        if new == old and managed in (None, old["metadata"].get("managedFields")):
            return old
        self._note_manager(kind, old, new, write, subresource, managed)
        if write.dry_run:
            return new
        record = self.store.put(kind, new)
        if objects.is_deleting(new) and self._may_go(kind, new):
            self.store.remove(kind, record.key)
        return new

    def _note_manager(
        self,
        kind: Kind,
        old: Object,
        new: Object,
        write: Write,
        subresource: str,
        applied: list[Object] | None,
    ) -> None:
        if applied is not None:
            new["metadata"]["managedFields"] = applied
        else:
            is_status = write.trusted and kind.has_status and _only_status_differs(old, new)
            written = "status" if is_status else subresource
            node = self._schemas.node(kind.schema)
            record_update(old, new, node, kind, write.manager, self.now(), written)
        if not new["metadata"]["managedFields"]:
            del new["metadata"]["managedFields"]

    def _may_go(self, kind: Kind, obj: Object) -> bool:
        meta = obj["metadata"]
        if meta.get("finalizers"):
            return False
        if kind is NAMESPACE:
            return not obj.get("spec", {}).get("finalizers")
        return not meta.get("deletionGracePeriodSeconds")

    @staticmethod
    def _grace(kind: Kind, obj: Object, deletion: Deletion) -> int:
        if kind is not POD or not obj.get("spec", {}).get("nodeName"):
            return 0
        if obj.get("status", {}).get("phase") in {"Succeeded", "Failed"}:
            return 0
        if deletion.grace_period_s is not None:
            return max(0, deletion.grace_period_s)
        return int(obj["spec"].get("terminationGracePeriodSeconds", 30))

    def _judge(self, kind: Kind, obj: Object, old: Object | None, subresource: str, write: Write) -> None:
        """Mutating webhooks, schema, validating webhooks."""
        name = obj["metadata"].get("name", "")
        if not write.trusted:
            findings = examine(obj, self._schemas.node(kind.schema), nulls_are_absent=not kind.custom)
            refuse_unknown(kind, findings.unknown, write)
            if findings.causes and kind.custom:
                raise errors.invalid(kind.kind, kind.plural, kind.group, name, findings.causes)
            if findings.causes:
                refuse_builtin(kind, name, findings.causes)
        review = Review(kind, obj, old, subresource, self.store, self.now())
        rules = ADMISSION.get(kind)
        if rules is None:
            return
        rules.mutate(review)
        if not write.trusted:
            rules.validate(review)


_SYSTEM_FIELDS: Final = (
    "name",
    "namespace",
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "generation",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
    "generateName",
    "selfLink",
)


def _keep_system_fields(old: Object, new: Object) -> None:
    meta, before = new["metadata"], old["metadata"]
    for name in _SYSTEM_FIELDS:
        if name in before:
            meta[name] = before[name]
        else:
            meta.pop(name, None)
    for name in ("labels", "annotations", "finalizers", "ownerReferences"):
        if not meta.get(name):
            meta.pop(name, None)


def _propagated(finalizers: list[str], propagation: str) -> list[str]:
    added = {"Foreground": FOREGROUND, "Orphan": ORPHAN}.get(propagation)
    return [*finalizers, added] if added and added not in finalizers else finalizers


def _spec_differs(old: Object, new: Object, *, has_status: bool) -> bool:
    ignored = {"metadata", "status"} if has_status else {"metadata"}
    names = (old.keys() | new.keys()) - ignored
    return any(old.get(name) != new.get(name) for name in names)


def _only_status_differs(old: Object, new: Object) -> bool:
    def rest(obj: Object) -> dict[str, Any]:
        return {name: value for name, value in obj.items() if name not in {"status", "metadata"}}

    def meta(obj: Object) -> dict[str, Any]:
        return {name: value for name, value in obj["metadata"].items() if name != "managedFields"}

    return rest(old) == rest(new) and meta(old) == meta(new)


def _only(obj: Object, part: str) -> Object:
    kept = ("apiVersion", "kind", "metadata", part)
    return {name: obj[name] for name in kept if name in obj}


def _part(obj: Object, part: str) -> Object:
    return {part: obj[part]} if part in obj else {}


def _without(obj: Object, part: str) -> Object:
    return {name: value for name, value in obj.items() if name != part}
