"""Refusals as Kubernetes words them: one exception that knows its Status body."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

REASONS: Final = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    406: "NotAcceptable",
    409: "Conflict",
    410: "Expired",
    413: "RequestEntityTooLarge",
    415: "UnsupportedMediaType",
    422: "Invalid",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
}


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing wrong with one field."""

    field: str
    reason: str
    message: str

    def as_json(self) -> dict[str, str]:
        return {"reason": self.reason, "message": self.message, "field": self.field}


@dataclass
class ApiError(Exception):
    """An answer that is no success; `details` and `headers` as the client sees them."""

    code: int
    message: str
    reason: str = ""
    details: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.code} {self.reason or REASONS.get(self.code, '')}: {self.message}"

    def status(self) -> dict[str, Any]:
        """The Status body."""
        body: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason or REASONS.get(self.code, "Unknown"),
        }
        if self.details:
            body["details"] = self.details
        body["code"] = self.code
        return body


def _details(plural: str, group: str, name: str, **more: Any) -> dict[str, Any]:
    details: dict[str, Any] = {"name": name} if name else {}
    if group:
        details["group"] = group
    details["kind"] = plural
    return {**details, **more}


def qualified(plural: str, group: str) -> str:
    """`virtualmachines.kubevirt.io`, or `pods` for the core group."""
    return f"{plural}.{group}" if group else plural


def not_found(plural: str, group: str, name: str) -> ApiError:
    """404 for an object."""
    return ApiError(
        404, f'{qualified(plural, group)} "{name}" not found', details=_details(plural, group, name)
    )


def no_such_resource() -> ApiError:
    """What a path answers that no declared kind serves."""
    return ApiError(404, "the server could not find the requested resource")


def already_exists(plural: str, group: str, name: str) -> ApiError:
    """409 for a name that is taken."""
    message = f'{qualified(plural, group)} "{name}" already exists'
    return ApiError(409, message, "AlreadyExists", _details(plural, group, name))


def conflict(plural: str, group: str, name: str, why: str, causes: Sequence[Cause] = ()) -> ApiError:
    """409 with the reason it cannot be done."""
    message = f'Operation cannot be fulfilled on {qualified(plural, group)} "{name}": {why}'
    details = _details(plural, group, name)
    if causes:
        details["causes"] = [cause.as_json() for cause in causes]
    return ApiError(409, message, details=details)


def stale(plural: str, group: str, name: str) -> ApiError:
    """The object moved on since the caller read it."""
    why = "the object has been modified; please apply your changes to the latest version and try again"
    return conflict(plural, group, name, why)


def invalid(kind: str, plural: str, group: str, name: str, causes: Sequence[Cause]) -> ApiError:
    """422: the causes become the message as well."""
    words = [f"{cause.field}: {cause.message}" for cause in causes]
    text = words[0] if len(words) == 1 else "[" + ", ".join(words) + "]"
    message = f'{qualified(kind, group)} "{name}" is invalid: {text}'
    details = {**_details(kind, group, name), "causes": [cause.as_json() for cause in causes]}
    del plural
    return ApiError(422, message, details=details)


def bad_request(message: str) -> ApiError:
    """400."""
    return ApiError(400, message)


def expired(message: str, token: str = "") -> ApiError:
    """410: a resourceVersion or continue token is older than what is remembered."""
    return ApiError(410, message, "Expired", headers={"X-Continue": token} if token else {})


def denied(webhook: str, message: str, causes: Sequence[Cause] = ()) -> ApiError:
    """An admission webhook said no: 422 when it named fields, else 400."""
    text = f'admission webhook "{webhook}" denied the request: {message}'
    if causes:
        return ApiError(422, text, "Invalid", {"causes": [cause.as_json() for cause in causes]})
    return ApiError(400, text)
