"""The documents of the versions: at the roots without a token, and below the endpoint with one.

Contract: the compute API reference, "API Versions"; an unknown root answers 300 with the choices.
"""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, Final

import orjson

from openkeel.api.answer_types import TEXT
from openkeel.api.errors import FAULT_TYPE, Fault, envelope
from openkeel.api.middleware import Environ, StartResponse
from openkeel.api.negotiation import HEADER, OLD_HEADER, negotiate, version_headers
from openkeel.api.request import Request
from openkeel.api.schema import Query
from openkeel.api.tables import ALWAYS, ANYONE, Behaviour, Field, Operation, View
from openkeel.api.versions import END, LATEST, V, text
from openkeel.domain.errors import NotFound

_MEDIA: Final = "application/vnd.openstack.compute+json;version="
_VERSIONS: Final[dict[str, dict[str, Any]]] = {
    "v2": {
        "id": "v2.0",
        "status": "DEPRECATED",
        "version": "",
        "min_version": "",
        "updated": "2025-07-04T12:00:00Z",
    },
    "v2.1": {
        "id": "v2.1",
        "status": "CURRENT",
        "version": text(LATEST),
        "min_version": text(V.BASE),
        "updated": "2013-07-23T11:33:21Z",
    },
}
_CURRENT: Final = "v2.1"
_JSON: Final = "application/json"
_MEDIA_VERSION: Final = {"v2": "2", "v2.1": "2.1"}


def _media_types(version: str) -> list[dict[str, str]]:
    return [{"base": "application/json", "type": _MEDIA + _MEDIA_VERSION[version]}]


def _document(version: str, root: str) -> dict[str, Any]:
    links = [
        {"rel": "self", "href": f"{root}/{version}/"},
        {"rel": "describedby", "type": "text/html", "href": "http://docs.openstack.org/"},
    ]
    return {**_VERSIONS[version], "links": links, "media-types": _media_types(version)}


def _listing(root: str) -> dict[str, Any]:
    return {
        "versions": [
            {**facts, "links": [{"rel": "self", "href": f"{root}/{version}/"}]}
            for version, facts in _VERSIONS.items()
        ]
    }


def _choices(root: str, path: str) -> dict[str, Any]:
    return {
        "choices": [
            {
                "id": facts["id"],
                "status": facts["status"],
                "links": [{"rel": "self", "href": f"{root}/{version}{path}"}],
                "media-types": _media_types(version),
            }
            for version, facts in _VERSIONS.items()
        ]
    }


class Documents:
    """The roots as a WSGI application."""

    def __init__(self, link_prefix: str | None) -> None:
        self._prefix = link_prefix.rstrip("/") if link_prefix else None

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        root = self._prefix or _root(environ)
        path = environ["PATH_INFO"]
        version = path.strip("/")
        status, kind, headers = "200 OK", _JSON, {}
        content: dict[str, Any]
        try:
            if path == "/":
                content = _listing(root)
            elif version in _VERSIONS:
                headers = _negotiated(environ) if version == _CURRENT else {}
                content = {"version": _document(version, root)}
            else:
                status, content = "300 Multiple Choices", _choices(root, path)
        except Fault as fault:
            status, kind = f"{fault.status} {HTTPStatus(fault.status).phrase}", FAULT_TYPE
            headers, content = fault.headers, envelope(fault.status, fault.message)
        body = orjson.dumps(content)
        start_response(status, [("Content-Type", kind), ("Content-Length", str(len(body))), *headers.items()])
        return [body]


def _negotiated(environ: Environ) -> dict[str, str]:
    """The document is the same at every version, but says at which it was asked. Raises: Fault."""
    asked = {
        name.lower(): str(environ[key])
        for name in (HEADER, OLD_HEADER)
        if (key := f"HTTP_{name.upper().replace('-', '_')}") in environ
    }
    return version_headers(text(negotiate(asked)))


def _root(environ: Environ) -> str:
    host = environ.get("HTTP_HOST") or f"{environ['SERVER_NAME']}:{environ['SERVER_PORT']}"
    return f"{environ['wsgi.url_scheme']}://{host}{environ.get('SCRIPT_NAME', '')}".rstrip("/")


# Fields

VERSION: Final = View(
    Field("id"),
    Field("status"),
    Field("version", type=TEXT, optional_since=ALWAYS),
    Field("min_version"),
    Field("updated"),
    Field("links", shape=("[].rel", "[].href", "[].type")),
    Field("media-types", shape=("[].base", "[].type"), optional_since=ALWAYS),
)


# Handlers


def _own(request: Request, version: str) -> dict[str, Any]:
    return _document(version, request.links.root)


LEGACY: Final = Behaviour("the legacy endpoint", until=V.BASE)


def show_current(request: Request) -> dict[str, Any]:
    """The version that is asked."""
    return _own(request, "v2" if request.has(LEGACY) else _CURRENT)


def show(request: Request) -> dict[str, Any]:
    """A version by its id."""
    for version, facts in _VERSIONS.items():
        if facts["id"] == request.params["id"]:
            return _own(request, version)
    raise NotFound(f"There is no version {request.params['id']}.")


# Operations

_QUERY: Final = Query(strict_since=END)  # these stay open when all others are strict

OPERATIONS: Final = (
    Operation(
        "GET",
        "/",
        show_current,
        rule=ANYONE,
        query=_QUERY,
        view=VERSION.one("version"),
        faults=(404,),
        behaviours=(LEGACY,),
    ),
    Operation("GET", "/versions/{id}", show, rule=ANYONE, query=_QUERY, view=VERSION.one("version")),
)
