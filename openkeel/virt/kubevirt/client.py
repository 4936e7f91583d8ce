"""The one place that knows the Kubernetes library: paths in, plain dictionaries out.

Calls that may be repeated are, for `retry_s` seconds, when the server is away or overloaded. All calls
but watches share one rate limit.
"""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import orjson
import tenacity
import urllib3
from kubernetes import config as kube_config
from kubernetes.client.api_client import ApiClient
from kubernetes.client.configuration import Configuration
from kubernetes.client.exceptions import ApiException

from openkeel.virt.kubevirt.errors import Away, KubeError, from_status

LOG = logging.getLogger(__name__)

Object = dict[str, Any]
_T = TypeVar("_T")

FIELD_MANAGER = "openkeel-compute"
PAGE = 500
_APPLY = "application/apply-patch+yaml"
_MERGE = "application/merge-patch+json"
_JSON = "application/json"


def connect(kubeconfig: str | None, context: str | None) -> ApiClient:
    """A connection from a kubeconfig file, or from inside a pod when there is none."""
    configuration = Configuration()
    if kubeconfig:
        kube_config.load_kube_config(kubeconfig, context=context, client_configuration=configuration)
    else:
        kube_config.load_incluster_config(client_configuration=configuration)
    configuration.connection_pool_maxsize = 64
    configuration.retries = 0  # ours, below, know which calls may be repeated
    return ApiClient(configuration)


class Watch:
    """One stream of events, to be iterated once.

    Raises, while iterated: Expired when the stream says that the version is too old; Away.
    """

    def __init__(self, path: str, response: Any) -> None:
        self._path = path
        self._response = response

    def __iter__(self) -> Iterator[Object]:
        try:
            pending = b""
            for chunk in self._response.stream(65536, decode_content=False):
                pending += chunk
                *lines, pending = pending.split(b"\n")
                for line in lines:
                    if line.strip():
                        yield _event(line)
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise Away(f"watch of {self._path} broke: {error}") from error
        finally:
            self._response.close()

    def stop(self) -> None:
        """From another thread: the iteration ends now, as if the server had ended or broken the stream."""
        with contextlib.suppress(ValueError, RuntimeError, OSError):  # it has ended already
            self._response.shutdown()


class RateLimit:
    """Spreads calls so that no more than `qps` start in a second."""

    def __init__(self, qps: float) -> None:
        self._interval_s = 1.0 / qps
        self._lock = threading.Lock()
        self._next = 0.0

    def wait(self) -> None:
        """Return when it is this call's turn."""
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            # A short idle time may be made up for: twenty calls at once are no flood.
            self._next = max(turn, now - 20 * self._interval_s) + self._interval_s
        if turn > now:
            time.sleep(turn - now)


class KubeClient:
    """Verbs of the Kubernetes API over paths (see `names.py`)."""

    def __init__(self, api: ApiClient, *, timeout_s: float, retry_s: float, qps: float) -> None:
        self._api = api
        self._timeout_s = timeout_s
        self._retry_s = retry_s
        self._limit = RateLimit(qps)

    def get(self, path: str, **query: str) -> Object:
        """Raises: Absent."""
        return self._repeat(lambda: self._json("GET", path, query))

    def find(self, path: str) -> Object | None:
        """The object, None when there is none."""
        from openkeel.virt.kubevirt.errors import Absent

        try:
            return self.get(path)
        except Absent:
            return None

    def list(self, path: str, **query: str) -> tuple[list[Object], str]:
        """All objects of a collection over all pages, and the resourceVersion to watch from."""
        items: list[Object] = []
        more: dict[str, str] = {}
        while True:
            asked = {**query, "limit": str(PAGE), **more}
            page = self._repeat(lambda asked=asked: self._json("GET", path, asked))  # type: ignore[misc]
            items.extend(page["items"])
            token = page["metadata"].get("continue")
            if not token:
                return items, page["metadata"]["resourceVersion"]
            more = {"continue": token}

    def apply(self, path: str, manifest: Mapping[str, Any], *, dry_run: bool = False) -> Object:
        """Create or converge by server-side apply. Raises: Refused."""
        query = {"fieldManager": FIELD_MANAGER, "force": "true"}
        if dry_run:
            query["dryRun"] = "All"
        return self._repeat(lambda: self._json("PATCH", path, query, manifest, _APPLY))

    def merge(self, path: str, patch: Mapping[str, Any]) -> Object:
        """Merge patch; with a resourceVersion in it a stale one raises Clash."""
        return self._repeat(lambda: self._json("PATCH", path, {}, patch, _MERGE))

    def create(self, path: str, manifest: Mapping[str, Any]) -> Object:
        """Raises: Clash when it exists."""
        return self._repeat(lambda: self._json("POST", path, {}, manifest))

    def put(self, path: str, body: Mapping[str, Any] | None = None) -> None:
        """Call a subresource. Not repeated: whether it took effect is seen at the object."""
        self._json("PUT", path, {}, body if body is not None else {})

    def delete(self, path: str, *, foreground: bool = False, grace_s: int | None = None) -> None:
        """Delete; fine when it is gone. Returns before finalizers have run."""
        from openkeel.virt.kubevirt.errors import Absent

        body: Object = {"propagationPolicy": "Foreground" if foreground else "Background"}
        if grace_s is not None:
            body["gracePeriodSeconds"] = grace_s
        try:
            self._repeat(lambda: self._json("DELETE", path, {}, body))
        except Absent:
            LOG.debug("%s is gone already", path)

    def log(self, path: str, **query: str) -> bytes:
        """The log of a pod's container."""
        return self._repeat(lambda: bytes(self._call("GET", path, query, None, _JSON).read()))

    def watch(self, path: str, version: str, timeout_s: float, **query: str) -> "Watch":
        """Events of a collection from `version` until the server ends the stream.

        Raises: Expired when the version is too old; Away.
        """
        asked = {
            **query,
            "watch": "true",
            "resourceVersion": version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(max(1, int(timeout_s))),
        }
        return Watch(
            path, self._call("GET", path, asked, None, _JSON, timeout_s + 10, limited=False).response
        )

    # One call

    def _repeat(self, call: Callable[[], _T]) -> _T:
        return tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(Away),
            stop=tenacity.stop_after_delay(self._retry_s),
            wait=_wait,
            reraise=True,
        )(call)

    def _json(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: Any = None,
        media_type: str = _JSON,
    ) -> Object:
        data = self._call(method, path, query, body, media_type).read()
        return orjson.loads(data) if data else {}

    def _call(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: Any,
        media_type: str,
        timeout_s: float | None = None,
        *,
        limited: bool = True,
    ) -> Any:
        if limited:
            self._limit.wait()
        try:
            # The authentication setting's name is the library's own.
            request = self._api.param_serialize(
                method,
                path,
                query_params=list(query.items()),
                header_params={"Accept": _JSON, "Content-Type": media_type},
                body=body,
                auth_settings=["BearerToken"],
            )
            response = self._api.call_api(*request, _request_timeout=timeout_s or self._timeout_s)
        except ApiException as error:
            raise self._error(error) from error
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise Away(f"no answer from the Kubernetes API: {error}") from error
        if not 200 <= response.status < 300:  # noqa: PLR2004 - HTTP success
            raise from_status(response.status, _loads(response.read()))
        return response

    @staticmethod
    def _error(error: ApiException) -> KubeError:
        found = from_status(error.status or 0, _loads(error.body))
        if isinstance(found, Away) and error.headers and error.headers.get("Retry-After"):
            try:
                found.retry_after_s = float(error.headers["Retry-After"])
            except ValueError:
                found.retry_after_s = None
        return found


def _wait(state: tenacity.RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    wished = getattr(error, "retry_after_s", None)
    return float(wished) if wished else float(min(5.0, 0.2 * 2 ** min(state.attempt_number, 6)))


def _loads(body: Any) -> Any:
    try:
        return orjson.loads(body) if body else None
    except orjson.JSONDecodeError:
        return str(body)


def _event(line: bytes) -> Object:
    event: Object = orjson.loads(line)
    if event.get("type") == "ERROR":
        status = event.get("object") or {}
        raise from_status(int(status.get("code", 500)), status)
    return event
