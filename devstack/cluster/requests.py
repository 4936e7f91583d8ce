"""Reading a request: which object it names, what its parameters and body say."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson
import yaml

from devstack.cluster import errors, protobuf
from devstack.cluster.objects import Object
from devstack.cluster.registry import Deletion
from devstack.cluster.write_checks import IGNORE, STRICT, WARN

_NAMESPACE_PARTS: Final = frozenset({"status", "finalize"})
MAX_BODY: Final = 3 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Target:
    """The object, collection or subresource a path names."""

    group: str
    version: str
    plural: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""


def target_of(path: str) -> Target | None:
    """Read a resource path; None when it is none."""
    parts = path.strip("/").split("/")
    if parts[0] == "api" and len(parts) > 2:  # noqa: PLR2004  /api/v1/pods
        group, version, rest = "", parts[1], parts[2:]
    elif parts[0] == "apis" and len(parts) > 3:  # noqa: PLR2004  /apis/group/version/things
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        return None
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 2 and not (len(rest) == 3 and rest[2] in _NAMESPACE_PARTS):  # noqa: PLR2004
        namespace, rest = rest[1], rest[2:]
    plural, name, subresource = (*rest, "", "")[:3]
    if len(rest) > 3:  # noqa: PLR2004  resource/name/subresource
        subresource = "/".join(rest[2:])
    return Target(group, version, plural, namespace, name, subresource)


def parse_body(raw: bytes) -> Any:
    """JSON, the YAML that kubectl sends as apply, or protobuf.

    Raises: ApiError 400, or 415 for protobuf of a kind that is not read.
    """
    if raw.startswith(protobuf.MAGIC):
        return protobuf.parse(raw)
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        pass
    try:
        return yaml.safe_load(raw)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise errors.bad_request(f"the body is neither JSON nor YAML: {error}") from error


def parse_object(raw: bytes) -> Object:
    """Raises: ApiError 400 when the body is no object."""
    obj = parse_body(raw)
    if not isinstance(obj, dict):
        raise errors.bad_request(
            "the object provided is unrecognized: couldn't get version/kind; json parse error"
        )
    if not isinstance(obj.get("metadata", {}), dict):
        raise errors.bad_request("the object provided has no proper metadata")
    if obj.get("metadata", {}) is None:
        obj["metadata"] = {}
    return obj


def is_set(query: Mapping[str, str], name: str) -> bool:
    """Whether a query parameter says yes."""
    return query.get(name, "").lower() in {"1", "true"}


def integer(query: Mapping[str, str], name: str) -> int | None:
    """Raises: ApiError 400 when it is no number."""
    text = query.get(name)
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        raise errors.bad_request(
            f'unable to parse query parameter "{name}": "{text}" is not an integer'
        ) from None


def is_dry_run(query: Mapping[str, str]) -> bool:
    """Whether dryRun=All; nothing else is known."""
    value = query.get("dryRun")
    if value not in {None, "", "All"}:
        message = f'dryRun: Unsupported value: "{value}": supported values: "All"'
        raise errors.ApiError(422, f' "" is invalid: {message}')
    return value == "All"


def validation_of(query: Mapping[str, str], default: str) -> str:
    """What unknown fields meet, by request or by default."""
    value = query.get("fieldValidation") or default
    if value not in {STRICT, WARN, IGNORE}:
        message = (
            f'fieldValidation: Unsupported value: "{value}": supported values: "Ignore", "Warn", "Strict"'
        )
        raise errors.ApiError(422, f' "" is invalid: {message}')
    return value


def deletion_of(query: Mapping[str, str], raw: bytes) -> Deletion:
    """DeleteOptions from the body, or else from the query."""
    body = parse_body(raw) if raw.strip() else {}
    if not isinstance(body, dict):
        raise errors.bad_request("DeleteOptions must be an object")
    grace_s = body.get("gracePeriodSeconds", integer(query, "gracePeriodSeconds"))
    propagation = body.get("propagationPolicy") or query.get("propagationPolicy") or ""
    orphan = body.get("orphanDependents", query.get("orphanDependents"))
    if not propagation and orphan is not None:
        propagation = "Orphan" if str(orphan).lower() == "true" else "Background"
    if propagation not in {"", "Foreground", "Background", "Orphan"}:
        message = (
            f'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "{propagation}"'
        )
        raise errors.ApiError(422, message)
    preconditions = body.get("preconditions") or {}
    return Deletion(
        propagation=propagation,
        grace_period_s=grace_s,
        uid=preconditions.get("uid") or "",
        version=preconditions.get("resourceVersion") or "",
        dry_run=is_dry_run(query) or body.get("dryRun") == ["All"],
    )
