"""The application: every operation behind the middleware, in one place.

From the outside in: request ids; what the operator turned on (proxy headers, CORS); the roots, which
answer version documents and the health check without a token; body limit; token; then falcon with one
endpoint per path.
"""

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import falcon
import orjson

from openkeel.api import errors
from openkeel.api.context import from_environ
from openkeel.api.endpoint import JSON_TYPE, Edge, Endpoint, split_project
from openkeel.api.middleware import Application, BodyLimit, RequestIds, Roots
from openkeel.api.resources import operations
from openkeel.api.resources.versions import Documents
from openkeel.api.tables import Operation
from openkeel.policies import Enforcer

Wrapper = Callable[[Application], Application]

_NO_METHOD: Final = 405
_PARAMETER: Final = re.compile(r"\{([^}]+)\}")


@dataclass(frozen=True)
class Settings:
    """What operators set about the API.

    Args:
        max_limit: most rows of a page.
        max_body_bytes: largest request body.
        compute_link_prefix: URL that links begin with, in place of the request's own.
        image_link_prefix: URL that links to images begin with.
        around: wrappers around everything, such as CORS; the first is the innermost.
        beside: applications at other exact paths, such as /healthcheck.
    """

    max_limit: int = 1000
    max_body_bytes: int = 114688
    compute_link_prefix: str | None = None
    image_link_prefix: str | None = None
    around: tuple[Wrapper, ...] = ()
    beside: Mapping[str, Application] = field(default_factory=dict)


class _Arrival:
    """Prepares a request: who asks, the project id at the front of the path, the path's parameters.

    The router wants one name for what stands at one place of a path, while operations call it
    differently (/servers/{id}, /servers/{server_id}/ips): it routes by position, and the names of an
    endpoint's path are put in afterwards.
    """

    def __init__(self, policy: Enforcer) -> None:
        self._policy = policy
        self._names: dict[Any, list[str]] = {}

    def route(self, path: str, endpoint: Endpoint) -> str:
        """The path to route by."""
        self._names[endpoint] = _PARAMETER.findall(path)
        positions = itertools.count()
        return _PARAMETER.sub(lambda _: f"{{p{next(positions)}}}", path)

    def process_resource(
        self, _req: falcon.Request, _resp: falcon.Response, resource: Any, params: dict[str, Any]
    ) -> None:
        values = [params.pop(f"p{position}") for position in range(len(params))]
        params.update(zip(self._names.get(resource, ()), values, strict=True))

    def process_request(self, req: falcon.Request, _resp: falcon.Response) -> None:
        req.context.legacy = req.env["openkeel.legacy"]
        req.context.url_project, req.path = split_project(req.path)
        if req.path.endswith("/") and req.path != "/":  # an empty parameter is none
            raise errors.NoRoute
        req.context.ctx = from_environ(req.env, self._policy)


def build_app(
    services: Any,
    policy: Enforcer,
    settings: Settings,
    authenticate: Wrapper,
    rows: Sequence[Operation] | None = None,
) -> Application:
    """The WSGI application.

    Args:
        services: reaches handlers as `request.services`.
        policy: judges every operation.
        settings: what operators set.
        authenticate: wraps the endpoint with what answers 401 and sets the X_* keys of the environment.
        rows: operations; default: all of `openkeel.api.resources`.
    """
    edge = Edge(
        services, policy, settings.max_limit, settings.compute_link_prefix, settings.image_link_prefix
    )
    arrival = _Arrival(policy)
    api = falcon.App(middleware=[arrival])
    by_path: dict[str, list[Operation]] = {}
    for operation in operations() if rows is None else rows:
        by_path.setdefault(operation.path, []).append(operation)
    for path, same in by_path.items():
        endpoint = Endpoint(edge, same)
        api.add_route(arrival.route(path, endpoint), endpoint)
    api.add_error_handler(errors.NoRoute, _no_route)
    api.add_error_handler(falcon.HTTPError, _not_http)
    api.add_error_handler(falcon.HTTPNotFound, _no_route)
    api.add_error_handler(Exception, _unexpected)

    application: Application = Roots(
        Documents(settings.compute_link_prefix),
        BodyLimit(authenticate(api), settings.max_body_bytes),
        settings.beside,
    )
    for wrap in settings.around:
        application = wrap(application)
    return RequestIds(application)


def _no_route(_req: falcon.Request, resp: falcon.Response, _error: Exception, _params: Any) -> None:
    resp.status = 404
    resp.content_type = JSON_TYPE
    resp.data = orjson.dumps(errors.plain(404, "Not Found", "The resource could not be found."))


def _not_http(req: falcon.Request, resp: falcon.Response, error: falcon.HTTPError, params: Any) -> None:
    """What falcon refuses before any operation; a method that does not exist has no route."""
    if error.status_code == _NO_METHOD or req.method not in falcon.HTTP_METHODS:
        _no_route(req, resp, error, params)
        return
    _, _, title = error.title.partition(f"{error.status_code} ")
    resp.status = error.status
    resp.content_type = JSON_TYPE
    resp.data = orjson.dumps(
        errors.plain(error.status_code, title or error.title, error.description or title)
    )


def _unexpected(_req: falcon.Request, resp: falcon.Response, error: Exception, _params: Any) -> None:
    fault = errors.to_fault(error, {})
    resp.status = fault.status
    resp.content_type = errors.FAULT_TYPE
    resp.data = orjson.dumps(errors.envelope(fault.status, fault.message))
