"""What the Kubernetes API answers when it does not do what was asked. They stay inside this package.

KubeError
Absent          404
Clash           409: somebody changed it, or its state forbids this
Refused         400, 413, 415, 422: will never work
Denied          401, 403: our rights are not enough
Expired         410: the watch is too far behind, list again
Away            429, 5xx, no connection: later maybe
"""

from typing import Any


class KubeError(Exception):
    """Base. `status` is the HTTP code, `reason` and `message` are of the Status object."""

    def __init__(self, message: str, *, status: int = 0, reason: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.reason = reason


class Absent(KubeError):
    """There is no such object."""


class Clash(KubeError):
    """The object is not in the version or state that the call needs."""


class Refused(KubeError):
    """The request makes no sense to the server."""


class Denied(KubeError):
    """We may not."""


class Expired(KubeError):
    """The asked resourceVersion is gone."""


class Away(KubeError):
    """The server cannot answer now. `retry_after_s` is its own wish."""

    retry_after_s: float | None = None


class WaitTimeout(KubeError):
    """The awaited state did not come in time."""


_BY_STATUS: dict[int, type[KubeError]] = {
    400: Refused,
    401: Denied,
    403: Denied,
    404: Absent,
    405: Refused,
    409: Clash,
    410: Expired,
    413: Refused,
    415: Refused,
    422: Refused,
}


def from_status(status: int, body: Any) -> KubeError:
    """The error for an HTTP status and its (Status) body."""
    details = body if isinstance(body, dict) else {}
    kind = _BY_STATUS.get(status, Away)
    message = str(details.get("message") or body or f"HTTP {status}")[:2000]
    return kind(message, status=status, reason=str(details.get("reason", "")))
