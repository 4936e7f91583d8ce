"""What stands around the application: request ids, body size, the roots of the versions.

Small WSGI wrappers of our own where a general one would cost more than the work itself. What
operators can turn on (CORS, proxy headers, health check) is oslo.middleware's, composed in
`openkeel.api.app`.
"""

import re
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import orjson

from openkeel.api.errors import plain

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]

_VERSIONS: Final = frozenset({"v2", "v2.1"})
_PIECE_BYTES: Final = 65536
_DROPPED_LIMITS: Final = 10
_TOO_LARGE: Final = 413

_GLOBAL_ID: Final = re.compile(r"req-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class RequestIds:
    """Gives every request an id, keeps the caller's own beside it, and tells it in the answer.

    Contract: headers x-openstack-request-id and x-compute-request-id on every answer; a valid
    X-Openstack-Request-Id of the request is the global request id.
    """

    def __init__(self, application: Application) -> None:
        self._application = application

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        request_id = f"req-{uuid.uuid4()}"
        environ["openstack.request_id"] = request_id
        given = environ.get("HTTP_X_OPENSTACK_REQUEST_ID", "")
        if _GLOBAL_ID.fullmatch(given):
            environ["openstack.global_request_id"] = given

        def start(status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Any:
            return start_response(
                status,
                [*headers, ("x-openstack-request-id", request_id), ("x-compute-request-id", request_id)],
                *exc_info,
            )

        return self._application(environ, start)


class BodyLimit:
    """Refuses bodies larger than `limit` bytes with 413, before anything reads them.

    What is left of a body is read and dropped, as far as that is not much: the server would close a
    connection on which it waits, and the client's next request would be lost.
    """

    def __init__(self, application: Application, limit: int) -> None:
        self._application = application
        self._limit = limit
        self._most_dropped = _DROPPED_LIMITS * limit

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        try:
            length = int(environ.get("CONTENT_LENGTH") or 0)
        except ValueError:
            length = 0
        if length > self._limit:
            _drop_rest(environ, self._most_dropped)
            return _refuse(_TOO_LARGE, "Request Entity Too Large", "The body is too large.", start_response)
        if not environ.get("CONTENT_LENGTH") and environ.get("wsgi.input_terminated"):
            # A chunked body says no length: what is beyond the limit is cut off and so no valid JSON.
            environ["CONTENT_LENGTH"] = str(self._limit)
        answer = self._application(environ, start_response)
        _drop_rest(environ, self._most_dropped)
        return answer


def _drop_rest(environ: Environ, most: int) -> None:
    """Read what is left of a body, where the server tells its end, up to so many bytes."""
    if not environ.get("wsgi.input_terminated"):
        return
    while most > 0 and (piece := environ["wsgi.input"].read(min(most, _PIECE_BYTES))):
        most -= len(piece)


class Roots:
    """Chooses between the documents of the versions and the two endpoints.

    Args:
        documents: answers `/`, `/v2`, `/v2.1` and every unknown root.
        endpoint: the API itself, for all below `/v2` and `/v2.1`.
        others: applications for other exact paths, such as /healthcheck.
    """

    def __init__(
        self, documents: Application, endpoint: Application, others: Mapping[str, Application]
    ) -> None:
        self._documents = documents
        self._endpoint = endpoint
        self._others = dict(others)

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        path = re.sub("/{2,}", "/", environ.get("PATH_INFO", "") or "/")
        environ["PATH_INFO"] = path
        other = self._others.get(path)
        if other is not None:
            return other(environ, start_response)
        version, _, rest = path[1:].partition("/")
        is_document = path == "/" or (version in _VERSIONS and not rest)
        if environ["REQUEST_METHOD"] == "OPTIONS" and not is_document:
            # What a browser may do is said by the headers that CORS adds, if it is turned on.
            start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "0")])
            return []
        if version in _VERSIONS and rest:
            environ["openkeel.legacy"] = version == "v2"
            environ["PATH_INFO"] = f"/{rest}"
            return self._endpoint(environ, start_response)
        return self._documents(environ, start_response)


def _refuse(status: int, title: str, message: str, start_response: StartResponse) -> Iterable[bytes]:
    body = orjson.dumps(plain(status, title, message))
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    start_response(f"{status} {title}", headers)
    return [body]
