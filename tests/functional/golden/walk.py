"""Asks every operation that writes, in every version worth asking, and says what came in plain data."""

import re
from typing import Any
from urllib.parse import quote

from openkeel.api.tables import Operation
from openkeel.api.versions import text
from tests.fixtures.breakpoints import LEGACY, all_sides
from tests.functional.golden.files import GONE, leaves
from tests.functional.golden.table import Either, Write, body_of
from tests.functional.golden.things import World

Plain = dict[str, Any]

_REFUSED = 400
_UUID = re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b")
_CHANGING = (
    (re.compile(r"\br-[0-9a-z]{8}\b"), "<reservation>"),
    (re.compile(r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b(?!:)"), "<mac>"),
    (re.compile(r"\b[0-9a-f]{56}\b"), "<host id>"),
    (re.compile(r"http://falconframework\.org"), "<url>"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)?"), "<time>"),
)
# What every answer has; the test looks at them by itself.
_COMMON = {
    "content-length",
    "vary",
    "x-compute-request-id",
    "x-openstack-request-id",
    "openstack-api-version",
    "x-openstack-nova-api-version",
}
_OWN = {"adminPass": "<secret>", "private_key": "<secret>", "output": "<text>"}
_PASSING = {"updated_at", "updated"}  # change with everything


def label(minor: int) -> str:
    return "/v2" if minor == LEGACY else text(minor)


def answers(world: World, operation: Operation, write: Write) -> list[Plain]:
    """What an operation answers: an entry for each run of versions with the same.

    The first tells all, others what is different from the one before, unless one of them is a refusal.
    """
    found: list[Plain] = []
    last: Plain = {}
    for minor in all_sides(operation):
        try:
            entry = _ask(world, operation, write, minor)
        finally:
            world.clear()
        if entry == last:
            found[-1]["in"].append(label(minor))
        elif last and entry["status"] // 100 == last["status"] // 100:
            differs = _changes(dict(leaves(last)), dict(leaves(entry)))
            found.append({"in": [label(minor)], "differs": differs})
        else:
            found.append({"in": [label(minor)], **entry})
        last = entry
    return found


def _ask(world: World, operation: Operation, write: Write, minor: int) -> Plain:
    world.minor = minor
    for name in write.needs:
        world.id(name)
    path = filled(operation.path, [named(world, one) for one in write.ids])
    body = body_of(operation, minor, named(world, write.body)) if operation.method != "DELETE" else None
    look = named(world, write.look)
    before = _state(world, look, write.look_in) if look and not write.new else {}
    root, version = ("/v2", None) if minor == LEGACY else ("/v2.1", text(minor))
    caller = world.admin if write.who == "admin" else world.member
    query = f"?{named(world, write.query)}" if write.query else ""
    answer = caller(operation.method, f"{root}{path}{query}", body, version=version)
    headers = {key.lower(): value for key, value in answer.headers.items()}
    _check_versions(headers, version, answer.status_code)
    entry: Plain = {}
    if body is not None:
        entry["sends"] = _plain(world, body)
    if query:
        entry["query"] = _plain(world, query)
    entry["status"] = answer.status_code
    content = answer.json if answer.text else None
    if write.new and answer.status_code < _REFUSED:
        look = look.replace("$new", made(world, write, content))
    said = _headers(world, headers, answer.status_code)
    if said:
        entry["headers"] = said
    if content is not None:
        entry["says"] = _refusal(content) if answer.status_code >= _REFUSED else _plain(world, content)
    if look and answer.status_code < _REFUSED:
        after = _state(world, look, write.look_in)
        entry["does"] = GONE if "status" in after and before else _changes(before, after)
    return entry


def filled(path: str, ids: list[str]) -> str:
    """A path with its parameters."""
    left = iter(ids)
    return re.sub(r"\{\w+\}", lambda _: str(next(left, "x")), path)


def named(world: World, value: Any) -> Any:
    """A value with things in place of their names."""
    if isinstance(value, str):
        return re.sub(r"\$(\w+)", lambda one: one[0] if one[1] == "new" else str(world.id(one[1])), value)
    if isinstance(value, dict):
        return {named(world, key): named(world, one) for key, one in value.items()}
    if isinstance(value, list):
        return [named(world, one) for one in value]
    if isinstance(value, Either):
        return Either(tuple(named(world, one) for one in value.choices))
    return value


def made(world: World, write: Write, content: Any) -> str:
    """The id of what an answer tells to have been made; it is deleted in the end."""
    found = content
    for key in write.new.split("."):
        found = found[key]
    if _UUID.fullmatch(str(found)):
        world.names[str(found)] = "<new>"
    for path in write.forget or (write.look,):
        if path.startswith("/servers/"):
            world.then(world.forget_server, str(found))
        else:
            world.then(world.forget, path.replace("$new", quote(str(found), safe="")), write.look_in)
    return str(found)


def _state(world: World, path: str, version: str) -> Plain:
    """What is there, flat; of a server, when it rests."""
    if found := re.match("/servers/([^/]+)", path):
        world.rests(found[1])
    answer = world.admin("GET", f"/v2.1{path}", version=version)
    if answer.status_code >= _REFUSED:
        return {"status": answer.status_code}  # it is not there
    told = dict(leaves(_plain(world, answer.json), items=False))
    return {path: value for path, value in told.items() if path.rpartition(".")[2] not in _PASSING}


def _changes(before: Plain, after: Plain) -> Plain:
    return {
        path: after.get(path, GONE)
        for path in {**before, **after}
        if before.get(path, GONE) != after.get(path, GONE)
    }


def _check_versions(headers: dict[str, str], version: str | None, status: int) -> None:
    if version is not None:
        assert headers.get("openstack-api-version") == f"compute {version}", headers
        assert headers["x-openstack-nova-api-version"] == version
        assert "OpenStack-API-Version" in headers["vary"]
    assert headers["x-openstack-request-id"].startswith("req-"), (headers, status)


def _headers(world: World, headers: dict[str, str], status: int) -> Plain:
    usual = "application/json" if status < _REFUSED else "application/json; charset=UTF-8"
    return {
        key: _plain(world, value)
        for key, value in headers.items()
        if key not in _COMMON and not (key == "content-type" and value == usual)
    }


def _refusal(content: Any) -> str:
    """Of a refusal its envelope; the words are not a contract."""
    (name,) = content if len(content) == 1 else ("",)
    return f"<{name or 'no such path'}>"


def _plain(world: World, value: Any, key: str = "") -> Any:
    """A value without what changes from run to run."""
    if isinstance(value, dict):
        return {_plain(world, name): _plain(world, one, name) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(world, one) for one in value]
    if isinstance(value, str):
        return _OWN[key] if key in _OWN else _text(world, value)
    if key == "id" and isinstance(value, int):
        return "<number>"
    return value


def _text(world: World, value: str) -> str:
    for real in sorted(world.names, key=len, reverse=True):
        value = value.replace(real, world.names[real])
    for pattern, word in ((_UUID, "<uuid>"), *_CHANGING):
        value = pattern.sub(word, value)
    return value
