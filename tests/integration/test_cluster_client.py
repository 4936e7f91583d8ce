"""The official Python client against the stand-in: what a driver relies on."""

import http.server
import json
import threading
import time

import pytest
import requests
from kubernetes import client, config, watch
from kubernetes.client import ApiException

from tests.fixtures.standin import StandIn

KUBEVIRT = ("kubevirt.io", "v1")
CDI = ("cdi.kubevirt.io", "v1beta1")


@pytest.fixture(scope="module")
def standin(tmp_path_factory):
    server = StandIn(
        tmp_path_factory.mktemp("standin"),
        *("--timings", "boot=0.2,import_retry=0.2"),
        *("--bookmark-interval", "0.3"),
    )
    yield server
    server.stop()


@pytest.fixture(scope="module")
def api(standin):
    return config.new_client_from_config(str(standin.kubeconfig))


@pytest.fixture
def core(api):
    return client.CoreV1Api(api)


@pytest.fixture
def custom(api):
    return client.CustomObjectsApi(api)


@pytest.fixture
def namespace(core):
    core.create_namespace({"metadata": {"name": "lab"}})
    yield "lab"
    core.delete_namespace("lab")
    deadline = time.monotonic() + 20
    while any(each.metadata.name == "lab" for each in core.list_namespace().items):
        assert time.monotonic() < deadline, "the namespace does not end"
        time.sleep(0.05)


@pytest.fixture
def images():
    """An image service that wants a token."""

    class Service(http.server.BaseHTTPRequestHandler):
        def do_HEAD(self):
            self.send_error(405)

        def do_GET(self):
            if self.headers.get("X-Auth-Token") != "good":
                self.send_error(401, "Unauthorized")
                return
            body = b"QFI\xfb" + bytes(20) + (64 << 20).to_bytes(8) + bytes(100_000)
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v2/images/1/file"
    server.shutdown()
    thread.join()
    server.server_close()


def machine(name, **labels):
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name, "labels": labels},
        "spec": {
            "runStrategy": "Manual",
            "template": {"spec": {"domain": {"devices": {}, "memory": {"guest": "64Mi"}}}},
        },
    }


def put(standin, path, body=None):
    return standin.session.put(
        f"{standin.url}/apis/subresources.kubevirt.io/v1/namespaces/lab/{path}", json=body or {}, timeout=10
    )


def follow(custom, until, seconds=10, **query):
    """Phases that a watch sees, up to the wanted one."""
    seen = []
    stream = watch.Watch().stream(
        custom.list_namespaced_custom_object,
        *KUBEVIRT,
        "lab",
        "virtualmachineinstances",
        timeout_seconds=seconds,
        **query,
    )
    for event in stream:
        phase = event["object"].get("status", {}).get("phase", "")
        seen.append(phase)
        if phase == until:
            break
    return seen


def test_a_watch_sees_a_boot_go_by(standin, custom, namespace):
    custom.create_namespaced_custom_object(*KUBEVIRT, namespace, "virtualmachines", machine("vm"))
    listed = custom.list_namespaced_custom_object(*KUBEVIRT, namespace, "virtualmachineinstances")
    assert put(standin, "virtualmachines/vm/start").status_code == 202
    seen = follow(custom, "Running", resource_version=listed["metadata"]["resourceVersion"])
    assert [phase for number, phase in enumerate(seen) if phase not in seen[:number]] == [
        "",
        "Pending",
        "Scheduling",
        "Scheduled",
        "Running",
    ]


def test_merge_and_json_patches_are_told_apart_by_their_type(custom, namespace):
    custom.create_namespaced_custom_object(*KUBEVIRT, namespace, "virtualmachines", machine("vm"))
    where = (*KUBEVIRT, namespace, "virtualmachines", "vm")
    merged = custom.patch_namespaced_custom_object(*where, {"metadata": {"labels": {"a": "b"}}})
    assert merged["metadata"]["labels"] == {"a": "b"}
    operations = [
        {"op": "test", "path": "/metadata/labels/a", "value": "b"},
        {"op": "replace", "path": "/metadata/labels/a", "value": "c"},
    ]
    as_operations = {"_content_type": "application/json-patch+json"}
    patched = custom.patch_namespaced_custom_object(*where, operations, **as_operations)
    assert patched["metadata"]["labels"] == {"a": "c"}
    with pytest.raises(ApiException) as refusal:
        custom.patch_namespaced_custom_object(*where, operations, **as_operations)
    assert refusal.value.status == 422


def test_a_stale_merge_patch_is_a_conflict(custom, namespace):
    made = custom.create_namespaced_custom_object(*KUBEVIRT, namespace, "virtualmachines", machine("vm"))
    where = (*KUBEVIRT, namespace, "virtualmachines", "vm")
    custom.patch_namespaced_custom_object(*where, {"metadata": {"labels": {"a": "b"}}})
    stale = {"metadata": {"resourceVersion": made["metadata"]["resourceVersion"], "labels": {"a": "c"}}}
    with pytest.raises(ApiException) as refusal:
        custom.patch_namespaced_custom_object(*where, stale)
    assert (refusal.value.status, json.loads(refusal.value.body)["reason"]) == (409, "Conflict")


def test_apply_creates_once_and_changes_afterwards(standin, namespace):
    url = f"{standin.url}/apis/kubevirt.io/v1/namespaces/{namespace}/virtualmachines/vm"
    query = {"fieldManager": "driver", "force": "true"}
    headers = {"Content-Type": "application/apply-patch+yaml"}

    def apply(**labels):
        body = json.dumps(machine("vm", **labels))
        return standin.session.patch(url, params=query, headers=headers, data=body, timeout=10)

    assert [apply(a="1").status_code, apply(a="1").status_code] == [201, 200]
    assert apply(b="2").json()["metadata"]["labels"] == {"b": "2"}
    nobody = standin.session.patch(url, headers=headers, data=json.dumps(machine("vm")), timeout=10)
    assert nobody.status_code == 422


def test_an_import_is_refused_with_a_bad_token_and_done_with_a_good_one(core, custom, namespace, images):
    core.create_namespaced_secret(
        namespace, {"metadata": {"name": "okg"}, "stringData": {"h": "X-Auth-Token: bad"}}
    )
    source = {"http": {"url": images, "secretExtraHeaders": ["okg"]}}
    spec = {"source": source, "storage": {"resources": {"requests": {"storage": "1Gi"}}}}
    volume = {
        "apiVersion": "cdi.kubevirt.io/v1beta1",
        "kind": "DataVolume",
        "metadata": {"name": "golden"},
        "spec": spec,
    }
    custom.create_namespaced_custom_object(*CDI, namespace, "datavolumes", volume)

    def until(holds):
        stream = watch.Watch().stream(
            custom.list_namespaced_custom_object, *CDI, namespace, "datavolumes", timeout_seconds=10
        )
        return next(each["object"]["status"] for each in stream if holds(each["object"].get("status", {})))

    refused = until(lambda status: status.get("restartCount", 0) >= 2)
    running = next(each for each in refused["conditions"] if each["type"] == "Running")
    assert "401" in running["message"]
    core.patch_namespaced_secret("okg", namespace, {"stringData": {"h": "X-Auth-Token: good"}})
    assert until(lambda status: status.get("phase") == "Succeeded")["progress"] == "100.0%"


def test_an_image_larger_than_its_volume_is_an_error(core, custom, namespace, images):
    core.create_namespaced_secret(
        namespace, {"metadata": {"name": "okg"}, "stringData": {"h": "X-Auth-Token: good"}}
    )
    source = {"http": {"url": images, "secretExtraHeaders": ["okg"]}}
    spec = {"source": source, "storage": {"resources": {"requests": {"storage": "1Mi"}}}}
    volume = {
        "apiVersion": "cdi.kubevirt.io/v1beta1",
        "kind": "DataVolume",
        "metadata": {"name": "small"},
        "spec": spec,
    }
    custom.create_namespaced_custom_object(*CDI, namespace, "datavolumes", volume)
    stream = watch.Watch().stream(
        custom.list_namespaced_custom_object, *CDI, namespace, "datavolumes", timeout_seconds=10
    )
    status = next(
        each["object"]["status"] for each in stream if each["object"].get("status", {}).get("restartCount")
    )
    assert any(
        "larger than the reported available storage" in each.get("message", "")
        for each in status["conditions"]
    )


def test_pages_add_up_to_the_list(core, namespace):
    for number in range(7):
        core.create_namespaced_config_map(namespace, {"metadata": {"name": f"c{number}"}})
    names, token = [], None
    while True:
        page = core.list_namespaced_config_map(namespace, limit=3, _continue=token)
        names += [each.metadata.name for each in page.items]
        token = page.metadata._continue
        if not token:
            break
    assert names == [f"c{number}" for number in range(7)]


def stream_lines(standin, path, **query):
    answer = standin.session.get(
        f"{standin.url}{path}", params={"watch": "1", **query}, stream=True, timeout=10
    )
    return answer, (json.loads(line) for line in answer.iter_lines())


def test_bookmarks_come_when_asked_for_and_mark_the_end_of_the_initial_list(standin, core, namespace):
    core.create_namespaced_config_map(namespace, {"metadata": {"name": "one"}})
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    query = {
        "allowWatchBookmarks": "true",
        "sendInitialEvents": "true",
        "resourceVersionMatch": "NotOlderThan",
    }
    answer, events = stream_lines(standin, path, **query, timeoutSeconds="5")
    assert next(events)["type"] == "ADDED"
    mark = next(events)
    assert mark["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
    later = next(events)
    assert (later["type"], later["object"]["kind"]) == ("BOOKMARK", "ConfigMap")
    answer.close()


def test_a_watch_ends_at_its_timeout(standin):
    begun = time.monotonic()
    answer, events = stream_lines(standin, "/api/v1/nodes", resourceVersion="0", timeoutSeconds="1")
    assert [each["type"] for each in events] == ["ADDED", "ADDED"]
    assert 0.9 < time.monotonic() - begun < 3
    answer.close()


def test_a_version_that_is_too_old_is_gone(standin, core, namespace):
    old = core.list_node().metadata.resource_version
    core.create_namespaced_config_map(namespace, {"metadata": {"name": "one"}})
    standin.standin("watches", action="expire")
    with pytest.raises(ApiException) as refusal:
        next(iter(watch.Watch().stream(core.list_node, resource_version=old, timeout_seconds=2)))
    assert (refusal.value.status, json.loads(refusal.value.body)["reason"]) == (410, "Expired")


def test_a_dropped_watch_goes_on_from_where_it_was(standin, core, namespace):
    seen = []
    first = core.list_namespaced_config_map(namespace).metadata.resource_version
    answer, events = stream_lines(
        standin, f"/api/v1/namespaces/{namespace}/configmaps", resourceVersion=first
    )
    core.create_namespaced_config_map(namespace, {"metadata": {"name": "one"}})
    seen.append(next(events)["object"]["metadata"])
    standin.standin("watches", action="drop")
    assert list(events) == [], "the server closed it"
    core.create_namespaced_config_map(namespace, {"metadata": {"name": "two"}})
    again, events = stream_lines(
        standin, f"/api/v1/namespaces/{namespace}/configmaps", resourceVersion=seen[0]["resourceVersion"]
    )
    seen.append(next(events)["object"]["metadata"])
    assert [each["name"] for each in seen] == ["one", "two"]
    answer.close()
    again.close()


def test_too_many_requests_say_when_to_come_again(standin, core):
    standin.standin(
        "faults", action="http-error", match={"path": "/api/v1/nodes"}, code=429, retryAfter=1, times=1
    )
    answer = standin.session.get(f"{standin.url}/api/v1/nodes", timeout=10)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "1")
    assert len(core.list_node().items) == 2


def test_a_wrong_token_is_unauthorized(standin):
    answer = requests.get(
        f"{standin.url}/api/v1/nodes", headers={"Authorization": "Bearer wrong"}, timeout=10
    )
    assert (answer.status_code, answer.json()["reason"]) == (401, "Unauthorized")


@pytest.mark.parametrize(
    "path",
    [
        "/apis/migrations.kubevirt.io/v1alpha1/migrationpolicies",
        "/apis/kubevirt.io/v1/virtualmachineinstancemigrations",
        "/api/v1/namespaces/lab/services",
        "/api/v1/nodes/node-1/log",
        "/nowhere",
    ],
)
def test_what_is_not_declared_is_not_found(standin, path):
    answer = standin.session.get(f"{standin.url}{path}", timeout=10)
    assert (answer.status_code, answer.json()["kind"], answer.json()["code"]) == (404, "Status", 404)


@pytest.mark.parametrize("ending", ["restart", "kill"])
def test_objects_and_running_guests_outlive_the_server(standin, core, custom, namespace, ending):
    custom.create_namespaced_custom_object(*KUBEVIRT, namespace, "virtualmachines", machine("vm"))
    assert put(standin, "virtualmachines/vm/start").status_code == 202
    follow(custom, "Running")
    before = custom.get_namespaced_custom_object(*KUBEVIRT, namespace, "virtualmachineinstances", "vm")
    if ending == "restart":
        standin.restart()
    else:
        standin.kill()
        standin.start()
    after = custom.get_namespaced_custom_object(*KUBEVIRT, namespace, "virtualmachineinstances", "vm")
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    made = core.create_namespaced_config_map(namespace, {"metadata": {"name": "new"}})
    assert int(made.metadata.resource_version) > int(before["metadata"]["resourceVersion"])
    assert put(standin, "virtualmachines/vm/stop", {"gracePeriod": 0}).status_code == 202
    deadline = time.monotonic() + 10
    while custom.list_namespaced_custom_object(*KUBEVIRT, namespace, "virtualmachineinstances")["items"]:
        assert time.monotonic() < deadline
        time.sleep(0.02)
