"""One OpenAPI 3.1 document per microversion, for generators of clients and of requests.

Bodies and queries are the schemas that the API itself validates with. OpenAPI knows one operation per
path and method: the actions of a resource become one operation whose body is any of theirs.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

from openkeel.api.errors import ENVELOPES, OTHER_ENVELOPE
from openkeel.api.negotiation import HEADER, OLD_HEADER
from openkeel.api.reference import codes
from openkeel.api.reference.answers import answer
from openkeel.api.reference.words import resource_of, summary
from openkeel.api.resources import operations
from openkeel.api.schema import NoBody, Object, Param, Query
from openkeel.api.tables import Operation
from openkeel.api.versions import text

Plain = dict[str, Any]

_JSON: Final = "application/json"
_NO_TOKEN: Final = 401
_REASONS: Final = {
    200: "Done, with the answer in the body.",
    201: "Created.",
    202: "Accepted; the work goes on after the answer.",
    204: "Done, with nothing to say.",
    207: "Done in part; the body tells what became of each.",
    400: "The request is malformed or not valid.",
    401: "There is no valid token.",
    403: "The policy or a quota does not allow it.",
    404: "Something that the URL names does not exist, or not for the caller.",
    406: "The microversion is not available.",
    409: "The present state does not allow it.",
    410: "The operation was removed for good.",
    413: "The body is too large.",
    415: "The body is of another media type than JSON.",
    501: "The hypervisor cannot do it.",
    503: "Something that the API needs does not answer.",
    504: "A host did not answer in time.",
}


def document(minor: int, rows: Iterable[Operation] | None = None) -> Plain:
    """The document of a microversion.

    Args:
        minor: the version.
        rows: operations; default: all.
    """
    by_path: dict[str, dict[str, list[Operation]]] = defaultdict(lambda: defaultdict(list))
    for row in operations() if rows is None else rows:
        if row.covers(minor):
            by_path[row.path][row.method.lower()].append(row)
    paths = {
        path: {method: _operation(same, minor) for method, same in by_method.items()}
        for path, by_method in by_path.items()
    }
    used = {code for item in paths.values() for one in item.values() for code in one["responses"]}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "OpenKeel Compute API",
            "version": text(minor),
            "description": f"What holds for requests with the header {HEADER}: compute {text(minor)}.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/v2.1"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "apiKey", "in": "header", "name": "X-Auth-Token"}},
            "parameters": {"Version": _version(minor)},
            "responses": {code: _fault(int(code)) for code in sorted(used) if _is_fault(int(code))},
            "schemas": {"Refusal": _REFUSAL},
        },
    }


def _is_fault(code: int) -> bool:
    return code >= 400  # noqa: PLR2004 - where refusals begin


def _version(minor: int) -> Plain:
    return {
        "name": HEADER,
        "in": "header",
        "required": True,
        "schema": {"type": "string", "enum": [f"compute {text(minor)}"]},
    }


def _operation(same: Sequence[Operation], minor: int) -> Plain:
    """Rows of one path and method: one plain operation, or all actions of a resource."""
    first = same[0]
    made: Plain = {
        "operationId": _identifier(first),
        "summary": summary(first) if first.action is None else "Actions",
        "tags": sorted({resource_of(one) for one in same}),
        "parameters": [
            {"$ref": "#/components/parameters/Version"},
            *_path_parameters(first.path),
            *_query_parameters(same, minor),
        ],
        "responses": _responses(same, minor),
        "x-policies": sorted({rule for one in same for rule in (one.rule, *one.more_rules) if rule}),
    }
    if all(one.is_removed for one in same):
        made["deprecated"] = True
    bodies = [body for one in same if (body := _body(one, minor)) is not None]
    if bodies:
        schema = bodies[0] if len(bodies) == 1 else {"oneOf": bodies}
        made["requestBody"] = {"required": True, "content": {_JSON: {"schema": schema}}}
    return made


def _identifier(operation: Operation) -> str:
    return "-".join(re.findall(r"\w+", f"{operation.method.lower()} {operation.path}")) or "root"


def _path_parameters(path: str) -> list[Plain]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in re.findall(r"\{(\w+)\}", path)
    ]


def _query_parameters(same: Sequence[Operation], minor: int) -> list[Plain]:
    return [
        _query_parameter(param, minor)
        for one in same
        if one.query is not None and minor >= one.query.since
        for param in _params(one.query, minor)
    ]


def _params(query: Query, minor: int) -> list[Param]:
    return [param for param in query.params if param.since <= minor < param.until]


def _query_parameter(param: Param, minor: int) -> Plain:
    item = param.item.at(minor)
    made: Plain = {"name": param.name, "in": "query", "schema": item}
    if not param.single:
        made |= {"schema": {"type": "array", "items": item}, "style": "form", "explode": True}
    if param.required:
        made["required"] = True
    return made


def _body(operation: Operation, minor: int) -> Plain | None:
    found = next(
        (one for one in (operation.body, *operation.bodies) if one is not None and one.covers(minor)), None
    )
    if isinstance(found, NoBody):
        return None
    if found is not None:
        return found.at(minor)
    if operation.action is None:
        return None
    return {**Object(extra=True).at(minor), "required": [operation.action], "maxProperties": 1}


def _responses(same: Sequence[Operation], minor: int) -> Plain:
    bodies: dict[int, list[Plain | None]] = defaultdict(list)
    refusals: set[int] = set()
    for one in same:
        refusals.update(codes.faults(one))
        for code in codes.success(one, minor):
            body = answer(one, minor)
            if body not in bodies[code]:
                bodies[code].append(body)
    return {str(code): _success(code, bodies[code]) for code in sorted(bodies)} | {
        str(code): {"$ref": f"#/components/responses/{code}"} for code in sorted(refusals)
    }


def _success(code: int, bodies: Sequence[Plain | None]) -> Plain:
    made: Plain = {"description": _REASONS[code], "headers": _HEADERS}
    schemas = [body for body in bodies if body is not None]
    if schemas and None not in bodies:
        made["content"] = {_JSON: {"schema": schemas[0] if len(schemas) == 1 else {"anyOf": schemas}}}
    return made


def _fault(code: int) -> Plain:
    # A token is refused before the API: in the words of keystonemiddleware.
    name = "error" if code == _NO_TOKEN else ENVELOPES.get(code, OTHER_ENVELOPE)
    fault = {
        "type": "object",
        "properties": {"code": {"const": code}, "message": {"type": "string"}},
        "required": ["code", "message"],
    }
    envelope = {"type": "object", "properties": {name: fault}, "required": [name]}
    return {
        "description": _REASONS[code],
        "headers": {"x-openstack-request-id": _HEADERS["x-openstack-request-id"]},
        "content": {_JSON: {"schema": {"anyOf": [envelope, {"$ref": "#/components/schemas/Refusal"}]}}},
    }


_TEXT: Final = {"schema": {"type": "string"}}
_HEADERS: Final[Plain] = {
    "x-openstack-request-id": {"description": "The id of the request in the logs.", **_TEXT},
    HEADER: {"description": "The version that answered.", **_TEXT},
    OLD_HEADER: {"description": "The same, as older clients read it.", **_TEXT},
    "Vary": _TEXT,
}
# What is refused before any operation is found: an unknown path, a body that is too large.
_REFUSAL: Final[Plain] = {
    "type": "object",
    "properties": {
        "message": {"type": "string"},
        "code": {"type": "string"},
        "title": {"type": "string"},
    },
    "required": ["message", "code", "title"],
}
