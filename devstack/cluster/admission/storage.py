"""Defaults and rules of claims, volumes and data volumes."""

import re
from typing import Any, Final
from urllib.parse import urlsplit

from devstack.cluster import errors
from devstack.cluster.admission.review import Review
from devstack.cluster.kinds import CLAIM, STORAGE_CLASS
from devstack.cluster.objects import Key, Object, is_owned_by, quantity

CLAIM_FINALIZER: Final = "kubernetes.io/pvc-protection"
VOLUME_FINALIZER: Final = "kubernetes.io/pv-protection"
DEFAULT_CLASS: Final = "storageclass.kubernetes.io/is-default-class"
ACCESS_MODES: Final = frozenset({"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"})
CDI_WEBHOOK: Final = "datavolume-validate.cdi.kubevirt.io"
_CHECKSUM: Final = re.compile(
    r"(md5:[0-9a-f]{32}|sha1:[0-9a-f]{40}|sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})"
)


def default_class(review: Review) -> str | None:
    """The name of the default storage class."""
    for record in review.store.records(STORAGE_CLASS):
        obj = record.load()
        if (obj["metadata"].get("annotations") or {}).get(DEFAULT_CLASS) == "true":
            return record.key.name
    return None


def default_claim(review: Review) -> None:
    """Protect a new claim and give it mode and class."""
    if not review.is_create:
        return
    obj = review.obj
    finalizers = obj["metadata"].setdefault("finalizers", [])
    if CLAIM_FINALIZER not in finalizers:
        finalizers.append(CLAIM_FINALIZER)
    spec = obj.setdefault("spec", {})
    spec.setdefault("volumeMode", "Filesystem")
    if "storageClassName" not in spec:
        name = default_class(review)
        if name:
            spec["storageClassName"] = name
    obj.setdefault("status", {}).setdefault("phase", "Pending")


def validate_claim(review: Review) -> None:
    """Judge a claim, and what may change of one."""
    spec = review.obj.get("spec") or {}
    modes = spec.get("accessModes") or []
    review.require(
        bool(modes),
        "spec.accessModes",
        "Required value: at least 1 access mode is required",
        "FieldValueRequired",
    )
    for mode in modes:
        supported = ", ".join(f'"{each}"' for each in sorted(ACCESS_MODES))
        message = f'Unsupported value: "{mode}": supported values: {supported}'
        review.require(mode in ACCESS_MODES, "spec.accessModes", message, "FieldValueNotSupported")
    storage = _requested(spec)
    review.require(storage is not None, "spec.resources[storage]", "Required value", "FieldValueRequired")
    review.require(
        storage is None or quantity(storage) > 0,
        "spec.resources[storage]",
        f'Invalid value: "{storage}": must be greater than zero',
    )
    if review.old is not None:
        _validate_claim_change(review, spec, review.old["spec"])
    review.refuse_invalid()


def _validate_claim_change(review: Review, spec: Object, old: Object) -> None:
    binds = not old.get("volumeName")
    fixed = {"resources", "volumeAttributesClassName"} | ({"volumeName"} if binds else set())
    same = {name: value for name, value in spec.items() if name not in fixed} == {
        name: value for name, value in old.items() if name not in fixed
    }
    message = (
        "Forbidden: spec is immutable after creation except resources.requests and "
        "volumeAttributesClassName for bound claims"
    )
    review.require(same, "spec", message, "FieldValueForbidden")
    before, after = _requested(old), _requested(spec)
    if before is None or after is None or before == after:
        return
    shrinks = quantity(after) < quantity(before)
    review.require(
        not shrinks,
        "spec.resources.requests.storage",
        "Forbidden: field can not be less than previous value",
        "FieldValueForbidden",
    )
    parent = review.store.find(STORAGE_CLASS, Key("", spec.get("storageClassName") or ""))
    if not shrinks and not (parent or {}).get("allowVolumeExpansion"):
        name = review.obj["metadata"]["name"]
        text = (
            f'persistentvolumeclaims "{name}" is forbidden: only dynamically provisioned pvc can be resized '
            "and the storageclass that provisions the pvc must support resize"
        )
        raise errors.ApiError(403, text, details={"name": name, "kind": "persistentvolumeclaims"})


def _requested(spec: Object) -> Any:
    return ((spec.get("resources") or {}).get("requests") or {}).get("storage")


def default_volume(review: Review) -> None:
    """Protect a new volume and give it mode and policy."""
    if not review.is_create:
        return
    obj = review.obj
    finalizers = obj["metadata"].setdefault("finalizers", [])
    if VOLUME_FINALIZER not in finalizers:
        finalizers.append(VOLUME_FINALIZER)
    spec = obj.setdefault("spec", {})
    spec.setdefault("persistentVolumeReclaimPolicy", "Retain")
    spec.setdefault("volumeMode", "Filesystem")
    obj.setdefault("status", {}).setdefault("phase", "Available")


_VOLUME_SOURCES: Final = ("csi", "iscsi", "fc", "nfs", "local", "hostPath", "rbd", "cephfs")


def validate_volume(review: Review) -> None:
    """A volume has size, modes and exactly one source."""
    spec = review.obj.get("spec") or {}
    review.require(
        "storage" in (spec.get("capacity") or {}), "spec.capacity", "Required value", "FieldValueRequired"
    )
    review.require(bool(spec.get("accessModes")), "spec.accessModes", "Required value", "FieldValueRequired")
    sources = [name for name in _VOLUME_SOURCES if spec.get(name)]
    review.require(
        len(sources) == 1,
        "spec",
        "Required value: must specify exactly one volume type",
        "FieldValueRequired",
    )
    review.refuse_invalid()


def validate_data_volume(review: Review) -> None:
    """CDI's rules for one source, one target, and no change afterwards."""
    spec = review.obj["spec"]
    if review.old is not None:
        if review.old["spec"] != spec:
            review.require(False, "spec", "Cannot update DataVolume Spec", "FieldValueDuplicate")
        review.refuse_denied(CDI_WEBHOOK)
        return
    sources = [name for name, value in (spec.get("source") or {}).items() if value is not None]
    targets = [name for name in ("pvc", "storage") if spec.get(name) is not None]
    message = "Invalid value: exactly one of DataVolume pvc and storage must be given"
    review.require(len(targets) == 1, "spec", message)
    referenced = bool(spec.get("sourceRef"))
    message = "Invalid value: exactly one source, or a sourceRef, must be given"
    review.require(len(sources) + referenced == 1, "spec.source", message)
    if sources == ["http"]:
        _validate_http(review, spec["source"]["http"])
    if targets:
        cloned = referenced or sources in (["pvc"], ["snapshot"])
        _validate_target(review, spec[targets[0]], f"spec.{targets[0]}", size_needed=not cloned)
    _validate_no_foreign_claim(review)
    review.refuse_denied(CDI_WEBHOOK)


def _validate_http(review: Review, source: Object) -> None:
    parts = urlsplit(source.get("url", ""))
    review.require(
        parts.scheme in {"http", "https"} and bool(parts.netloc),
        "spec.source.http.url",
        f"Invalid source URL: {source.get('url')}",
    )
    checksum = source.get("checksum")
    review.require(
        not checksum or _CHECKSUM.fullmatch(checksum) is not None,
        "spec.source.http.checksum",
        f"Invalid checksum: {checksum}",
    )


def _validate_target(review: Review, target: Object, path: str, *, size_needed: bool) -> None:
    size = _requested(target)
    if size is None:
        message = f"{path.rpartition('.')[2].upper()} size is missing"
        review.require(not size_needed, f"{path}.resources.requests.storage", message)
        return
    review.require(
        quantity(size) > 0, f"{path}.resources.requests.storage", "size can't be equal or less than zero"
    )


def _validate_no_foreign_claim(review: Review) -> None:
    meta = review.obj["metadata"]
    claim = review.store.find(CLAIM, Key(meta["namespace"], meta["name"]))
    if claim is not None and not is_owned_by(claim, review.obj):
        message = f"Destination PVC {meta['namespace']}/{meta['name']} already exists"
        review.require(False, "metadata.name", message, "FieldValueDuplicate")
