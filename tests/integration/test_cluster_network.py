"""A guest's network becomes a port on the node's br-int, in a real Open vSwitch without a kernel module."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.fixtures.standin import StandIn

NEEDED = ("ovsdb-tool", "ovsdb-server", "ovs-vswitchd", "ovs-vsctl", "unshare")
SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"
missing = [name for name in NEEDED if shutil.which(name) is None]
pytestmark = pytest.mark.skipif(
    bool(missing) or os.geteuid() != 0 or not Path(SCHEMA).exists(),
    reason=f"needs root and Open vSwitch ({', '.join(missing) or 'installed'})",
)
PORT = "3f0d1c5e-8a44-4a6e-9d2f-0c1d2e3f4a5b"


class Node:
    """One node's switch: database and daemon in a network namespace of their own."""

    def __init__(self, folder):
        folder.mkdir()
        self.folder = folder
        self.socket = f"unix:{folder}/db.sock"
        quiet = ["-vconsole:off", "-vsyslog:off", f"--log-file={folder}/log", "--no-chdir", "--detach"]
        self._run("ovsdb-tool", "create", f"{folder}/conf.db", SCHEMA)
        pids = [f"--pidfile={folder}/db.pid", f"--unixctl={folder}/db.ctl"]
        self._run("ovsdb-server", *quiet, *pids, f"--remote=punix:{folder}/db.sock", f"{folder}/conf.db")
        self._run("ovs-vsctl", f"--db={self.socket}", "--no-wait", "init")
        pids = [f"--pidfile={folder}/switch.pid", f"--unixctl={folder}/switch.ctl", "--disable-system"]
        self._run("unshare", "-n", "ovs-vswitchd", self.socket, *quiet, *pids)
        self.vsctl(
            "add-br", "br-int", "--", "set", "bridge", "br-int", "datapath_type=netdev", "fail_mode=secure"
        )

    def _run(self, *command):
        environment = {**os.environ, "OVS_RUNDIR": str(self.folder)}
        return subprocess.run(
            command, env=environment, check=True, capture_output=True, text=True, timeout=30
        ).stdout

    def vsctl(self, *words):
        return self._run("ovs-vsctl", f"--db={self.socket}", "--timeout=10", *words)

    def ports(self):
        return self.vsctl("list-ports", "br-int").split()

    def stop(self):
        for name in ("switch.pid", "db.pid"):
            os.kill(int((self.folder / name).read_text()), 15)


@pytest.fixture(scope="module")
def nodes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ovs")
    nodes = {name: Node(folder / name) for name in ("node-1", "node-2")}
    yield nodes
    for node in nodes.values():
        node.stop()


@pytest.fixture(scope="module")
def standin(tmp_path_factory, nodes):
    run_dir = str(nodes["node-1"].folder.parent / "{node}")
    server = StandIn(tmp_path_factory.mktemp("standin"), "--ovs-run-dir", run_dir)
    yield server
    server.stop()


def eventually(holds):
    deadline = time.monotonic() + 15
    while not holds():
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.05)


def call(standin, method, path, body, expected):
    answer = standin.session.request(method, f"{standin.url}{path}", json=body, timeout=10)
    assert answer.status_code in expected, answer.text
    return answer.json() if answer.content else None


def boot(standin, name, port, node="node-1"):
    given = {"cni": {"ovnPort": port, "mac": "fa:16:3e:00:00:01"}}
    config = json.dumps({"cniVersion": "0.4.0", "type": "ovs", "bridge": "br-int", "args": given})
    attachments = "/apis/k8s.cni.cncf.io/v1/namespaces/default/network-attachment-definitions"
    call(
        standin, "POST", attachments, {"metadata": {"name": f"okp-{port}"}, "spec": {"config": config}}, {201}
    )
    interface = {"name": "p", "bridge": {}, "macAddress": "fa:16:3e:00:00:01"}
    spec = {
        "nodeSelector": {"kubernetes.io/hostname": node},
        "domain": {
            "memory": {"guest": "64Mi"},
            "firmware": {"uuid": port},
            "devices": {"interfaces": [interface]},
        },
        "networks": [{"name": "p", "multus": {"networkName": f"okp-{port}"}}],
    }
    machine = {"metadata": {"name": name}, "spec": {"runStrategy": "Manual", "template": {"spec": spec}}}
    call(standin, "POST", "/apis/kubevirt.io/v1/namespaces/default/virtualmachines", machine, {201})
    start = f"/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/{name}/start"
    call(standin, "PUT", start, {}, {202})


def delete(standin, name, port):
    call(standin, "DELETE", f"/apis/kubevirt.io/v1/namespaces/default/virtualmachines/{name}", {}, {200})
    attachments = "/apis/k8s.cni.cncf.io/v1/namespaces/default/network-attachment-definitions"
    call(standin, "DELETE", f"{attachments}/okp-{port}", {}, {200})


def test_a_running_guest_has_its_port_on_its_node_and_a_deleted_one_none(standin, nodes):
    boot(standin, "vm", PORT)
    eventually(lambda: nodes["node-1"].ports() == ["tap3f0d1c5e-8a"])
    told = nodes["node-1"].vsctl("get", "interface", "tap3f0d1c5e-8a", "external_ids", "error")
    assert f'iface-id="{PORT}"' in told
    assert 'attached-mac="fa:16:3e:00:00:01"' in told
    assert told.endswith("[]\n"), "the switch could make the device"
    assert nodes["node-2"].ports() == []
    delete(standin, "vm", PORT)
    eventually(lambda: nodes["node-1"].ports() == [])


def test_fifty_guests_are_plugged_on_both_nodes_and_all_unplugged(standin, nodes):
    ports = [f"{number:08x}-0000-4000-8000-000000000000" for number in range(50)]
    for number, port in enumerate(ports):
        boot(standin, f"vm-{number}", port, f"node-{number % 2 + 1}")
    eventually(lambda: [len(node.ports()) for node in nodes.values()] == [25, 25])
    for number, port in enumerate(ports):
        delete(standin, f"vm-{number}", port)
    eventually(lambda: [len(node.ports()) for node in nodes.values()] == [0, 0])


def test_a_restarted_stand_in_brings_the_bridge_back_in_line(standin, nodes):
    boot(standin, "vm", PORT)
    node = nodes["node-1"]
    eventually(lambda: node.ports() == ["tap3f0d1c5e-8a"])
    standin.kill()
    node.vsctl("del-port", "tap3f0d1c5e-8a")
    node.vsctl(
        "add-port",
        "br-int",
        "tapstale",
        "--",
        "set",
        "interface",
        "tapstale",
        "type=internal",
        "external_ids:owner=openkeel-standin",
    )
    node.vsctl("add-port", "br-int", "foreign", "--", "set", "interface", "foreign", "type=internal")
    standin.start()
    eventually(lambda: sorted(node.ports()) == ["foreign", "tap3f0d1c5e-8a"])
    node.vsctl("del-port", "foreign")
    delete(standin, "vm", PORT)
    eventually(lambda: node.ports() == [])
