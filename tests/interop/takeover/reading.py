"""Every read operation that OpenKeel declares, asked with every version, caller, page and filter.

Which operations there are comes from OpenKeel's own table, so that a new one is compared from the day it
exists; a path whose parameters `_PARAMETERS` cannot fill fails the test.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final

from openkeel.cmd.manage.describe import routes
from tests.interop.client import Client

VERSIONS: Final = ("2.1", "2.37", "2.60", "2.79", "2.104")
CALLERS: Final = ("admin", "demo")
_HEADERS: Final = ("Content-Type", "OpenStack-API-Version", "X-OpenStack-Nova-API-Version", "Vary")
_AT_ONCE: Final = 4
_PARAMETER: Final = re.compile(r"{(\w+)}")

# Asked with GET, but they act on hosts.
_NOT_READ: Final = re.compile(r"/os-hosts/{id}/(reboot|shutdown|startup)$")


@dataclass(frozen=True)
class Question:
    """A request that reads."""

    caller: str
    version: str
    path: str

    def __str__(self) -> str:
        return f"GET {self.path} as {self.caller} at {self.version}"


@dataclass
class World:
    """What there is to ask for: ids by the word that stands for them in `_PARAMETERS`."""

    ids: dict[str, list[str]] = field(default_factory=dict)

    def __getitem__(self, word: str) -> list[str]:
        return self.ids.get(word, [])


# Prefix of a path up to its parameter -> the word for what fills it. The first that fits counts.
_PARAMETERS: Final[Sequence[tuple[str, str]]] = (
    (r"/versions/", "version"),
    (r"/extensions/", "extension"),
    (r"/flavors/{\w+}/os-extra_specs/", "extra_spec"),
    (r"/flavors/", "flavor"),
    (r"/os-keypairs/", "keypair"),
    (r"/os-quota-sets/", "project"),
    (r"/os-quota-class-sets/", "quota_class"),
    (r"/os-simple-tenant-usage/", "project"),
    (r"/os-instance_usage_audit_log/", "moment"),
    (r"/os-aggregates/", "aggregate"),
    (r"/os-server-groups/", "server_group"),
    (r"/os-hosts/", "host"),
    (r"/os-hypervisors/", "hypervisor"),
    (r"/os-console-auth-tokens/", "token"),
    (r"/servers/{\w+}/os-instance-actions/", "request"),
    (r"/servers/{\w+}/metadata/", "metadata_key"),
    (r"/servers/{\w+}/tags/", "tag"),
    (r"/servers/{\w+}/ips/", "network_name"),
    (r"/servers/{\w+}/migrations/", "migration"),
    (r"/servers/{\w+}/os-interface/", "port"),
    (r"/servers/{\w+}/os-volume_attachments/", "volume"),
    (r"/servers/{\w+}/shares/", "share"),
    (r"/servers/{\w+}/\w", "some_server"),
    (r"/servers/", "server"),
    (r"/images/{\w+}/metadata/", "image_key"),
    (r"/images/", "image"),
    (r"/os-networks/", "network"),
    (r"/os-tenant-networks/", "network"),
    (r"/os-security-groups/", "security_group"),
    (r"/os-floating-ips/", "floating_ip"),
    (r"/os-volumes_boot/", "server"),
    (r"/os-volumes/", "volume"),
    (r"/os-snapshots/", "volume"),
    (r"/os-baremetal-nodes/", "metal"),
)

_USAGE: Final = "start=2020-01-01T00:00:00&end=2020-01-02T00:00:00"
# Path -> queries beside the empty one. {words} are filled with what the world has.
_QUERIES: Final[Mapping[str, Sequence[str]]] = {
    "/servers": (
        "limit=2",
        "limit=2&marker={server}",
        "all_tenants=1",
        "status=ERROR",
        "status=deleted&all_tenants=1",
        "sort_key=display_name&sort_dir=asc",
        "limit=0",
        "marker=unknown",
    ),
    "/servers/detail": (
        "limit=3",
        "limit=3&marker={server}",
        "limit=3&all_tenants=1&sort_key=uuid&sort_dir=asc",
        "all_tenants=1",
        "all_tenants=1&deleted=1",
        "deleted=1",
        "status=ACTIVE",
        "status=SHUTOFF&status=PAUSED",
        "status=ERROR&all_tenants=1",
        "name=kept",
        "flavor={flavor}",
        "image={image}",
        "host=node-1&all_tenants=1",
        "node=node-1&all_tenants=1",
        "ip=10",
        "ip6=::",
        "tags=red",
        "tags=red,blue",
        "tags-any=red,green",
        "not-tags=red",
        "not-tags-any=red,green",
        "locked=true",
        "changes-since=2020-01-01T00:00:00",
        "changes-before=2020-01-01T00:00:00",
        "key_name=ours",
        "availability_zone=zone-1&all_tenants=1",
        "vm_state=active",
        "task_state=",
        "power_state=1",
        "description=what",
        "reservation_id={reservation}",
        "project_id={project}&all_tenants=1",
        "user_id={user}&all_tenants=1",
        "progress=0",
        "locked_by=owner&all_tenants=1",
        "config_drive=true",
        "hostname=kept-1",
        "sort_key=created_at&sort_dir=asc&sort_key=uuid&sort_dir=desc",
        "sort_key=host&all_tenants=1",
        "soft_deleted=true&all_tenants=1",
        "unknown=1",
    ),
    "/flavors": ("limit=1", "limit=2&marker={flavor}", "is_public=none", "is_public=false", "minRam=512"),
    "/flavors/detail": (
        "limit=2",
        "limit=2&marker={flavor}",
        "is_public=none",
        "is_public=false",
        "minDisk=1&sort_key=memory_mb&sort_dir=desc",
        "sort_key=name",
    ),
    "/os-keypairs": ("limit=1", "limit=1&marker={keypair}", "user_id={user}"),
    "/os-keypairs/{id}": ("user_id={user}",),
    "/limits": ("tenant_id={project}", "reserved=1"),
    "/os-quota-sets/{id}": ("user_id={user}",),
    "/os-quota-sets/{id}/detail": ("user_id={user}",),
    "/os-simple-tenant-usage": (_USAGE, f"detailed=1&{_USAGE}", f"detailed=1&limit=2&{_USAGE}"),
    "/os-simple-tenant-usage/{id}": (_USAGE, f"limit=2&{_USAGE}"),
    "/os-server-groups": ("all_projects=1", "limit=1", "limit=1&offset=1", "limit=1&all_projects=1"),
    "/os-services": ("host=controller", "binary=nova-compute", "host=node-1&binary=nova-compute"),
    "/os-hosts": ("zone=internal", "service=compute"),
    "/os-hypervisors": (
        "limit=1",
        "limit=1&marker={hypervisor_uuid}",
        "hypervisor_hostname_pattern=node",
        "with_servers=true",
    ),
    "/os-hypervisors/detail": (
        "limit=1",
        "hypervisor_hostname_pattern=node-1",
        "hypervisor_hostname_pattern=nothing",
        "with_servers=true",
    ),
    "/os-hypervisors/{id}": ("with_servers=true",),
    "/os-migrations": ("limit=1", "status=finished", "host=node-1", "instance_uuid={moved}"),
    "/servers/{server_id}/os-instance-actions": ("limit=1", "changes-since=2020-01-01T00:00:00"),
    "/images/detail": ("limit=1", "name=keel-test", "status=ACTIVE"),
}

# Not asked, since OpenKeel answers otherwise on purpose.
_LEFT: Final[Sequence[tuple[str, str]]] = (
    (r"/servers/detail\?sort_key=host", "Nova's 500 by a slip: administrators may sort by host"),
    (r"/servers/detail\?.*project_id={own}", "Nova puts the project into links when a filter names it"),
    (r"/os-baremetal-nodes", "Nova's 500 where it has no account at an Ironic: here that is 404"),
    (r"/versions/v2.0", "Nova's link of the old version leads to the new one"),
)

# Where an answer names what time does to a deployment, not what is in its databases.
_PASSING: Final[Sequence[tuple[str, str, str]]] = (
    (r"^/os-services", "updated_at", "the time of the last sign of life"),
    (r"^/os-hypervisors", "uptime", "the time of day is in it"),
    (r"^/os-availability-zone", "updated_at", "the time of the last sign of life"),
    (r"^/os-simple-tenant-usage(/\w+)?$", ".*", "without an end it counts until now"),
    (r"^/extensions", "description", "OpenKeel's texts are its own"),
)


_MIGRATIONS_IN_PAGES: Final = 59
_BY_CHANCE: Final = frozenset(
    {"hosts_not_run", "aggregates", "server_groups", "members", "networks", "security_groups", "rules"}
)


def questions(world: World) -> Iterator[Question]:
    """All of them."""
    for path in paths(world):
        for version in VERSIONS:
            for caller in CALLERS:
                yield Question(caller, version, path)


def paths(world: World) -> list[str]:
    """Every path of a read operation, with parameters and queries filled in."""
    found: dict[str, None] = {}
    own = "|".join(world["project"])
    left = re.compile("|".join(path.replace("{own}", f"({own})") for path, _ in _LEFT))
    for row in routes():
        if row["method"] != "GET" or row["removed"] or _NOT_READ.search(row["path"]):
            continue
        for query in ("", *_QUERIES.get(row["path"], ())):
            for path in _filled(row["path"], world):
                for words in _filled_query(query, world):
                    found[f"{path}?{words}" if words else path] = None
    return [path for path in found if not left.match(path)]


def _filled(path: str, world: World) -> Iterator[str]:
    parameter = _PARAMETER.search(path)
    if parameter is None:
        yield path
        return
    # The last word is judged by what follows it, so that a server's parts are asked of a few servers only.
    word = next(
        (word for prefix, word in _PARAMETERS if re.match(_pattern(prefix), _marked(path, parameter))), None
    )
    assert word is not None, f"no idea what to put into {path}"
    for value in world[word]:
        yield from _filled(path[: parameter.start()] + value + path[parameter.end() :], world)


def _marked(path: str, parameter: re.Match[str]) -> str:
    return path[: parameter.start()] + "{x}" + path[parameter.end() :]


def _pattern(prefix: str) -> str:
    # A parameter filled in earlier is any word; one still to fill stands as {x}.
    if prefix.endswith("/"):
        return prefix.replace(r"{\w+}", r"[^/]+") + r"{x}"
    return prefix.replace(r"{\w+}", r"{x}")


def _filled_query(query: str, world: World) -> Iterator[str]:
    parameter = _PARAMETER.search(query)
    if parameter is None:
        yield query
        return
    for value in world[parameter[1]][:2]:
        yield from _filled_query(query.replace(parameter[0], value), world)


def ask(clients: Mapping[str, Client], wanted: Sequence[Question]) -> dict[Question, Any]:
    """The answers: status, the headers that are contract, body."""
    for client in clients.values():
        client.get("/limits")  # signed in before threads share the session

    def one(question: Question) -> Any:
        client = clients[question.caller]
        answer = client.session.get(
            f"/v2.1{question.path}",
            endpoint_override=client.site.url("compute"),
            headers={"OpenStack-API-Version": f"compute {question.version}"},
            raise_exc=False,
            connect_retries=5,  # a busy machine lets a server reset a connection
        )
        try:
            body = json.loads(answer.content)
        except ValueError:
            body = answer.text
        return {
            "status": answer.status_code,
            "headers": {name: answer.headers.get(name) for name in _HEADERS},
            "body": _ordered("", _lasting(question.path, _migrations(question, body))),
        }

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return dict(zip(wanted, pool.map(one, wanted), strict=True))


def _lasting(path: str, body: Any) -> Any:
    if isinstance(body, dict) and len(body) == 1 and _is_fault(next(iter(body.values()))):
        ((kind, fault),) = body.items()
        return {kind: {**fault, "message": "(OpenKeel's texts are its own)"}}
    for where, name, _ in _PASSING:
        if re.match(where, path):
            body = _without(body, re.compile(name))
    if re.match(r"^/servers/detail", path) and isinstance(body, dict) and "servers" in body:
        body = {**body, "servers": _host_statuses(body["servers"])}
    return body


def _migrations(question: Question, body: Any) -> Any:
    """Before pages came with 2.59 Nova asks its database for no order, and a filter by host changes it."""
    minor = int(question.version.partition(".")[2])
    if re.match(r"^/os-migrations", question.path) and minor < _MIGRATIONS_IN_PAGES and "migrations" in body:
        return {**body, "migrations": sorted(body["migrations"], key=lambda row: int(row["id"]))}
    return body


def _host_statuses(servers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without what Nova gets wrong: below a dead server of their host living ones have no status."""
    buried: set[str] = set()

    def lasting(server: dict[str, Any]) -> dict[str, Any]:
        host = server.get("OS-EXT-SRV-ATTR:host")
        if server["status"] == "DELETED":
            buried.add(host)
        elif host in buried and "host_status" in server:
            return {**server, "host_status": "(not told by Nova)"}
        return server

    return [lasting(server) for server in servers]


def _ordered(name: str, value: Any) -> Any:
    """Lists whose order Nova leaves to chance (a set of its own, or whatever Neutron answers) are sorted."""
    if isinstance(value, dict):
        return {key: _ordered(key, inner) for key, inner in value.items()}
    if isinstance(value, list):
        found = [_ordered("", inner) for inner in value]
        return sorted(found, key=json.dumps) if name in _BY_CHANCE else found
    return value


def _is_fault(value: Any) -> bool:
    return isinstance(value, dict) and {"code", "message"} <= value.keys()


def _without(value: Any, name: re.Pattern[str]) -> Any:
    if isinstance(value, dict):
        return {key: _without(inner, name) for key, inner in value.items() if not _passes(key, inner, name)}
    if isinstance(value, list):
        return [_without(inner, name) for inner in value]
    return value


def _passes(key: str, value: Any, name: re.Pattern[str]) -> bool:
    return name.fullmatch(key) is not None and not isinstance(value, dict | list)


def differences(before: Mapping[Question, Any], after: Mapping[Question, Any]) -> list[str]:
    """What is not equal, as a person wants to read it: path by path within the answer."""
    lines = []
    for question, wanted in before.items():
        found = after[question]
        if wanted != found:
            changed = list(_changes(wanted, found))
            lines.append(f"{question}: " + "; ".join(changed[:6]) + (" ..." if len(changed) > 6 else ""))
    return lines


def _changes(wanted: Any, found: Any, where: str = "") -> Iterator[str]:
    if isinstance(wanted, dict) and isinstance(found, dict):
        for key in sorted(wanted.keys() | found.keys()):
            yield from _changes(wanted.get(key, "(absent)"), found.get(key, "(absent)"), f"{where}.{key}")
    elif isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        for index, (one, other) in enumerate(zip(wanted, found, strict=True)):
            yield from _changes(one, other, f"{where}[{index}]")
    elif wanted != found:
        yield f"{where}: {json.dumps(wanted)[:300]} became {json.dumps(found)[:300]}"
