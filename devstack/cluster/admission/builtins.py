"""Defaults and rules of the built-in kinds and of the network attachment."""

import base64
import binascii

import orjson

from devstack.cluster.admission.review import Review

MAX_SECRET_BYTES = 1024 * 1024


def default_namespace(review: Review) -> None:
    """Give it the finalizer that keeps it until it is empty, and its label."""
    obj = review.obj
    if review.is_create:
        obj.setdefault("spec", {}).setdefault("finalizers", ["kubernetes"])
        obj.setdefault("status", {}).setdefault("phase", "Active")
    obj["metadata"].setdefault("labels", {})["kubernetes.io/metadata.name"] = obj["metadata"]["name"]


def default_secret(review: Review) -> None:
    """`stringData` is written only: it becomes `data`."""
    obj = review.obj
    plain = obj.pop("stringData", None) or {}
    for name, value in plain.items():
        obj.setdefault("data", {})[name] = base64.b64encode(value.encode()).decode()
    obj.setdefault("type", "Opaque")


def validate_secret(review: Review) -> None:
    """Data is base64 and at most 1 MiB; type and immutable data stay."""
    size = 0
    for name, value in (review.obj.get("data") or {}).items():
        try:
            size += len(base64.b64decode(value, validate=True))
        except binascii.Error:
            review.require(False, f"data[{name}]", "Invalid value: illegal base64 data")
    review.require(
        size <= MAX_SECRET_BYTES, "data", "Too long: may not be more than 1048576 bytes", "FieldValueTooLong"
    )
    if review.old is not None and review.old.get("type") != review.obj.get("type"):
        review.require(False, "type", "Invalid value: field is immutable")
    if (
        review.old is not None
        and review.old.get("immutable")
        and review.old.get("data") != review.obj.get("data")
    ):
        review.require(
            False, "data", "Forbidden: field is immutable when `immutable` is set", "FieldValueForbidden"
        )
    review.refuse_invalid()


def default_pod(review: Review) -> None:
    """The defaults that the scheduler and kubelets rely on."""
    if not review.is_create:
        return
    spec = review.obj.setdefault("spec", {})
    spec.setdefault("restartPolicy", "Always")
    spec.setdefault("terminationGracePeriodSeconds", 30)
    spec.setdefault("schedulerName", "default-scheduler")
    status = review.obj.setdefault("status", {})
    status.setdefault("phase", "Pending")
    status.setdefault("qosClass", "Burstable")


def validate_pod(review: Review) -> None:
    """A pod has containers."""
    containers = review.obj.get("spec", {}).get("containers")
    review.require(bool(containers), "spec.containers", "Required value", "FieldValueRequired")
    review.refuse_invalid()


def validate_event(review: Review) -> None:
    """An event lives where its object lives."""
    involved = review.obj.get("involvedObject") or {}
    same = involved.get("namespace", "") in {"", review.obj["metadata"].get("namespace")}
    review.require(same, "involvedObject.namespace", "Invalid value: does not match event.namespace")
    review.refuse_invalid()


def validate_network(review: Review) -> None:
    """The net-attach-def webhook: the configuration, when there is one, is JSON with a plug-in type."""
    text = (review.obj.get("spec") or {}).get("config")
    if not text:
        return
    try:
        config = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        review.require(
            False, "spec.config", f"Invalid value: configuration string is not in JSON format: {error}"
        )
    else:
        typed = isinstance(config, dict) and ("type" in config or "plugins" in config)
        review.require(typed, "spec.config", "Invalid value: a CNI configuration names a plug-in type")
    review.refuse_denied("multus.k8s.cni.cncf.io")
