"""Errors on their way out: kind to status, and the envelope clients know.

The one table is KINDS; an operation's `errors` column holds what differs for it. Contract:
exceptions.json (fault_envelope_names, global_conversions).
"""

import logging
from collections.abc import Mapping
from typing import Any, Final

from openkeel.domain import errors

LOG = logging.getLogger(__name__)

KINDS: Final[Mapping[type[errors.KeelError], int]] = {
    errors.NotFound: 404,
    errors.AlreadyExists: 409,
    errors.Invalid: 400,
    errors.InvalidState: 409,
    errors.Conflict: 409,
    errors.Forbidden: 403,
    errors.OverQuota: 403,
    errors.NoCapacity: 400,
    errors.Unavailable: 503,
    errors.Unsupported: 400,
    errors.Timeout: 504,
    errors.Internal: 500,
}

ENVELOPES: Final[Mapping[int, str]] = {
    400: "badRequest",
    401: "unauthorized",
    403: "forbidden",
    404: "itemNotFound",
    405: "badMethod",
    409: "conflictingRequest",
    413: "overLimit",
    415: "badMediaType",
    429: "overLimit",
    501: "notImplemented",
    503: "serviceUnavailable",
}
OTHER_ENVELOPE: Final = "computeFault"
_INTERNAL: Final = 500

FAULT_TYPE: Final = "application/json; charset=UTF-8"


class Fault(Exception):
    """A refusal the API itself makes, with its status."""

    def __init__(self, status: int, message: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = dict(headers or {})


class NoRoute(Exception):
    """No operation of any version has this path and method."""


def status_of(error: errors.KeelError, exceptions: Mapping[type[errors.KeelError], int]) -> int:
    """The status of an error: the operation's own exceptions first, then the table, nearest class first."""
    for kind in type(error).__mro__:
        if kind in exceptions:
            return exceptions[kind]
    for kind in type(error).__mro__:
        if kind in KINDS:
            return KINDS[kind]
    return _INTERNAL


def envelope(status: int, message: str) -> dict[str, Any]:
    """The body of a fault."""
    return {ENVELOPES.get(status, OTHER_ENVELOPE): {"code": status, "message": message}}


def plain(status: int, title: str, message: str) -> dict[str, Any]:
    """The body of a refusal from outside the compute API's own code, such as an unknown path."""
    return {"message": message, "code": f"{status} {title}", "title": title}


def to_fault(error: Exception, exceptions: Mapping[type[errors.KeelError], int]) -> Fault:
    """Any error as a fault. What we did not raise on purpose is logged and not told."""
    if isinstance(error, Fault):
        return error
    if isinstance(error, errors.KeelError):
        status = status_of(error, exceptions)
        if status != _INTERNAL:
            if status > _INTERNAL:  # something outside is down: the client may know, the operator must
                LOG.warning("Answered %s: %r", status, error, exc_info=error.__cause__)
            return Fault(status, str(error))
    LOG.error("Unexpected error in the API", exc_info=error)
    return Fault(_INTERNAL, "An unexpected error arose. The request id names it in the log of the API.")
