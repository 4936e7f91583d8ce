"""What is refused before anything is stored."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from devstack.cluster import errors, objects
from devstack.cluster.errors import Cause
from devstack.cluster.kinds import NAMESPACE, Kind
from devstack.cluster.objects import Key, Object
from devstack.cluster.store import Store

STRICT: Final = "Strict"
WARN: Final = "Warn"
IGNORE: Final = "Ignore"
_NAMES_WITHOUT_DOTS: Final = (NAMESPACE,)


@dataclass(slots=True)
class Write:
    """Who writes and how; `warnings` comes back filled."""

    manager: str = ""
    dry_run: bool = False
    validation: str = STRICT
    trusted: bool = False
    warnings: list[str] = field(default_factory=list)


def check_place(kind: Kind, obj: Object, store: Store) -> None:
    """An object has a name, and a namespace that is there. Raises: ApiError 404, 403, 422."""
    meta = obj["metadata"]
    name = meta.get("name", "")
    if not name:
        cause = Cause(
            "metadata.name", "FieldValueRequired", "Required value: name or generateName is required"
        )
        raise errors.invalid(kind.kind, kind.plural, kind.group, name, [cause])
    if not (objects.is_label(name) if kind in _NAMES_WITHOUT_DOTS else objects.is_subdomain(name)):
        rule = "RFC 1123 label" if kind in _NAMES_WITHOUT_DOTS else "lowercase RFC 1123 subdomain"
        message = (
            f'Invalid value: "{name}": a {rule} must consist of lower case alphanumeric characters, '
            '"-" or ".", and must start and end with an alphanumeric character'
        )
        cause = Cause("metadata.name", "FieldValueInvalid", message)
        raise errors.invalid(kind.kind, kind.plural, kind.group, name, [cause])
    check_metadata(kind, obj)
    if not kind.namespaced:
        meta.pop("namespace", None)
        return
    namespace = store.find(NAMESPACE, Key("", meta["namespace"]))
    if namespace is None:
        raise errors.not_found("namespaces", "", meta["namespace"])
    if objects.is_deleting(namespace):
        message = (
            f'{kind.resource} "{name}" is forbidden: unable to create new content in namespace '
            f"{meta['namespace']} because it is being terminated"
        )
        cause = Cause(
            "metadata.namespace",
            "NamespaceTerminating",
            f"namespace {meta['namespace']} is being terminated",
        )
        details = {"name": name, "kind": kind.plural, "causes": [cause.as_json()]}
        raise errors.ApiError(403, message, details=details)


def check_metadata(kind: Kind, obj: Object) -> None:
    """Labels and annotations. Raises: ApiError 422."""
    meta = obj["metadata"]
    causes = []
    for key, value in (meta.get("labels") or {}).items():
        if not isinstance(value, str) or not objects.is_label_value(value) or not _is_qualified(key):
            rule = "a label has a qualified name and at most 63 characters"
            message = f'Invalid value: "{key}={value}": {rule}'
            causes.append(Cause("metadata.labels", "FieldValueInvalid", message))
    causes += [
        Cause("metadata.annotations", "FieldValueInvalid", f'Invalid value: "{key}": no qualified name')
        for key in meta.get("annotations") or {}
        if not _is_qualified(key)
    ]
    if causes:
        raise errors.invalid(kind.kind, kind.plural, kind.group, meta.get("name", ""), causes)


def refuse_unknown(kind: Kind, unknown: Iterable[str], write: Write) -> None:
    """Fields that the schema does not have, as strictly as the writer asked. Raises: ApiError 400."""
    words = [f'unknown field "{path}"' for path in unknown]
    if not words or write.validation == IGNORE:
        return
    if write.validation == STRICT:
        message = (
            f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: '
            f"strict decoding error: {', '.join(words)}"
        )
        raise errors.bad_request(message)
    write.warnings.extend(words)


def refuse_builtin(kind: Kind, name: str, causes: list[Cause]) -> None:
    """Built-in kinds decode into Go types: a wrong type is a 400, a missing field a 422."""
    wrong = [cause for cause in causes if cause.reason == "FieldValueTypeInvalid"]
    if wrong:
        found = {"integer": "number", "boolean": "bool"}.get(said := wrong[0].message.split('"')[1], said)
        message = (
            f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: json: cannot '
            f"unmarshal {found} into Go struct field {kind.kind}.{wrong[0].field}"
        )
        raise errors.bad_request(message)
    raise errors.invalid(kind.kind, kind.plural, kind.group, name, causes)


def check_applied(kind: Kind, key: Key, wanted: Object) -> None:
    """What is applied is what the URL names. Raises: ApiError 400."""
    if (wanted.get("apiVersion"), wanted.get("kind")) != (kind.api_version, kind.kind):
        message = (
            f"the apiVersion or kind in the data ({wanted.get('apiVersion')}, {wanted.get('kind')}) does not "
            f"match the expected ({kind.api_version}, {kind.kind})"
        )
        raise errors.bad_request(message)
    meta = wanted.setdefault("metadata", {})
    if meta.get("managedFields"):
        raise errors.bad_request("metadata.managedFields must be nil")
    if meta.get("name", key.name) != key.name:
        message = f"the name of the object ({meta['name']}) does not match the name on the URL ({key.name})"
        raise errors.bad_request(message)
    if meta.get("namespace", key.namespace) != key.namespace:
        raise errors.bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )


def check_identity(kind: Kind, old: Object, new: Object) -> None:
    """A change keeps name, uid and version. Raises: ApiError 400, 409, 422."""
    before, meta = old["metadata"], new["metadata"]
    name = before["name"]
    if meta.get("name", name) != name:
        raise errors.bad_request(
            f"the name of the object ({meta['name']}) does not match the name on the URL ({name})"
        )
    if meta.get("namespace", before.get("namespace")) != before.get("namespace"):
        raise errors.bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    if (meta.get("resourceVersion") or before["resourceVersion"]) != before["resourceVersion"]:
        raise errors.stale(kind.plural, kind.group, name)
    if (meta.get("uid") or before["uid"]) != before["uid"]:
        why = f"Precondition failed: UID in precondition: {meta['uid']}, UID in object meta: {before['uid']}"
        raise errors.conflict(kind.plural, kind.group, name, why)
    if "deletionTimestamp" in before:
        added = set(meta.get("finalizers") or ()) - set(before.get("finalizers") or ())
        if added:
            message = (
                "Forbidden: no new finalizers can be added if the object is being deleted, found new "
                f"finalizers {sorted(added)}"
            )
            cause = Cause("metadata.finalizers", "FieldValueForbidden", message)
            raise errors.invalid(kind.kind, kind.plural, kind.group, name, [cause])


def _is_qualified(key: str) -> bool:
    prefix, slash, name = key.rpartition("/")
    if slash and not objects.is_subdomain(prefix):
        return False
    return bool(name) and objects.is_label_value(name)
