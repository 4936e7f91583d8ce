"""One class between HTTP and the tables: checks a request, calls its handler, renders the answer.

Refusals come in the order clients know: 401 (before us), unknown path (404), version headers (400,
406), operation not in this version (404), project in the URL (400), media type (415), body and query
(400), then for operations with a `target` lookup (404) and rule (403), else rule and lookup, and last
what the handler itself finds (409...). A server action is chosen by the single key of the body.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl

import falcon
import orjson

from openkeel.api import errors
from openkeel.api.errors import Fault, NoRoute
from openkeel.api.links import Links
from openkeel.api.negotiation import negotiate, version_headers
from openkeel.api.request import Request, Values, policy_target
from openkeel.api.tables import ANYONE, Answer, Band, Operation, Rendering
from openkeel.api.validation import pattern
from openkeel.api.versions import text
from openkeel.common.context import Context
from openkeel.policies import Enforcer

METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
JSON_TYPE: Final = "application/json"
VENDOR_TYPE: Final = "application/vnd.openstack.compute+json"
_READABLE: Final = frozenset({JSON_TYPE, VENDOR_TYPE, "text/plain", ""})
_WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH"})
_NO_CONTENT: Final = 204


@dataclass(frozen=True)
class Edge:
    """What every endpoint shares: made once by `build_app`."""

    services: Any
    policy: Enforcer
    max_limit: int
    compute_link_prefix: str | None = None
    image_link_prefix: str | None = None


class Endpoint:
    """All operations of one path, as a falcon resource."""

    def __init__(self, edge: Edge, operations: Iterable[Operation]) -> None:
        self._edge = edge
        rows: dict[str, list[Operation]] = {}
        for operation in operations:
            rows.setdefault(operation.method, []).append(operation)
        for method in METHODS:
            setattr(self, f"on_{method.lower()}", self._responder(rows.get(method, [])))

    def _responder(self, rows: Sequence[Operation]) -> Callable[..., None]:
        # A path may have both: POST .../action by action and plain operations.
        plain = [row for row in rows if row.action is None]
        actions: dict[str, list[Operation]] = {}
        for row in rows:
            if row.action is not None:
                actions.setdefault(row.action, []).append(row)

        def respond(req: falcon.Request, resp: falcon.Response, **params: str) -> None:
            if not rows:
                raise NoRoute
            self._answer(req, resp, plain, actions, params)

        return respond

    def _answer(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        plain: Sequence[Operation],
        actions: Mapping[str, Sequence[Operation]],
        params: Mapping[str, str],
    ) -> None:
        operation: Operation | None = None
        try:
            minor = self._minor(req, resp)
            if not actions:
                operation = _in_version(plain, minor)
            ctx: Context = req.context.ctx
            _check_project(req.context.url_project, ctx)
            body = _body(
                req,
                wanted=operation is None or operation.compiled(minor).body is not None,
                may_be_missing=operation is not None
                and operation.body is not None
                and operation.body.may_be_missing,
            )
            if operation is None:
                operation = _in_version(_by_action(actions, body), minor)
            band = operation.compiled(minor)
            request = self._request(req, ctx, params, band, body)
            self._authorise(request, band)
            _write(req, resp, band, request, operation.handler(request))
        except Exception as error:  # noqa: BLE001 - the one place where errors become answers
            _write_fault(resp, errors.to_fault(error, operation.errors if operation else {}))

    @staticmethod
    def _minor(req: falcon.Request, resp: falcon.Response) -> int:
        if req.context.legacy:
            return 0
        minor = negotiate(_version_headers_of(req))
        for name, value in version_headers(text(minor)).items():
            resp.set_header(name, value)
        return minor

    def _request(
        self, req: falcon.Request, ctx: Context, params: Mapping[str, str], band: Band, body: Any
    ) -> Request:
        query = _query(req, band)
        if band.body is not None:
            band.body.check(body)
        return Request(
            ctx=ctx,
            params=params,
            services=self._edge.services,
            policy=self._edge.policy,
            links=self._links(req, _project_in_links(req, ctx, query)),
            path=req.path,
            query=query,
            max_limit=self._edge.max_limit,
            body=body if band.body is not None else None,
            behaviours=band.behaviours,
        )

    def _links(self, req: falcon.Request, project_id: str) -> Links:
        edge = self._edge
        root = edge.compute_link_prefix or f"{req.scheme}://{req.netloc}{req.root_path}"
        project = f"/{project_id}" if project_id else ""
        version = "/v2" if req.context.legacy else "/v2.1"
        root = root.rstrip("/")
        images = (edge.image_link_prefix or root).rstrip("/")
        return Links(root, root + version + project, root + project, images + project)

    def _authorise(self, request: Request, band: Band) -> None:
        operation = band.operation
        if operation.target is not None:
            request.target = operation.target(request)
        target = policy_target(request.ctx, request.target)
        if operation.rule != ANYONE:
            self._edge.policy.enforce(request.ctx, operation.rule, target)
        if band.soft_rules:
            request.refused = frozenset(
                rule for rule in band.soft_rules if not self._edge.policy.allows(request.ctx, rule, target)
            )
        request.needs = band.needs(request.refused)


def _version_headers_of(req: falcon.Request) -> dict[str, str]:
    found = {}
    for name in ("OpenStack-API-Version", "X-OpenStack-Nova-API-Version"):
        value = req.get_header(name)
        if value is not None:
            found[name.lower()] = value
    return found


def _in_version(rows: Sequence[Operation], minor: int) -> Operation:
    for row in rows:
        if row.covers(minor):
            return row
    raise Fault(404, f"This does not exist in version {text(max(minor, 1))}.")


def _by_action(actions: Mapping[str, Sequence[Operation]], body: Any) -> Sequence[Operation]:
    if not isinstance(body, dict) or len(body) != 1:
        raise Fault(400, "The body must be an object with the name of one action as its only key.")
    name = next(iter(body))
    if name not in actions:
        raise Fault(400, f"There is no action {name}.")
    return actions[name]


def _check_project(of_url: str | None, ctx: Context) -> None:
    if of_url is not None and of_url != ctx.project_id:
        raise Fault(400, "The project of the URL is not the project of the token.")


def _body(req: falcon.Request, *, wanted: bool, may_be_missing: bool) -> Any:
    if req.method in _WITH_BODY:
        kind = (req.content_type or "").split(";")[0].strip()
        if kind not in _READABLE:
            raise Fault(415, f"Content type {kind} is not supported.")
    if not wanted:
        return None
    content = req.bounded_stream.read()
    if not content and may_be_missing:
        return None
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise Fault(400, "The body is not valid JSON.") from error


def _project_in_links(req: falcon.Request, ctx: Context, query: Values) -> str:
    """The project id that links carry, or nothing.

    Compat: links have the caller's project as soon as its id stands anywhere in the URL, be it as a filter.
    """
    own = ctx.project_id
    if not own:
        return ""
    named = own in req.path or any(own in value for given in query.values() for value in given)
    return own if req.context.url_project or named else ""


def _query(req: falcon.Request, band: Band) -> Values:
    values: dict[str, list[str]] = {}
    try:
        for name, value in parse_qsl(req.query_string, keep_blank_values=True, errors="strict"):
            values.setdefault(name, []).append(value)
    except ValueError as error:  # includes what is not UTF-8
        raise Fault(400, "The query string is not valid UTF-8.") from error
    if band.query is None or band.query_validator is None:
        return Values(values)
    band.query_validator.check(values)
    known, patterns = band.query_names, band.query.patterns
    return Values(
        {
            name: given
            for name, given in values.items()
            if name in known or any(pattern(one).search(name) for one in patterns)
        }
    )


def _write(req: falcon.Request, resp: falcon.Response, band: Band, request: Request, result: Any) -> None:
    answer = result if isinstance(result, Answer) else Answer(result)
    resp.status = answer.status or band.status
    for name, value in answer.headers.items():
        resp.set_header(name, value)
    content = band.render(answer.value, Rendering(request, answer.data, answer.links), request.refused)
    if content is None or resp.status == _NO_CONTENT:
        if resp.content_type is None:
            resp.content_type = JSON_TYPE
        return
    resp.data = orjson.dumps(content)
    accepted = (req.get_header("Accept") or "").split(";")[0].strip()
    resp.content_type = VENDOR_TYPE if accepted == VENDOR_TYPE else JSON_TYPE


def _write_fault(resp: falcon.Response, fault: Fault) -> None:
    resp.status = fault.status
    for name, value in fault.headers.items():
        resp.set_header(name, value)
    resp.content_type = errors.FAULT_TYPE
    resp.data = orjson.dumps(errors.envelope(fault.status, fault.message))


_PROJECT: Final = re.compile(r"[0-9a-f\-]+")


def split_project(path: str) -> tuple[str | None, str]:
    """A path below the version prefix, without the project id it may begin with.

    Contract: what looks like hexadecimal digits and hyphens there is a project id.
    """
    first, slash, rest = path.lstrip("/").partition("/")
    if slash and _PROJECT.fullmatch(first):
        return first, f"/{rest}"
    return None, path
