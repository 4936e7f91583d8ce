"""A real kubectl works on the stand-in: list, describe, watch, edit, apply, delete, logs."""

import json
import textwrap

import pytest

from tests.fixtures.standin import Kubectl, StandIn, find_kubectl

KUBECTL = find_kubectl()
pytestmark = pytest.mark.skipif(
    KUBECTL is None, reason="no kubectl: run devstack/up, or set OPENKEEL_KUBECTL"
)

MACHINE = textwrap.dedent("""
    apiVersion: kubevirt.io/v1
    kind: VirtualMachine
    metadata:
      name: web
      labels: {app: web}
    spec:
      runStrategy: Manual
      template:
        metadata: {labels: {app: web}}
        spec:
          nodeSelector: {kubernetes.io/hostname: node-1}
          domain:
            cpu: {sockets: 1}
            memory: {guest: 128Mi}
            devices:
              disks: [{name: root, disk: {bus: virtio}}]
          volumes: [{name: root, dataVolume: {name: root}}]
    ---
    apiVersion: cdi.kubevirt.io/v1beta1
    kind: DataVolume
    metadata: {name: root}
    spec:
      source: {blank: {}}
      storage: {resources: {requests: {storage: 1Gi}}}
""")


@pytest.fixture(scope="module")
def standin(tmp_path_factory):
    server = StandIn(tmp_path_factory.mktemp("standin"), "--timings", "boot=0.2")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def kubectl(standin):
    return Kubectl(KUBECTL, standin)


@pytest.fixture
def machine(kubectl, standin):
    """A machine that runs, and its namespace."""
    name = "lab"
    kubectl("create", "namespace", name)
    kubectl("-n", name, "apply", "-f", "-", stdin=MACHINE)
    start = f"/apis/subresources.kubevirt.io/v1/namespaces/{name}/virtualmachines/web/start"
    assert standin.session.put(f"{standin.url}{start}", timeout=10).status_code == 202
    kubectl("-n", name, "wait", "vm/web", "--for=condition=Ready", "--timeout=10s")
    yield name
    kubectl("delete", "namespace", name, "--timeout=30s")


def test_versions_and_resources_are_discovered(kubectl):
    assert json.loads(kubectl("version", "-o", "json"))["serverVersion"]["gitVersion"].startswith("v1.")
    named = kubectl("api-resources", "-o", "name").split()
    assert {"pods", "virtualmachines.kubevirt.io", "network-attachment-definitions.k8s.cni.cncf.io"} <= set(
        named
    )


def test_lists_show_the_columns_of_each_kind(kubectl, machine):
    assert "Running   True" in kubectl("-n", machine, "get", "vm")
    assert "node-1" in kubectl("-n", machine, "get", "vmi")
    assert "2/2     Running" in kubectl("-n", machine, "get", "pods")
    assert "Succeeded   100.0%" in kubectl("-n", machine, "get", "dv")
    assert "Bound" in kubectl("-n", machine, "get", "pvc")
    assert kubectl("get", "nodes", "-o", "name").split() == ["node/node-1", "node/node-2"]
    assert "web" in kubectl("get", "vm", "-A", "-l", "app=web", "-o", "wide")
    assert "No resources" in kubectl.run("get", "vm", "-A", "-l", "app=db").stderr


def test_objects_are_described_with_their_events(kubectl, machine):
    told = kubectl("-n", machine, "describe", "vm", "web")
    assert "Printable Status:  " in told
    assert "SuccessfulCreate" in told
    assert "virt-launcher-web-" in kubectl("describe", "node", "node-1")
    pod = kubectl("-n", machine, "get", "pods", "-o", "name").strip()
    assert "guest-console-log" in kubectl("-n", machine, "describe", pod)


def test_the_console_is_a_log(kubectl, machine):
    pod = kubectl("-n", machine, "get", "pods", "-l", "kubevirt.io=virt-launcher", "-o", "name").strip()
    assert "login:" in kubectl("-n", machine, "logs", pod, "-c", "guest-console-log", "--tail=3")


def test_an_edit_in_the_editor_is_stored(kubectl, machine):
    editor = "sed -i 's/app: web/app: edited/'"
    assert "edited" in kubectl("-n", machine, "edit", "vm", "web", KUBE_EDITOR=editor)
    assert "app=edited" in kubectl("-n", machine, "get", "vm", "web", "--show-labels")


def test_labels_annotations_and_patches_are_stored(kubectl, machine):
    kubectl("-n", machine, "label", "vm", "web", "tier=front")
    kubectl("-n", machine, "annotate", "vm", "web", "note=yes")
    kubectl("-n", machine, "patch", "vm", "web", "--type=merge", "-p", '{"metadata":{"labels":{"app":null}}}')
    kubectl(
        "-n",
        machine,
        "patch",
        "vm",
        "web",
        "--type=json",
        "-p",
        '[{"op":"add","path":"/metadata/labels/a","value":"b"}]',
    )
    meta = json.loads(kubectl("-n", machine, "get", "vm", "web", "-o", "json"))["metadata"]
    assert meta["labels"] == {"tier": "front", "a": "b"}
    assert meta["annotations"]["note"] == "yes"
    refused = kubectl.run("-n", machine, "patch", "vm", "web", "--type=strategic", "-p", "{}")
    assert refused.returncode != 0


def test_apply_is_repeatable_on_either_side(kubectl, machine):
    assert "unchanged" in kubectl("-n", machine, "apply", "-f", "-", stdin=MACHINE)
    changed = MACHINE.replace("labels: {app: web}\nspec", "labels: {app: web, more: yes-please}\nspec")
    assert "web configured" in kubectl("-n", machine, "apply", "-f", "-", stdin=changed)
    kubectl("-n", machine, "apply", "--server-side", "--force-conflicts", "-f", "-", stdin=MACHINE)
    again = kubectl.run("-n", machine, "diff", "--server-side", "--force-conflicts", "-f", "-", stdin=MACHINE)
    assert again.returncode == 0, again.stdout


def test_a_core_object_merges_strategically(kubectl):
    kubectl("create", "configmap", "settings", "--from-literal=a=1")
    kubectl("patch", "configmap", "settings", "-p", '{"data":{"b":"2"}}')
    assert kubectl("get", "configmap", "settings", "-o", "jsonpath={.data}") == '{"a":"1","b":"2"}'
    kubectl("taint", "node", "node-2", "a=b:NoSchedule")
    kubectl("taint", "node", "node-2", "a-")
    kubectl("cordon", "node-2")
    assert "SchedulingDisabled" in kubectl("get", "nodes")
    kubectl("uncordon", "node-2")


def test_wrong_objects_are_refused_with_the_reason(kubectl):
    unknown = MACHINE.partition("---")[0].replace("runStrategy: Manual", "runStrategy: Manual\n  surprise: 1")
    refused = kubectl.run("create", "-f", "-", stdin=unknown)
    assert 'unknown field "spec.surprise"' in refused.stderr
    wrong = MACHINE.partition("---")[0].replace("runStrategy: Manual", "runStrategy: Sometimes")
    refused = kubectl.run("create", "-f", "-", stdin=wrong)
    assert "Invalid RunStrategy (Sometimes)" in refused.stderr
    assert "(NotFound)" in kubectl.run("get", "vm", "nobody").stderr


def test_a_dry_run_shows_and_stores_nothing(kubectl):
    assert "server dry run" in kubectl("create", "--dry-run=server", "-f", "-", stdin=MACHINE)
    assert "(NotFound)" in kubectl.run("get", "vm", "web").stderr


def test_schemas_are_explained(kubectl):
    assert "maxGuest" in kubectl("explain", "vm.spec.template.spec.domain.memory")
    assert "secretExtraHeaders" in kubectl("explain", "datavolume.spec.source.http")


def test_access_can_be_asked_for(kubectl, standin):
    assert (
        kubectl("auth", "can-i", "update", "virtualmachines/start.subresources.kubevirt.io").strip() == "yes"
    )
    standin.standin("faults", action="access-denied", match={"resource": "pods"})
    assert kubectl.run("auth", "can-i", "list", "pods").stdout.startswith("no")
    standin.heal()


def test_a_watch_follows_and_a_delete_waits(kubectl, machine):
    watching = kubectl.begin("-n", machine, "get", "vm", "web", "-w", "--no-headers")
    assert "Running" in watching.stdout.readline()
    kubectl("-n", machine, "delete", "vm", "web", "--timeout=20s")
    assert any("Terminating" in line for line in watching.stdout)
    watching.terminate()
    watching.wait(10)
    watching.stdout.close()
    assert kubectl("-n", machine, "get", "vmi,pods", "-o", "name") == ""
