"""What outside services may answer, as our own errors; the original is always the `__cause__`.

    NotFound       404                                  the thing asked for is not there
    Conflict       409                                  present state or somebody else forbids it
    Forbidden      401 of the user's token, 403         the service's policy says no
    OverQuota      413, Neutron's OverQuota             the project's limit in that service
    Rejected       other 4xx                            the service calls the request nonsense
    Unavailable    5xx, 429, no connection, timeout,    not the caller's fault; later it may work
                   our own account refused
      NotSetUp     no endpoint, no account             this cloud does not have the service

Each is a domain kind as well, so whoever catches kinds needs to know nothing of services. Facts:
`service`, `status` (HTTP, None without an answer), `code` (the service's own error code), `detail`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Final

from keystoneauth1 import exceptions as ksa

from openkeel.domain import errors


class ServiceError(errors.KeelError):
    """Base of all that a client raises by itself."""

    template: ClassVar[str] = "{service} answered: {detail}"

    @property
    def code(self) -> str:
        """The service's own name for the error, "" when it gave none."""
        return str(self.facts.get("code") or "")

    @property
    def detail(self) -> str:
        """The service's own words."""
        return str(self.facts.get("detail") or "")


class NotFound(ServiceError, errors.NotFound):
    template = "{service} does not have it: {detail}"


class Conflict(ServiceError, errors.Conflict):
    template = "{service} reports a conflict: {detail}"


class ConsumerInUse(Conflict):
    """A consumer in Placement has other allocations already: nobody's fault but the caller's."""

    template = "{service}: {detail}"


class Forbidden(ServiceError, errors.Forbidden):
    template = "{service} does not allow it: {detail}"


class OverQuota(ServiceError, errors.OverQuota):
    template = "A quota in {service} is exceeded: {detail}"


class Rejected(ServiceError, errors.Invalid):
    template = "{service} refused the request: {detail}"


class Unavailable(ServiceError, errors.Unavailable):
    template = "{service} is not available: {detail}"


class NotSetUp(Unavailable):
    template = "There is no {service} here: {detail}"


_BY_STATUS: dict[int, type[ServiceError]] = {
    401: Forbidden,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: OverQuota,
    429: Unavailable,
}


_NO_ANSWER: Final[tuple[tuple[type[Exception], str], ...]] = (
    (ksa.ConnectTimeout, "it does not answer in time"),
    (ksa.ConnectionError, "it cannot be reached"),
    (ksa.DiscoveryFailure, "its versions cannot be found out"),
)
_NOT_SET_UP: Final[tuple[tuple[type[Exception], str], ...]] = (
    (ksa.CatalogException, "no endpoint of it is known"),
    (ksa.AuthPluginException, "our own account is not set up"),
)


def _described(error: ksa.HttpError) -> tuple[str, str]:
    """The service's error code and text, whichever shape its body has."""
    body: Any = None
    if error.response is not None:
        try:
            body = error.response.json()
        except ValueError:
            body = None
    fallback = str(getattr(error, "message", None) or error)
    if not isinstance(body, dict):
        return "", fallback
    if isinstance(body.get("errors"), list) and body["errors"]:  # Placement
        first = body["errors"][0]
        return str(first.get("code", "")), str(first.get("detail") or first.get("title") or fallback).strip()
    if isinstance(body.get("NeutronError"), dict):
        first = body["NeutronError"]
        return str(first.get("type", "")), str(first.get("message") or fallback)
    if isinstance(body.get("error"), dict):  # Keystone
        first = body["error"]
        return str(first.get("title", "")), str(first.get("message") or fallback)
    if len(body) == 1:  # Cinder, as the compute API: {"badRequest": {"message": ...}}
        [(name, first)] = body.items()
        if isinstance(first, dict) and first.get("message"):
            return str(name), str(first["message"])
    return "", fallback


def _without_answer(service: str, error: ksa.ClientException) -> ServiceError:
    """Why there is no answer, in words that users may read: the error's own name hosts and libraries."""
    for ours, rows in ((Unavailable, _NO_ANSWER), (NotSetUp, _NOT_SET_UP)):
        for kind, words in rows:
            if isinstance(error, kind):
                return ours(service=service, status=None, code="", detail=words)
    return Unavailable(service=service, status=None, code="", detail=type(error).__name__)


def from_ksa(service: str, error: ksa.ClientException, *, as_user: bool) -> ServiceError:
    """Our error for one of keystoneauth's."""
    if not isinstance(error, ksa.HttpError):
        return _without_answer(service, error)
    status = error.http_status
    code, detail = _described(error)
    kind: type[ServiceError] = _BY_STATUS.get(status, Rejected if status < 500 else Unavailable)  # noqa: PLR2004 HTTP
    if code == "OverQuota":
        kind = OverQuota
    if status == 401 and not as_user:  # noqa: PLR2004 HTTP
        kind = Unavailable
        detail = f"our own credentials are refused: {detail}"
    return kind(service=service, status=status, code=code, detail=detail)


@contextmanager
def translated(service: str, *, as_user: bool) -> Iterator[None]:
    """Turn keystoneauth's errors of the block into ours."""
    try:
        yield
    except ksa.ClientException as error:
        raise from_ksa(service, error, as_user=as_user) from error
