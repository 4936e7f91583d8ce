"""The HTTP face: paths to kinds, verbs to the registry, refusals to Status bodies."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson
from aiohttp import web

from devstack.cluster import discovery, errors, tables
from devstack.cluster.errors import ApiError
from devstack.cluster.faults import Faults
from devstack.cluster.kinds import ACCESS_REVIEW, BY_PATH, POD, Kind
from devstack.cluster.logs import LogQuery, Logs
from devstack.cluster.objects import Key, Object
from devstack.cluster.pages import Page, Pages
from devstack.cluster.patches import json_patch, merge_patch, strategic_merge
from devstack.cluster.registry import Registry
from devstack.cluster.requests import (
    Target,
    deletion_of,
    integer,
    is_dry_run,
    is_set,
    parse_body,
    parse_object,
    target_of,
    validation_of,
)
from devstack.cluster.schema import published
from devstack.cluster.selectors import EVERYTHING, parse_fields, parse_labels
from devstack.cluster.store import ADDED, Change, Record
from devstack.cluster.subresources import Answer, Subresources
from devstack.cluster.watch import Selection, Watcher, WatchHub, bookmark
from devstack.cluster.write_checks import Write

JSON_PATCH: Final = "application/json-patch+json"
MERGE_PATCH: Final = "application/merge-patch+json"
STRATEGIC_PATCH: Final = "application/strategic-merge-patch+json"
APPLY_PATCHES: Final = frozenset({"application/apply-patch+yaml", "application/apply-patch+cbor"})
PATCH_TYPES: Final = (JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, "application/apply-patch+yaml")
OPEN_PATHS: Final = frozenset({"/healthz", "/livez", "/readyz", "/version"})
WATCH_SECONDS: Final = (1800, 3600)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class ApiSettings:
    """`token` empty means that no request needs one; `validation` is what unknown fields meet by default."""

    token: str = ""
    token_required: bool = False
    validation: str = "Strict"
    bookmark_s: float = 60.0


def answer_json(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """An answer with a JSON body, given as a document or as bytes."""
    raw = body if isinstance(body, bytes) else orjson.dumps(body)
    return web.Response(body=raw, status=status, content_type="application/json", headers=headers)


class Api:
    """One handler for every path."""

    def __init__(
        self,
        registry: Registry,
        hub: WatchHub,
        subresources: Subresources,
        logs: Logs,
        faults: Faults,
        settings: ApiSettings,
    ) -> None:
        self._registry = registry
        self._store = registry.store
        self._hub = hub
        self._subresources = subresources
        self._logs = logs
        self._faults = faults
        self._settings = settings
        self.pages = Pages()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        try:
            if request.path not in OPEN_PATHS:
                self._authenticate(request)
                await self._faults.before_request(request.method, request.path)
            return await self._route(request)
        except ApiError as error:
            return answer_json(error.status(), error.code, error.headers)

    def _authenticate(self, request: web.Request) -> None:
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        wanted = self._settings.token
        if scheme.lower() == "bearer" and wanted and given.strip() != wanted:
            raise ApiError(401, "Unauthorized")
        if not scheme and self._settings.token_required:
            raise ApiError(401, "Unauthorized")

    async def _route(self, request: web.Request) -> web.StreamResponse:
        path = request.path.rstrip("/") or "/"
        about = self._about(path, request)
        if about is not None:
            return about
        target = target_of(path)
        if target is None:
            raise errors.no_such_resource()
        if target.group == discovery.SUBRESOURCE_GROUP:
            return await self._subresource(request, target)
        kind = BY_PATH.get((target.group, target.version, target.plural))
        if kind is None or (target.namespace and not kind.namespaced):
            raise errors.no_such_resource()
        if target.name:
            return await self._object(request, kind, target)
        return await self._collection(request, kind, target)

    def _about(self, path: str, request: web.Request) -> web.Response | None:
        """Discovery, health and versions."""
        if path in {"/healthz", "/livez", "/readyz"}:
            return web.Response(text="ok")
        fixed: dict[str, Callable[[], Any]] = {
            "/version": discovery.version,
            "/openapi/v3": discovery.openapi_index,
            "/": lambda: {"paths": ["/api", "/apis", "/healthz", "/openapi/v2", "/openapi/v3", "/version"]},
            f"/apis/{discovery.SUBRESOURCE_GROUP}/v1/version": discovery.kubevirt_version,
            f"/apis/{discovery.SUBRESOURCE_GROUP}/v1/healthz": lambda: {"apiserver": {"connectivity": "ok"}},
        }
        if path in fixed:
            return answer_json(fixed[path]())
        if path in {"/api", "/apis"}:
            return self._roots(path, request.headers.get("Accept", ""))
        if path == "/openapi/v2":
            if "json" not in request.headers.get("Accept", "json") and "*/*" not in request.headers.get(
                "Accept", ""
            ):
                raise ApiError(
                    406, "only the following media types are accepted: application/json", "NotAcceptable"
                )
            return answer_json(discovery.openapi_v2())
        return self._documents(path)

    @staticmethod
    def _roots(path: str, accept: str) -> web.Response:
        if "as=APIGroupDiscoveryList" in accept and "v=v2;" in f"{accept};":
            response = answer_json(discovery.aggregated(core=path == "/api"))
            response.headers["Content-Type"] = (
                "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
            )
            return response
        return answer_json(discovery.api_versions() if path == "/api" else discovery.groups())

    @staticmethod
    def _documents(path: str) -> web.Response | None:
        match path.strip("/").split("/"):
            case ["openapi", "v3", "api", version]:
                found: Any = discovery.openapi_v3("", version)
            case ["openapi", "v3", "apis", group, version]:
                found = discovery.openapi_v3(group, version)
            case ["api", version]:
                found = discovery.resources("", version)
            case ["apis", group]:
                found = discovery.group(group)
            case ["apis", group, version]:
                found = discovery.resources(group, version)
            case _:
                return None
        if found is None:
            raise errors.no_such_resource()
        return answer_json(found)

    async def _subresource(self, request: web.Request, target: Target) -> web.Response:
        body = await request.read()
        answer: Answer = self._subresources.call(request.method, target, body)
        return (
            web.Response(status=answer.status)
            if answer.body is None
            else answer_json(answer.body, answer.status)
        )

    async def _object(self, request: web.Request, kind: Kind, target: Target) -> web.StreamResponse:
        key = Key(target.namespace, target.name)
        part = target.subresource
        if kind is POD and part == "log" and request.method == "GET":
            return await self._log(request, key)
        if (
            part
            and not (part == "status" and kind.has_status)
            and not (part == "finalize" and kind.plural == "namespaces")
        ):
            raise errors.no_such_resource()
        if "get" not in kind.verbs:
            raise errors.no_such_resource()
        match request.method:
            case "GET" | "HEAD":
                return self._one(request, kind, key)
            case "PUT":
                obj = parse_object(await request.read())
                _check_kind(kind, obj)
                write = self._write(request)
                return self._written(
                    request, kind, self._registry.replace(kind, key, obj, write, part), write
                )
            case "PATCH":
                return await self._patch(request, kind, key, part)
            case "DELETE" if not part:
                return self._delete(kind, key, deletion_of(request.query, await request.read()))
            case _:
                raise ApiError(405, "the server does not allow this method on the requested resource")

    def _one(self, request: web.Request, kind: Kind, key: Key) -> web.Response:
        record = self._store.record(kind, key)
        if record is None:
            raise errors.not_found(kind.plural, kind.group, key.name)
        return self._shown(request, kind, record)

    def _shown(self, request: web.Request, kind: Kind, record: Record, status: int = 200) -> web.Response:
        accept = request.headers.get("Accept", "")
        if "as=Table" in accept:
            meta = {"resourceVersion": str(record.version)}
            include = request.query.get("includeObject", "Metadata")
            return answer_json(
                tables.table(kind, [record], meta, self._registry.clock.wall(), include), status
            )
        if "as=PartialObjectMetadata" in accept:
            return answer_json(tables.partial(kind, record), status)
        return answer_json(record.raw, status)

    def _written(
        self, request: web.Request, kind: Kind, obj: Object, write: Write, status: int = 200
    ) -> web.Response:
        del request, kind
        response = answer_json(obj, status)
        for warning in write.warnings:
            response.headers.add("Warning", f'299 - "{warning.replace(chr(34), chr(92) + chr(34))}"')
        return response

    def _write(self, request: web.Request) -> Write:
        agent = request.headers.get("User-Agent", "").partition("/")[0]
        return Write(
            manager=request.query.get("fieldManager") or agent or "unknown",
            dry_run=is_dry_run(request.query),
            validation=validation_of(request.query, self._settings.validation),
        )

    async def _patch(self, request: web.Request, kind: Kind, key: Key, part: str) -> web.Response:
        media = request.content_type
        write = self._write(request)
        raw = await request.read()
        if media in APPLY_PATCHES:
            if not request.query.get("fieldManager"):
                why = "fieldManager: Required value: is required for apply patch"
                raise ApiError(422, f'PatchOptions.meta.k8s.io "" is invalid: {why}')
            wanted = parse_object(raw)
            force = is_set(request.query, "force")
            obj, made = self._registry.apply(kind, key, wanted, write, force=force, subresource=part)
            return self._written(request, kind, obj, write, 201 if made else 200)
        if media not in PATCH_TYPES or (media == STRATEGIC_PATCH and kind.custom):
            accepted = [each for each in PATCH_TYPES if not (kind.custom and each == STRATEGIC_PATCH)]
            message = (
                "the body of the request was in an unknown format - accepted media types include: "
                + ", ".join(accepted)
            )
            raise ApiError(415, message)
        patch = parse_body(raw)
        if media == JSON_PATCH:
            return self._changed(request, kind, key, part, write, lambda obj: json_patch(obj, patch))
        if not isinstance(patch, dict):
            raise errors.bad_request("error decoding patch: a merge patch is an object")
        if media == MERGE_PATCH:
            return self._changed(
                request, kind, key, part, write, lambda obj: _object(merge_patch(obj, patch))
            )
        node = published().node(kind.schema)
        return self._changed(request, kind, key, part, write, lambda obj: strategic_merge(obj, patch, node))

    def _changed(
        self,
        request: web.Request,
        kind: Kind,
        key: Key,
        part: str,
        write: Write,
        change: Callable[[Object], Object],
    ) -> web.Response:
        return self._written(request, kind, self._registry.patch(kind, key, change, write, part), write)

    def _delete(self, kind: Kind, key: Key, deletion: Any) -> web.Response:
        obj, gone = self._registry.delete(kind, key, deletion)
        if not gone or kind is POD:
            return answer_json(obj)
        details = {"name": key.name, "kind": kind.plural, "uid": obj["metadata"]["uid"]}
        if kind.group:
            details["group"] = kind.group
        body = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}
        return answer_json(body)

    async def _collection(self, request: web.Request, kind: Kind, target: Target) -> web.StreamResponse:
        match request.method:
            case "GET" if "list" in kind.verbs:
                selection = _selection(request, kind, target.namespace)
                if is_set(request.query, "watch"):
                    return await self._watch(request, selection)
                return self._list(request, selection)
            case "POST" if not kind.namespaced or target.namespace:
                return await self._create(request, kind, target)
            case "DELETE" if "deletecollection" in kind.verbs:
                return await self._delete_collection(request, kind, target)
            case _:
                raise ApiError(405, "the server does not allow this method on the requested resource")

    async def _create(self, request: web.Request, kind: Kind, target: Target) -> web.Response:
        obj = parse_object(await request.read())
        _check_kind(kind, obj)
        if kind is ACCESS_REVIEW:
            return answer_json(self._faults.review_access(obj), 201)
        meta = obj.setdefault("metadata", {})
        if kind.namespaced and meta.setdefault("namespace", target.namespace) != target.namespace:
            raise errors.bad_request(
                "the namespace of the provided object does not match the namespace sent on the request"
            )
        write = self._write(request)
        return self._written(request, kind, self._registry.create(kind, obj, write), write, 201)

    async def _delete_collection(self, request: web.Request, kind: Kind, target: Target) -> web.Response:
        selection = _selection(request, kind, target.namespace)
        deletion = deletion_of(request.query, await request.read())
        chosen = self._store.select(kind, target.namespace, selection.labels, selection.fields)
        for record in chosen:
            self._registry.delete(kind, record.key, deletion)
        return answer_json(_listed(kind, chosen, {"resourceVersion": str(self._store.version)}))

    def _list(self, request: web.Request, selection: Selection) -> web.Response:
        kind, query = selection.kind, request.query
        limit = integer(query, "limit")
        if query.get("continue"):
            page = self.pages.following(query["continue"], limit)
        else:
            _check_list_version(query, self._store.version)
            found = self._store.select(kind, selection.namespace, selection.labels, selection.fields)
            page = self.pages.first(found, self._store.version, limit)
        return self._page(request, kind, page)

    def _page(self, request: web.Request, kind: Kind, page: Page) -> web.Response:
        meta: Object = {"resourceVersion": str(page.version)}
        if page.token:
            meta |= {"continue": page.token, "remainingItemCount": page.remaining}
        accept = request.headers.get("Accept", "")
        if "as=Table" in accept:
            include = request.query.get("includeObject", "Metadata")
            return answer_json(tables.table(kind, page.records, meta, self._registry.clock.wall(), include))
        if "as=PartialObjectMetadataList" in accept:
            items = [tables.partial(kind, record) for record in page.records]
            body = {
                "kind": "PartialObjectMetadataList",
                "apiVersion": "meta.k8s.io/v1",
                "metadata": meta,
                "items": items,
            }
            return answer_json(body)
        return answer_json(_listed(kind, page.records, meta))

    async def _watch(self, request: web.Request, selection: Selection) -> web.StreamResponse:
        query = request.query
        watcher = Watcher(selection, self._renderer(request, selection.kind))
        wants_initial = is_set(query, "sendInitialEvents")
        first = self._backlog(watcher, query.get("resourceVersion", ""), initial=wants_initial)
        if wants_initial:
            first.append(bookmark(selection.kind, self._store.version, initial=True))
        timeout_s = float(integer(query, "timeoutSeconds") or random.uniform(*WATCH_SECONDS))  # noqa: S311
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        response.enable_chunked_encoding()
        self._hub.open(watcher)
        try:
            await response.prepare(request)
            if first:
                await response.write(b"".join(first))
            await self._stream(response, watcher, timeout_s, bookmarks=is_set(query, "allowWatchBookmarks"))
            await response.write_eof()
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._hub.close(watcher)
        return response

    async def _stream(
        self, response: web.StreamResponse, watcher: Watcher, timeout_s: float, *, bookmarks: bool
    ) -> None:
        clock = self._registry.clock
        end = clock.monotonic() + timeout_s
        next_mark = clock.monotonic() + self._settings.bookmark_s
        while not watcher.closed and (left_s := end - clock.monotonic()) > 0:
            await watcher.wait(min(left_s, max(0.0, next_mark - clock.monotonic())) if bookmarks else left_s)
            if lines := watcher.take():
                await response.write(lines)
            if bookmarks and clock.monotonic() >= min(next_mark, end):
                next_mark = clock.monotonic() + self._settings.bookmark_s
                await response.write(bookmark(watcher.selection.kind, self._store.version))

    def _backlog(self, watcher: Watcher, version: str, *, initial: bool) -> list[bytes]:
        """What a watch tells first: the missed changes, or all there is."""
        selection = watcher.selection
        if initial or version in {"", "0"}:
            found = self._store.select(
                selection.kind, selection.namespace, selection.labels, selection.fields
            )
            return [watcher.render(Change(ADDED, record, None), ADDED) for record in found]
        if not version.isdigit():
            raise errors.bad_request(f'invalid resource version "{version}"')
        changes = self._store.changes_since(selection.kind, int(version))
        if changes is None:
            oldest = self._store.version
            raise ApiError(410, f"too old resource version: {version} ({oldest})", "Expired")
        return [watcher.render(change, event) for change in changes if (event := selection.event(change))]

    def _renderer(self, request: web.Request, kind: Kind) -> Callable[[Change, str], bytes]:
        accept = request.headers.get("Accept", "")
        if "as=Table" not in accept:
            return Change.line
        include, clock = request.query.get("includeObject", "Metadata"), self._registry.clock

        def render(change: Change, event: str) -> bytes:
            meta = {"resourceVersion": str(change.record.version)}
            row = tables.table(kind, [change.record], meta, clock.wall(), include)
            return b'{"type":"%s","object":%s}\n' % (event.encode(), row)

        return render

    async def _log(self, request: web.Request, key: Key) -> web.StreamResponse:
        query = LogQuery.read(request.query)
        text = self._logs.read(key, query)
        if not query.follow:
            return web.Response(body=text, content_type="text/plain")
        response = web.StreamResponse(headers={"Content-Type": "text/plain"})
        response.enable_chunked_encoding()
        await response.prepare(request)
        try:
            await response.write(text)
            async for more in self._logs.follow(key, query):
                await response.write(more)
            await response.write_eof()
        except ConnectionError:
            pass
        return response


def _selection(request: web.Request, kind: Kind, namespace: str) -> Selection:
    labels, fields = request.query.get("labelSelector", ""), request.query.get("fieldSelector", "")
    return Selection(
        kind,
        namespace,
        parse_labels(labels) if labels else EVERYTHING,
        parse_fields(fields, kind.fields) if fields else EVERYTHING,
    )


def _listed(kind: Kind, records: list[Record], meta: Object) -> bytes:
    head = orjson.dumps({"kind": f"{kind.kind}List", "apiVersion": kind.api_version, "metadata": meta})
    return head[:-1] + b',"items":[' + b",".join(record.raw for record in records) + b"]}"


def _check_list_version(query: Mapping[str, str], current: int) -> None:
    version, match = query.get("resourceVersion", ""), query.get("resourceVersionMatch", "")
    if match and not version:
        message = "resourceVersionMatch is forbidden unless resourceVersion is provided"
        raise errors.bad_request(message)
    if version not in {"", "0"} and version.isdigit():
        if int(version) > current:
            raise ApiError(
                504,
                "Too large resource version",
                "Timeout",
                {"causes": [{"reason": "ResourceVersionTooLarge"}]},
            )
        if match == "Exact" and int(version) < current:
            raise errors.expired("The provided resource version is too old.")


def _check_kind(kind: Kind, obj: Object) -> None:
    given = (obj.get("apiVersion") or kind.api_version, obj.get("kind") or kind.kind)
    if given != (kind.api_version, kind.kind):
        message = (
            f"the API version in the data ({given[0]}, Kind={given[1]}) does not match the expected API "
            f"version ({kind.api_version}, Kind={kind.kind})"
        )
        raise errors.bad_request(message)


def _object(value: Any) -> Object:
    if not isinstance(value, dict):
        raise errors.bad_request("the patch leaves no object")
    return value
