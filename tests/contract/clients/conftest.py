"""The outside services: in memory, and the real ones of a running devstack."""

import json
import socket
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests
from oslo_config import cfg

from openkeel.clients.options import GROUPS
from openkeel.common.context import Context

ROOT = Path(__file__).parents[3]


def _openrc(*arguments):
    script = ROOT / "devstack" / "openrc"
    if not (script.exists() and (ROOT / ".devstack").exists()):
        return {}
    done = subprocess.run([script, *arguments], capture_output=True, text=True, check=False)
    pairs = (line.removeprefix("export ").split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    return {name: value.strip('"') for name, value in pairs if name.startswith("OS_")}


def _listens(url):
    parts = urlsplit(url)
    try:
        with socket.create_connection((parts.hostname, parts.port), timeout=1):
            return True
    except OSError:
        return False


class Cloud:
    """A running devstack: options for clients, tokens for people, and the bare REST API to prepare with."""

    def __init__(self, folder, admin, member):
        self._folder = folder
        self._people = {"admin": admin, "demo": member}
        self._logins = {}
        self.auth_url = admin["OS_AUTH_URL"]

    def conf(self):
        credentials = (
            f"auth_type=password\nauth_url={self.auth_url}\nusername=nova\npassword=secret\n"
            "project_name=service\nuser_domain_name=Default\nproject_domain_name=Default\n"
        )
        path = self._folder / "openkeel.conf"
        path.write_text(
            "".join(f"[{group}]\n{credentials}" for group in ("placement", "neutron", "service_user"))
            + "send_service_user_token=true\n"
        )
        conf = cfg.ConfigOpts()
        for group, options in GROUPS.items():
            conf.register_opts(options, group=group)
        conf(["--config-file", str(path)])
        return conf

    def login(self, person):
        if person not in self._logins:
            env = self._people[person]
            body = {
                "auth": {
                    "identity": {
                        "methods": ["password"],
                        "password": {
                            "user": {
                                "name": env["OS_USERNAME"],
                                "password": env["OS_PASSWORD"],
                                "domain": {"name": "Default"},
                            }
                        },
                    },
                    "scope": {
                        "project": {"name": env["OS_PROJECT_NAME"], "domain": {"name": "Default"}},
                    },
                }
            }
            answer = requests.post(f"{self.auth_url}/auth/tokens", json=body, timeout=30)
            answer.raise_for_status()
            self._logins[person] = (answer.headers["X-Subject-Token"], answer.json()["token"])
        return self._logins[person]

    def context(self, person):
        token, body = self.login(person)
        return Context(
            user_id=body["user"]["id"],
            project_id=body["project"]["id"],
            auth_token=token,
            roles=[role["name"] for role in body["roles"]],
            overwrite=False,
        )

    def url(self, service_type):
        _token, body = self.login("admin")
        entry = next(one for one in body["catalog"] if one["type"] == service_type)
        return next(one["url"] for one in entry["endpoints"] if one["interface"] == "public").rstrip("/")

    def call(self, service_type, method, path, body=None, person="admin"):
        token, _body = self.login(person)
        answer = requests.request(
            method,
            self.url(service_type) + path,
            headers={"X-Auth-Token": token, "Content-Type": "application/json"},
            data=None if body is None else json.dumps(body),
            timeout=60,
        )
        if method == "DELETE" and answer.status_code == 404:
            return None
        answer.raise_for_status()
        return answer.json() if answer.content else None


@pytest.fixture(scope="session")
def cloud(tmp_path_factory):
    admin, member = _openrc(), _openrc("demo")
    if not admin or not _listens(admin["OS_AUTH_URL"]):
        pytest.skip("no devstack is running")
    return Cloud(tmp_path_factory.mktemp("conf"), admin, member)
