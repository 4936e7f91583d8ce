"""The openstack command line works against devstack."""

import json
import subprocess

import pytest

from tests.integration.conftest import eventually


@pytest.fixture
def run(cloud):
    def call(*arguments, project="demo"):
        done = cloud.cli(*arguments, "-f", "json", project=project)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return call


@pytest.fixture
def do(cloud):
    """A command that prints nothing."""

    def call(*arguments, project="demo"):
        done = cloud.cli(*arguments, project=project)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


def test_the_life_of_a_server(cloud, run, do):
    created = run(
        "server",
        "create",
        "--flavor",
        "m1.tiny",
        "--image",
        "keel-test",
        "--network",
        "private",
        "--property",
        "role=web",
        "--wait",
        "cli-1",
    )
    assert created["status"] == "ACTIVE"
    assert created["addresses"]["private"]
    uuid = created["id"]
    assert [s["Name"] for s in run("server", "list")] == ["cli-1"]
    assert run("server", "show", uuid)["properties"]["role"] == "web"

    do("server", "set", "--name", "cli-renamed", "--property", "role=db", uuid)
    shown = run("server", "show", uuid)
    assert (shown["name"], shown["properties"]["role"]) == ("cli-renamed", "db")

    do("server", "stop", uuid)
    eventually(lambda: run("server", "show", uuid)["status"] == "SHUTOFF", 60)
    do("server", "start", uuid)
    eventually(lambda: run("server", "show", uuid)["status"] == "ACTIVE", 60)
    do("server", "reboot", "--soft", "--wait", uuid)
    do("server", "reboot", "--hard", "--wait", uuid)
    assert run("server", "show", uuid)["status"] == "ACTIVE"

    assert do("console", "log", "show", uuid).strip()
    actions = {event["Action"] for event in run("server", "event", "list", uuid)}
    assert actions == {"create", "stop", "start", "reboot"}
    request = run("server", "event", "list", uuid)[-1]["Request ID"]
    assert run("server", "event", "show", uuid, request)["action"] == "create"

    do("server", "delete", "--wait", uuid)
    assert run("server", "list") == []


def test_flavors(run, do):
    made = run(
        "flavor",
        "create",
        "--ram",
        "64",
        "--disk",
        "1",
        "--vcpus",
        "1",
        "--property",
        "hw:cpu_sockets=1",
        "cli-flavor",
        project="admin",
    )
    try:
        assert run("flavor", "show", "cli-flavor")["ram"] == 64
        do("flavor", "set", "--description", "for a test", "cli-flavor", project="admin")
        shown = run("flavor", "show", "cli-flavor")
        assert shown["description"] == "for a test"
        assert "cli-flavor" in {f["Name"] for f in run("flavor", "list", "--long")}
        do("flavor", "unset", "--property", "hw:cpu_sockets", "cli-flavor", project="admin")
    finally:
        do("flavor", "delete", made["id"], project="admin")


def test_keypairs(cloud, run, do, tmp_path):
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    do("keypair", "create", "--public-key", f"{key}.pub", "cli-key")
    try:
        assert [k["Name"] for k in run("keypair", "list")] == ["cli-key"]
        assert run("keypair", "show", "cli-key")["type"] == "ssh"
        created = run(
            "server",
            "create",
            "--flavor",
            "m1.tiny",
            "--image",
            "keel-test",
            "--network",
            "private",
            "--key-name",
            "cli-key",
            "--wait",
            "with-key",
        )
        assert created["key_name"] == "cli-key"
    finally:
        do("keypair", "delete", "cli-key")


def test_what_an_operator_looks_at(cloud, run):
    services = {s["Binary"]: s for s in run("compute", "service", "list", project="admin")}
    assert set(services) == {"nova-conductor", "nova-scheduler", "nova-compute"}
    assert {s["State"] for s in services.values()} == {"up"}
    hypervisors = run("hypervisor", "list", project="admin")
    assert {h["Hypervisor Hostname"] for h in hypervisors} == {"node-1", "node-2"}
    assert {h["Hypervisor Type"] for h in hypervisors} == {"KubeVirt"}
    zones = run("availability", "zone", "list", "--compute", project="admin")
    assert "nova" in {z["Zone Name"] for z in zones}
    limits = {row["Name"]: row["Value"] for row in run("limits", "show", "--absolute")}
    assert limits["max_total_instances"] > 0
    assert limits["total_instances_used"] == 0


def test_a_server_without_network_and_one_at_a_chosen_host(cloud, run):
    created = run(
        "server",
        "create",
        "--flavor",
        "m1.tiny",
        "--image",
        "keel-test",
        "--nic",
        "none",
        "--wait",
        "lonely",
    )
    assert created["addresses"] == {}
    chosen = run(
        "--os-compute-api-version",
        "2.74",
        "server",
        "create",
        "--flavor",
        "m1.tiny",
        "--image",
        "keel-test",
        "--network",
        "private",
        "--host",
        "node-2",
        "--wait",
        "chosen",
        project="admin",
    )
    assert chosen["OS-EXT-SRV-ATTR:host"] == "node-2"


def test_kubectl_sees_the_servers(cloud, run):
    uuid = run(
        "server",
        "create",
        "--flavor",
        "m1.tiny",
        "--image",
        "keel-test",
        "--network",
        "private",
        "--wait",
        "k",
    )["id"]
    done = subprocess.run(
        ["kubectl", "get", "vm", "-A", "-o", "name"],
        env=cloud.environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert f"virtualmachine.kubevirt.io/i-{uuid}" in done.stdout.split()
