"""What the server says about itself: groups, resources, aggregated discovery, OpenAPI."""

from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from typing import Any, Final

import orjson

from devstack.cluster.kinds import ALL_VERBS, KINDS, Kind
from devstack.cluster.schema import published

Document = dict[str, Any]

GIT_VERSION: Final = "v1.36.1"
KUBEVIRT_VERSION: Final = "v1.9.0"
SUBRESOURCE_GROUP: Final = "subresources.kubevirt.io"
READ: Final = ("get",)
SUBRESOURCES: Final = {
    "virtualmachines/start": ("update",),
    "virtualmachines/stop": ("update",),
    "virtualmachines/restart": ("update",),
    "virtualmachineinstances/pause": ("update",),
    "virtualmachineinstances/unpause": ("update",),
    "virtualmachineinstances/softreboot": ("update",),
    "virtualmachineinstances/reset": ("update",),
    "virtualmachineinstances/guestosinfo": READ,
    "virtualmachineinstances/userlist": READ,
    "virtualmachineinstances/filesystemlist": READ,
    "version": ("get", "list"),
}


def version() -> Document:
    """GET /version."""
    return {
        "major": "1",
        "minor": "36",
        "gitVersion": GIT_VERSION,
        "gitCommit": "0" * 40,
        "gitTreeState": "clean",
        "buildDate": "2026-05-12T00:00:00Z",
        "goVersion": "go1.26.1",
        "compiler": "gc",
        "platform": "linux/amd64",
    }


def kubevirt_version() -> Document:
    """GET .../version of KubeVirt's subresources."""
    return {
        "gitVersion": KUBEVIRT_VERSION,
        "gitCommit": "0" * 40,
        "gitTreeState": "clean",
        "buildDate": "2026-07-30T00:00:00Z",
        "goVersion": "go1.25.0",
        "compiler": "gc",
        "platform": "linux/amd64",
    }


def group_versions() -> list[tuple[str, str]]:
    """Every served (group, version) but the core one, in a steady order."""
    served = {(kind.group, kind.version): None for kind in KINDS if kind.group}
    served[SUBRESOURCE_GROUP, "v1"] = None
    return sorted(served)


def api_versions() -> Document:
    """GET /api."""
    return {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": ""}],
    }


def group(name: str) -> Document | None:
    """GET /apis/GROUP; None when it is not served."""
    versions = [each for each in group_versions() if each[0] == name]
    if not versions:
        return None
    entries = [{"groupVersion": f"{group}/{version}", "version": version} for group, version in versions]
    return {
        "kind": "APIGroup",
        "apiVersion": "v1",
        "name": name,
        "versions": entries,
        "preferredVersion": entries[0],
    }


def groups() -> Document:
    """GET /apis."""
    found = [group(name) for name in dict.fromkeys(each for each, _ in group_versions())]
    plain = [
        {key: value for key, value in each.items() if key not in {"kind", "apiVersion"}}
        for each in found
        if each
    ]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": plain}


def resources(group_name: str, version_name: str) -> Document | None:
    """An APIResourceList, or None when the group version is not served."""
    if (group_name, version_name) == (SUBRESOURCE_GROUP, "v1"):
        listed: list[Document] = [_subresource(name, verbs) for name, verbs in SUBRESOURCES.items()]
    else:
        listed = [row for kind in _served(group_name, version_name) for row in _resources_of(kind)]
    if not listed:
        return None
    full = f"{group_name}/{version_name}" if group_name else version_name
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": full, "resources": listed}


def _served(group_name: str, version_name: str) -> Iterable[Kind]:
    return [kind for kind in KINDS if (kind.group, kind.version) == (group_name, version_name)]


def _subresource(name: str, verbs: Iterable[str]) -> Document:
    return {
        "name": name,
        "singularName": "",
        "namespaced": "/" in name,
        "kind": _subresource_kind(name),
        "verbs": [*verbs],
    }


def _subresource_kind(name: str) -> str:
    owner = name.partition("/")[0]
    return {"virtualmachines": "VirtualMachine", "virtualmachineinstances": "VirtualMachineInstance"}.get(
        owner, ""
    )


def _resources_of(kind: Kind) -> list[Document]:
    row: Document = {
        "name": kind.plural,
        "singularName": kind.singular or kind.kind.lower(),
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "verbs": [*kind.verbs],
    }
    if kind.short_names:
        row["shortNames"] = [*kind.short_names]
    if kind.categories:
        row["categories"] = [*kind.categories]
    rows = [row]
    for name in _parts(kind):
        verbs = ["get"] if name == "log" else ["get", "patch", "update"]
        rows.append(
            {
                "name": f"{kind.plural}/{name}",
                "singularName": "",
                "namespaced": kind.namespaced,
                "kind": kind.kind,
                "verbs": verbs,
            }
        )
    return rows


def _parts(kind: Kind) -> list[str]:
    return (["status"] if kind.has_status else []) + (["log"] if kind.plural == "pods" else [])


def aggregated(*, core: bool) -> Document:
    """apidiscovery.k8s.io/v2: everything below /api or /apis in one document."""
    versions = [("", "v1")] if core else group_versions()
    items: dict[str, Document] = {}
    for group_name, version_name in versions:
        item = items.setdefault(
            group_name, {"metadata": {"name": group_name} if group_name else {}, "versions": []}
        )
        item["versions"].append(
            {
                "version": version_name,
                "freshness": "Current",
                "resources": _aggregated_resources(group_name, version_name),
            }
        )
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": [*items.values()],
    }


def _aggregated_resources(group_name: str, version_name: str) -> list[Document]:
    listed = []
    for kind in _served(group_name, version_name):
        row: Document = {
            "resource": kind.plural,
            "responseKind": {"group": kind.group, "version": kind.version, "kind": kind.kind},
            "scope": "Namespaced" if kind.namespaced else "Cluster",
            "singularResource": kind.singular or kind.kind.lower(),
            "verbs": [*kind.verbs],
        }
        if kind.short_names:
            row["shortNames"] = [*kind.short_names]
        if kind.categories:
            row["categories"] = [*kind.categories]
        parts = [
            {
                "subresource": name,
                "responseKind": row["responseKind"],
                "verbs": ["get"] if name == "log" else ["get", "patch", "update"],
            }
            for name in _parts(kind)
        ]
        if parts:
            row["subresources"] = parts
        listed.append(row)
    return listed


def openapi_index() -> Document:
    """GET /openapi/v3: where each document is, with its hash."""
    paths = {"api/v1": _openapi_entry("", "v1")}
    for group_name, version_name in group_versions():
        paths[f"apis/{group_name}/{version_name}"] = _openapi_entry(group_name, version_name)
    return {"paths": paths}


def _openapi_entry(group_name: str, version_name: str) -> Document:
    place = f"apis/{group_name}/{version_name}" if group_name else f"api/{version_name}"
    digest = sha256(openapi_v3(group_name, version_name) or b"").hexdigest().upper()
    return {"serverRelativeURL": f"/openapi/v3/{place}?hash={digest}"}


@cache
def openapi_v3(group_name: str, version_name: str) -> bytes | None:
    """The OpenAPI 3 document of one group version; None when it is not served."""
    if (group_name, version_name) == (SUBRESOURCE_GROUP, "v1"):
        kinds: Iterable[Kind] = ()
    else:
        kinds = _served(group_name, version_name)
        if not kinds:
            return None
    schemas = {
        name: _as_v3(schema) for name, schema in published().definitions.items() if _reached(name, kinds)
    }
    paths: Document = {}
    for kind in kinds:
        schemas[kind.schema] = {**schemas[kind.schema], "x-kubernetes-group-version-kind": [_gvk(kind)]}
        paths.update(_paths(kind))
    document = {
        "openapi": "3.0.0",
        "info": {"title": "OpenKeel stand-in cluster", "version": GIT_VERSION},
        "paths": paths,
        "components": {"schemas": schemas},
    }
    return orjson.dumps(document)


@cache
def openapi_v2() -> bytes:
    """GET /openapi/v2."""
    definitions: Document = dict(published().definitions)
    paths: Document = {}
    for kind in KINDS:
        definitions[kind.schema] = {
            **definitions[kind.schema],
            "x-kubernetes-group-version-kind": [_gvk(kind)],
        }
        paths.update(_paths(kind))
    return orjson.dumps(
        {
            "swagger": "2.0",
            "info": {"title": "OpenKeel stand-in cluster", "version": GIT_VERSION},
            "paths": paths,
            "definitions": definitions,
        }
    )


def _reached(name: str, kinds: Iterable[Kind]) -> bool:
    return any(name in _closure(kind.schema) for kind in kinds)


@cache
def _closure(root: str) -> frozenset[str]:
    """The definitions a schema refers to, itself included."""
    definitions, found, todo = published().definitions, set(), [root]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += _references(definitions[name])
    return frozenset(found)


def _references(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [name for part in schema for name in _references(part)]
    if not isinstance(schema, dict):
        return []
    own = schema.get("$ref")
    found = [own.rpartition("/")[2]] if isinstance(own, str) else []
    return found + [name for part in schema.values() for name in _references(part)]


def _as_v3(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_as_v3(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    changed = {key: _as_v3(value) for key, value in schema.items()}
    reference = changed.get("$ref")
    if isinstance(reference, str):
        changed["$ref"] = reference.replace("#/definitions/", "#/components/schemas/")
    if isinstance(changed.get("type"), list):
        kinds = [each for each in changed["type"] if each != "null"]
        changed["type"] = kinds[0]
        changed["nullable"] = "null" in schema["type"]
    return changed


def _gvk(kind: Kind) -> Document:
    return {"group": kind.group, "version": kind.version, "kind": kind.kind}


_QUERY: Final = [
    {"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": True}}
    for name in ("dryRun", "fieldManager", "fieldValidation")
]


def _paths(kind: Kind) -> Document:
    """Enough of the paths for kubectl to see which parameters writes take."""
    base = f"/apis/{kind.group}/{kind.version}" if kind.group else f"/api/{kind.version}"
    if kind.namespaced:
        base += "/namespaces/{namespace}"
    gvk = _gvk(kind)
    collection: Document = {}
    if "create" in kind.verbs:
        collection["post"] = _operation("post", gvk)
    if "list" in kind.verbs:
        collection["get"] = _operation("list", gvk, ())
    paths: Document = {f"{base}/{kind.plural}": collection}
    if kind.verbs == ALL_VERBS:
        paths[f"{base}/{kind.plural}/{{name}}"] = {
            "get": _operation("get", gvk, ()),
            "put": _operation("put", gvk),
            "patch": _operation("patch", gvk),
            "delete": _operation("delete", gvk, _QUERY[:1]),
        }
    return paths


def _operation(action: str, gvk: Document, parameters: Iterable[Document] = _QUERY) -> Document:
    return {
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": gvk,
        "parameters": [*parameters],
        "responses": {"200": {"description": "OK"}},
    }
