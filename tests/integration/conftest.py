"""A running devstack, and what must be true of it after each test: nothing left behind."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openstack
import pytest
import requests
import yaml

from devstack.lib.site import NODES, PASSWORD, PORTS, REGION, Site
from devstack.lib.supervision import Supervisor

ROOT = Path(__file__).resolve().parents[2]


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if here in Path(item.fspath).parents:
            item.add_marker(pytest.mark.integration)
            item.add_marker(pytest.mark.timeout(600))
            # Clients that are not ours run here; their warnings are theirs.
            item.add_marker(pytest.mark.filterwarnings("default"))


def eventually(condition: Callable[[], Any], within_s: float, every_s: float = 0.5) -> Any:
    """The condition's value once it is true; the only wait of these tests."""
    deadline = time.monotonic() + within_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            pytest.fail(f"not true within {within_s} s: {condition}")
        time.sleep(every_s)


class Cluster:
    """The stand-in cluster, seen by HTTP."""

    COUNTED = (
        "/apis/kubevirt.io/v1/virtualmachines",
        "/apis/kubevirt.io/v1/virtualmachineinstances",
        "/apis/k8s.cni.cncf.io/v1/network-attachment-definitions",
        "/api/v1/pods",
    )

    def __init__(self, kubeconfig: Path) -> None:
        config = yaml.safe_load(kubeconfig.read_text())
        self.url = config["clusters"][0]["cluster"]["server"]
        self.session = requests.Session()
        self.session.trust_env = False
        user = config["users"][0]["user"]
        if user.get("token"):
            self.session.headers["Authorization"] = f"Bearer {user['token']}"

    def items(self, path: str, **query: str) -> list[dict[str, Any]]:
        answer = self.session.get(self.url + path, params=query, timeout=30)
        answer.raise_for_status()
        return answer.json()["items"]

    def guests(self) -> list[str]:
        return [vm["metadata"]["name"] for vm in self.items("/apis/kubevirt.io/v1/virtualmachines")]

    def objects(self) -> dict[str, list[str]]:
        """Everything that carries an instance's label, by collection."""
        paths = (
            *self.COUNTED,
            "/apis/cdi.kubevirt.io/v1beta1/datavolumes",
            "/api/v1/persistentvolumeclaims",
            "/api/v1/secrets",
            "/api/v1/configmaps",
        )
        found = {}
        for path in paths:
            names = [i["metadata"]["name"] for i in self.items(path, labelSelector="openkeel.io/instance")]
            if names:
                found[path] = names
        return found


@dataclass
class Cloud:
    """The devstack under test."""

    site: Site
    supervisor: Supervisor
    admin: Any
    demo: Any
    cluster: Cluster

    def environment(self, project: str = "demo") -> dict[str, str]:
        """For the CLI."""
        return {
            **{key: value for key, value in os.environ.items() if not key.startswith("OS_")},
            "PATH": f"{self.site.venv / 'bin'}:{self.site.bin}:{os.environ['PATH']}",
            "KUBECONFIG": str(self.site.etc / "kubeconfig"),
            **credentials(self.site, project),
        }

    def cli(self, *arguments: str, project: str = "demo") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.site.venv / "bin" / "openstack"), *arguments],
            env=self.environment(project),
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )

    def pids(self, part: str) -> set[int]:
        """The part's process and its workers."""
        process = self.supervisor.processes()[part]
        if not process.alive:
            return set()
        found, left = set(), [process.pid]
        while left:
            pid = left.pop()
            found.add(pid)
            with contextlib.suppress(OSError):
                for task in Path(f"/proc/{pid}/task").iterdir():
                    left += [int(child) for child in (task / "children").read_text().split()]
        return found

    def kill(self, part: str) -> None:
        """SIGKILL the part with all its workers, and see supervisord start it again."""
        before = self.pids(part)
        assert before, f"{part} does not run"
        for pid in sorted(before):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        eventually(lambda: (now := self.pids(part)) and not now & before, 60)

    def allocations(self) -> dict[str, list[str]]:
        """Consumers in Placement, by provider."""
        session = self.admin.session
        filters = {"service_type": "placement", "region_name": REGION}
        headers = {"OpenStack-API-Version": "placement 1.36"}
        providers = session.get("/resource_providers", endpoint_filter=filters, headers=headers).json()
        found = {}
        for provider in providers["resource_providers"]:
            url = f"/resource_providers/{provider['uuid']}/allocations"
            consumers = session.get(url, endpoint_filter=filters, headers=headers).json()["allocations"]
            if consumers:
                found[provider["name"]] = sorted(consumers)
        return found

    def compute_ports(self) -> list[str]:
        return [port.id for port in self.admin.network.ports() if port.device_owner.startswith("compute:")]

    def leftovers(self) -> dict[str, Any]:
        """What a cloud without servers must not have."""
        found = {
            "servers": [s.id for s in self.admin.compute.servers(details=False, all_projects=True)],
            "allocations": self.allocations(),
            "ports": self.compute_ports(),
            "cluster": self.cluster.objects(),
        }
        return {key: value for key, value in found.items() if value}

    def delete_all(self) -> None:
        """Delete every server and wait until nothing is left of them."""
        for server in self.admin.compute.servers(details=False, all_projects=True):
            self.admin.compute.delete_server(server.id, ignore_missing=True)
        eventually(lambda: not self.leftovers(), 180, 1)


def credentials(site: Site, project: str) -> dict[str, str]:
    return {
        "OS_AUTH_URL": f"http://127.0.0.1:{site.port_base + PORTS['keystone']}/v3",
        "OS_USERNAME": project,
        "OS_PASSWORD": PASSWORD,
        "OS_PROJECT_NAME": project,
        "OS_USER_DOMAIN_NAME": "Default",
        "OS_PROJECT_DOMAIN_NAME": "Default",
        "OS_IDENTITY_API_VERSION": "3",
        "OS_REGION_NAME": REGION,
    }


def connection(site: Site, project: str) -> Any:
    """An openstacksdk connection; 2.100 is what a recent client would ask for."""
    given = credentials(site, project)
    return openstack.connect(
        load_yaml_config=False,
        load_envvars=False,
        auth_url=given["OS_AUTH_URL"],
        username=project,
        password=PASSWORD,
        project_name=project,
        user_domain_name="Default",
        project_domain_name="Default",
        region_name=REGION,
    )


@pytest.fixture(scope="session")
def devstack() -> Cloud:
    site = Site.load()
    supervisor = Supervisor(site)
    if not supervisor.running or "openkeel-api" not in supervisor.processes():
        pytest.skip("devstack is not up: run devstack/up")
    return Cloud(
        site,
        supervisor,
        connection(site, "admin"),
        connection(site, "demo"),
        Cluster(site.etc / "kubeconfig"),
    )


@pytest.fixture
def cloud(devstack: Cloud) -> Iterator[Cloud]:
    """A cloud without servers, before and after."""
    devstack.delete_all()
    yield devstack
    devstack.delete_all()


@pytest.fixture
def image(devstack: Cloud) -> str:
    return next(iter(devstack.admin.image.images(name="keel-test"))).id


@pytest.fixture
def flavor(devstack: Cloud) -> str:
    return devstack.admin.compute.find_flavor("m1.tiny").id


@pytest.fixture
def network(devstack: Cloud) -> str:
    return devstack.admin.network.find_network("private").id


@pytest.fixture
def boot(devstack: Cloud, image: str, flavor: str, network: str) -> Callable[..., Any]:
    """boot(name, **more): ask for a server and return at once."""

    def create(name: str = "test", **more: Any) -> Any:
        request = {"name": name, "image_id": image, "flavor_id": flavor, "networks": [{"uuid": network}]}
        return devstack.demo.compute.create_server(**{**request, **more})

    return create


@pytest.fixture
def settled(devstack: Cloud) -> Callable[..., dict[str, Any]]:
    """settled(ids, within_s): wait until all are ACTIVE or ERROR; the servers by id."""

    def wait(ids: list[str], within_s: float = 120) -> dict[str, Any]:
        def done() -> dict[str, Any] | None:
            found = {s.id: s for s in devstack.admin.compute.servers(all_projects=True) if s.id in ids}
            calm = [s for s in found.values() if s.status in {"ACTIVE", "ERROR"}]
            return found if len(calm) == len(ids) else None

        return eventually(done, within_s)

    return wait


NODE_NAMES = NODES
