"""What schemathesis does not know about the compute API: a token, ids that exist, texts of our formats.

Loaded by scripts/fuzz-api. At the start there is a project with one thing of each kind to ask about; at
the end, also of what requests made in between, none is left.
"""

import atexit
import os
import time
import uuid
import zlib
from typing import Any, Final
from urllib.parse import quote

import requests
import schemathesis
from hypothesis import strategies as st

_TIMEOUT_S: Final = 60
_PATIENCE_S: Final = 30
_VERSION: Final = os.environ["FUZZ_VERSION"]
_NAME: Final = f"fuzz-{uuid.uuid4().hex[:8]}"
_PRINTABLE: Final = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x2FFF, categories=("L", "N", "P")), min_size=1
)
_OF_CINDER: Final = ("/os-snapshots", "/os-volumes")  # a volume goes after its snapshots
_COLLECTIONS: Final = {
    "/flavors?is_public=none": ("flavors", "id"),
    "/os-aggregates": ("aggregates", "id"),
    "/os-keypairs": ("keypairs", "name"),
    "/os-server-groups": ("server_groups", "id"),
    "/servers": ("servers", "id"),
    "/os-snapshots": ("snapshots", "id"),
    "/os-volumes": ("volumes", "id"),
}

for name in ("name", "az_name", "printable_or_empty"):
    schemathesis.openapi.format(name, _PRINTABLE)
for name in ("name_with_leading_trailing_spaces", "az_name_with_leading_trailing_spaces"):
    schemathesis.openapi.format(name, _PRINTABLE.map(" {} ".format))
schemathesis.openapi.format("base64", st.sampled_from(["", "aGk=", "YWJjZA=="]))
schemathesis.openapi.format("cidr", st.sampled_from(["10.0.0.0/8", "fe80::/64"]))


class Cloud:
    """Keystone and the compute API, as an administrator in a project of its own."""

    def __init__(self) -> None:
        self._keystone = os.environ["OS_AUTH_URL"]
        found = self._log_in(os.environ["OS_PROJECT_NAME"])
        self.url = os.environ["FUZZ_URL"]
        self.image = self._first_image(self._public(found, "image"))
        self._have_project(found["user"]["id"])
        self.project_id = self._log_in("fuzz")["project"]["id"]

    def _log_in(self, project: str) -> Any:
        domain = {"name": "Default"}
        user = {
            "name": os.environ["OS_USERNAME"],
            "password": os.environ["OS_PASSWORD"],
            "domain": domain,
        }
        identity = {"methods": ["password"], "password": {"user": user}}
        scope = {"project": {"name": project, "domain": domain}}
        answer = requests.post(
            f"{self._keystone}/auth/tokens",
            json={"auth": {"identity": identity, "scope": scope}},
            timeout=_TIMEOUT_S,
        )
        answer.raise_for_status()
        self.token = answer.headers["X-Subject-Token"]
        return answer.json()["token"]

    @staticmethod
    def _public(token: Any, kind: str) -> str:
        service = next(one for one in token["catalog"] if one["type"] == kind)
        return str(next(one["url"] for one in service["endpoints"] if one["interface"] == "public"))

    def _first_image(self, glance: str) -> str:
        return str(self._request("GET", f"{glance}/v2/images")["images"][0]["id"])

    def _have_project(self, user_id: str) -> None:
        projects = f"{self._keystone}/projects"
        body = {"project": {"name": "fuzz", "domain_id": "default"}}
        self._request("POST", projects, body)
        project_id = self._request("GET", f"{projects}?name=fuzz")["projects"][0]["id"]
        role_id = self._request("GET", f"{self._keystone}/roles?name=admin")["roles"][0]["id"]
        self._request("PUT", f"{projects}/{project_id}/users/{user_id}/roles/{role_id}")

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """What the compute API answers; nothing when it refuses."""
        return self._request(method, self.url + path, body)

    def _request(self, method: str, url: str, body: Any = None) -> Any:
        version = "2.1" if url.removeprefix(self.url).startswith(_OF_CINDER) else "2.91"
        headers = {"X-Auth-Token": self.token, "OpenStack-API-Version": f"compute {version}"}
        answer = requests.request(method, url, json=body, headers=headers, timeout=_TIMEOUT_S)
        return answer.json() if answer.content and answer.ok else {}

    def there_is(self) -> dict[str, set[str]]:
        """Ids by collection."""
        found = {}
        for path, (key, name) in _COLLECTIONS.items():
            rows = self.ask("GET", path).get(key, [])
            found[path] = {str(row.get("keypair", row)[name]) for row in rows}
        return found

    def prepare(self) -> dict[str, list[str]]:
        """One of each; ids by the first word of their path."""
        self.ask(
            "POST", "/flavors", {"flavor": {"name": _NAME, "id": _NAME, "ram": 64, "vcpus": 1, "disk": 1}}
        )
        self.ask("POST", "/os-keypairs", {"keypair": {"name": _NAME}})
        group = self.ask("POST", "/os-server-groups", {"server_group": {"name": _NAME, "policy": "affinity"}})
        aggregate = self.ask("POST", "/os-aggregates", {"aggregate": {"name": _NAME}})
        server = {"name": _NAME, "flavorRef": _NAME, "imageRef": self.image, "networks": "none"}
        server |= {"metadata": {"key": "value"}, "tags": ["tag"]}
        volume = self._settled("/os-volumes", {"volume": {"size": 1, "display_name": _NAME}})
        snapshot = self._settled("/os-snapshots", {"snapshot": {"volume_id": volume, "display_name": _NAME}})
        return {
            "os-volumes": [volume],
            "os-snapshots": [snapshot],
            "servers": [self.ask("POST", "/servers", {"server": server})["server"]["id"]],
            "flavors": [_NAME],
            "os-keypairs": [_NAME],
            "os-server-groups": [group["server_group"]["id"]],
            "os-aggregates": [str(aggregate["aggregate"]["id"])],
            "os-quota-sets": [self.project_id],
            "os-simple-tenant-usage": [self.project_id],
            "os-hypervisors": [one["id"] for one in self.ask("GET", "/os-hypervisors")["hypervisors"]],
        }

    def _settled(self, path: str, body: Any) -> str:
        """Something of Cinder's; its id. Where there is no Cinder, one that nothing has."""
        (kind, made), *_ = self.ask("POST", path, body).items() or [("", {"id": str(uuid.uuid4())})]
        for _ in range(_PATIENCE_S):
            if self.ask("GET", f"{path}/{made['id']}").get(kind, {}).get("status") != "creating":
                break
            time.sleep(1)
        return str(made["id"])

    def _await_none(self, path: str, kept: set[str]) -> None:
        """What was deleted is gone."""
        for _ in range(_PATIENCE_S):
            if self.there_is()[path] <= kept:
                break
            time.sleep(1)

    def clean(self, before: dict[str, set[str]]) -> None:
        """Delete what is there now and was not before."""
        for path, now in self.there_is().items():
            for name in now - before[path]:
                one = f"{path.partition('?')[0]}/{quote(name, safe='')}"
                for host in self.ask("GET", one).get("aggregate", {}).get("hosts", ()):
                    self.ask("POST", f"{one}/action", {"remove_host": {"host": host}})
                self.ask("DELETE", one)
            if path in _OF_CINDER:
                self._await_none(path, before[path])


CLOUD: Final = Cloud()
_BEFORE: Final = CLOUD.there_is()
atexit.register(CLOUD.clean, _BEFORE)
_KNOWN: Final = CLOUD.prepare()


@schemathesis.hook
def before_call(_context: Any, case: Any, _kwargs: Any) -> None:
    """Versions and tokens are given, not made up: what other ones are answered is no matter of a document."""
    case.headers["X-Auth-Token"] = CLOUD.token
    case.headers["OpenStack-API-Version"] = f"compute {_VERSION}"


@schemathesis.hook
def map_path_parameters(context: Any, path_parameters: dict[str, Any]) -> dict[str, Any]:
    """Every other time the first id in a path is one that exists."""
    known = _KNOWN.get(context.operation.path.split("/")[1])
    if known and path_parameters:
        first, value = next(iter(path_parameters.items()))
        choice = zlib.crc32(str(value).encode("utf-8", "surrogatepass"))
        if choice % 2:
            return {**path_parameters, first: known[choice % len(known)]}
    return path_parameters
