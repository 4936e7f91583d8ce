"""What only a cluster can do to the KubeVirt driver."""

import dataclasses
import json
import threading
import urllib.request
import uuid

import pytest

from openkeel.domain.states import PowerState
from openkeel.virt.driver import DiskSpec, GuestRejected, HostFailure, ImageSpec
from openkeel.virt.kubevirt.client import KubeClient, connect
from openkeel.virt.kubevirt.errors import Refused
from tests.contract.driver.conftest import eventually, kubevirt
from tests.contract.driver.test_driver import PROJECT, power, spec  # noqa: F401 - a fixture

pytestmark = pytest.mark.parametrize("subject", ["kubevirt"], indirect=True)
SPACE = f"ok-{PROJECT}"


@pytest.fixture
def control(stand_in):
    """control(method, path, body): the stand-in's own controls, beside the Kubernetes API."""

    def call(method, path, body=None):
        request = urllib.request.Request(
            f"{stand_in.url}/_standin/{path}", method=method, data=json.dumps(body or {}).encode()
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    yield call
    call("DELETE", "faults")


@pytest.fixture
def fault(control):
    """fault(action, match, **arguments): trouble until the test is over."""
    return lambda action, match, **arguments: control(
        "POST", "faults", {"action": action, "match": match, **arguments}
    )


@pytest.fixture
def client(stand_in):
    return KubeClient(connect(str(stand_in.kubeconfig), None), timeout_s=10, retry_s=5, qps=500)


def labelled(client, instance_uuid):
    found = []
    for path in (
        "/apis/kubevirt.io/v1/virtualmachines",
        "/apis/kubevirt.io/v1/virtualmachineinstances",
        "/apis/cdi.kubevirt.io/v1beta1/datavolumes",
        "/apis/k8s.cni.cncf.io/v1/network-attachment-definitions",
        "/api/v1/persistentvolumeclaims",
        "/api/v1/pods",
        "/api/v1/configmaps",
        "/api/v1/secrets",
    ):
        items, _ = client.list(path, labelSelector=f"openkeel.io/instance={instance_uuid}")
        found += [f"{path}/{item['metadata']['name']}" for item in items]
    return found


def test_nothing_is_left_of_a_destroyed_guest(subject, spec, client):  # noqa: F811
    subject.driver.lifecycle.spawn(dataclasses.replace(spec, config_drive=True))
    subject.driver.power.power_off(spec.instance_uuid, PROJECT, grace_s=1)
    assert labelled(client, spec.instance_uuid)
    subject.driver.lifecycle.destroy(spec.instance_uuid, PROJECT)
    eventually(lambda: labelled(client, spec.instance_uuid) == [])


def test_the_image_is_fetched_once_and_its_token_is_not_kept(subject, spec, client, image_server):  # noqa: F811
    image = str(uuid.uuid4())
    root = dataclasses.replace(spec.disks[0], image=ImageSpec(image, "raw", "bare", 5000, 0))
    specs = [
        dataclasses.replace(spec, instance_uuid=str(uuid.uuid4()), disks=(root,), nics=()) for _ in range(3)
    ]
    for each in specs:
        subject.driver.lifecycle.spawn(each)
    try:
        assert image_server.served.count(f"/v2/images/{image}/file") == 1
        secrets = client.list("/api/v1/namespaces/openkeel-images/secrets")[0]
        assert [s["metadata"]["name"] for s in secrets if image in s["metadata"]["name"]] == []
    finally:
        for each in specs:
            subject.driver.lifecycle.destroy(each.instance_uuid, PROJECT)


def test_builds_that_need_a_new_image_together_share_one_copy(subject, spec):  # noqa: F811
    root = dataclasses.replace(spec.disks[0], image=ImageSpec(str(uuid.uuid4()), "raw", "bare", 5000, 0))
    images = subject.driver.lifecycle._images
    both_looked = threading.Barrier(2)
    access = images._access

    def slow_access(image):
        both_looked.wait(10)
        return access(image)

    images._access = slow_access
    failures = []

    def boot(each):
        try:
            subject.driver.lifecycle.spawn(each)
        except Exception as error:  # noqa: BLE001 - collected for the assertion below
            failures.append(error)

    specs = [
        dataclasses.replace(spec, instance_uuid=str(uuid.uuid4()), disks=(root,), nics=()) for _ in range(2)
    ]
    threads = [threading.Thread(target=boot, args=(each,)) for each in specs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for each in specs:
        subject.driver.lifecycle.destroy(each.instance_uuid, PROJECT)
    images._access = access
    assert failures == []


def test_an_import_that_cannot_begin_leaves_no_token(subject, spec, client, monkeypatch):  # noqa: F811
    image = str(uuid.uuid4())
    root = dataclasses.replace(spec.disks[0], image=ImageSpec(image, "raw", "bare", 5000, 0))

    def refuse(*_: object) -> None:
        raise Refused("quota of the namespace", status=403)

    monkeypatch.setattr(subject.driver.lifecycle._images._client, "create", refuse)
    with pytest.raises((GuestRejected, HostFailure)):
        subject.driver.lifecycle.spawn(dataclasses.replace(spec, disks=(root,)))
    secrets = client.list("/api/v1/namespaces/openkeel-images/secrets")[0]
    assert [one["metadata"]["name"] for one in secrets if image in one["metadata"]["name"]] == []


def test_an_image_the_importer_may_not_have_is_refused(subject, spec, stand_in, image_server):  # noqa: F811
    driver = kubevirt(stand_in, image_server)
    driver.lifecycle._images._access = lambda image: type(  # the token of somebody else
        "Source", (), {"url": f"{image_server.url}/v2/images/{image}/file", "headers": {"X-Auth-Token": "no"}}
    )()
    root = dataclasses.replace(spec.disks[0], image=ImageSpec(str(uuid.uuid4()), "raw", "bare", 5000, 0))
    with pytest.raises((GuestRejected, HostFailure), match="401"):
        driver.lifecycle.spawn(dataclasses.replace(spec, disks=(root,)))


def test_the_console_log_outlives_the_stop(subject, spec):  # noqa: F811
    subject.driver.lifecycle.spawn(spec)
    console = subject.driver.console
    eventually(lambda: console.output(spec.instance_uuid, PROJECT, max_bytes=1000))
    live = console.output(spec.instance_uuid, PROJECT, max_bytes=100)
    subject.driver.power.power_off(spec.instance_uuid, PROJECT, grace_s=1)
    assert len(console.output(spec.instance_uuid, PROJECT, max_bytes=50)) == min(50, len(live))


def test_another_hosts_guest_is_left_alone(subject, spec, stand_in, image_server):  # noqa: F811
    other = kubevirt(stand_in, image_server, node="node-2")
    other.host.start(lambda _event: None)
    theirs = dataclasses.replace(spec, instance_uuid=str(uuid.uuid4()))
    other.lifecycle.spawn(theirs)
    try:
        assert theirs.instance_uuid not in subject.driver.lifecycle.list()
        subject.driver.lifecycle.destroy(theirs.instance_uuid, PROJECT)
        assert power_of(other, theirs) is PowerState.RUNNING
        with pytest.raises(GuestRejected, match="node-2"):
            subject.driver.lifecycle.spawn(theirs)
    finally:
        other.lifecycle.destroy(theirs.instance_uuid, PROJECT)
        other.host.stop()


def power_of(driver, guest):
    return driver.lifecycle.observe(guest.instance_uuid, PROJECT).power


def test_a_spec_the_webhook_refuses_is_refused_before_anything_is_made(subject, spec, client):  # noqa: F811
    with pytest.raises(GuestRejected):
        subject.driver.lifecycle.spawn(
            dataclasses.replace(spec, disks=(DiskSpec("root", 0, 1024, bus="virtio-scsi-9"),))
        )
    assert labelled(client, spec.instance_uuid) == []


def test_a_missing_node_stops_the_daemon(subject, stand_in, image_server):
    with pytest.raises(HostFailure):
        kubevirt(stand_in, image_server, node="node-99").host.start(lambda _event: None)


def test_ten_guests_at_once(subject, spec):  # noqa: F811
    specs = [
        dataclasses.replace(
            spec,
            instance_uuid=str(uuid.uuid4()),
            nics=(dataclasses.replace(spec.nics[0], port_id=str(uuid.uuid4())),),
        )
        for _ in range(10)
    ]
    failures = []

    def life(each):
        try:
            subject.driver.lifecycle.spawn(each)
            subject.driver.lifecycle.destroy(each.instance_uuid, PROJECT)
        except Exception as error:  # noqa: BLE001 - collected for the assertion below
            failures.append(error)

    threads = [threading.Thread(target=life, args=(each,)) for each in specs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_guest_destroyed_while_it_starts_ends_the_spawn_soon(subject, spec, fault):  # noqa: F811
    fault("start-slow", {"name": f"i-{spec.instance_uuid}"}, seconds=60)
    outcome = []

    def spawn():
        try:
            subject.driver.lifecycle.spawn(spec)
        except HostFailure as error:
            outcome.append(error)

    thread = threading.Thread(target=spawn)
    thread.start()
    eventually(lambda: spec.instance_uuid in subject.driver.lifecycle.list())
    subject.driver.lifecycle.destroy(spec.instance_uuid, PROJECT)
    thread.join(15)
    assert [type(error) for error in outcome] == [HostFailure]


def test_files_cannot_be_injected(subject, spec):  # noqa: F811
    with pytest.raises(GuestRejected):
        subject.driver.lifecycle.spawn(dataclasses.replace(spec, injected_files=(("/etc/motd", "aGk="),)))


def test_a_busy_api_server_is_asked_again(subject, spec, fault):  # noqa: F811
    fault("http-error", {"method": "PATCH"}, code=429, retryAfter=1, times=3)
    fault("http-error", {"method": "GET"}, code=503, times=3)
    subject.driver.lifecycle.spawn(spec)
    assert power(subject, spec) is PowerState.RUNNING


def test_a_start_whose_answer_was_lost_still_runs(subject, spec, fault):  # noqa: F811
    fault("http-error", {"path": "*/start"}, code=500, times=1)
    with pytest.raises(HostFailure):
        subject.driver.lifecycle.spawn(spec)
    subject.driver.lifecycle.spawn(spec)
    assert power(subject, spec) is PowerState.RUNNING


@pytest.mark.parametrize("action", ["unschedulable", "start-fail"])
def test_a_guest_that_cannot_run_here_may_run_elsewhere(spec, fault, action, stand_in, image_server, subject):  # noqa: F811
    driver = kubevirt(stand_in, image_server, unschedulable_grace_s=1)
    fault(action, {"name": f"*{spec.instance_uuid}*"}, message="no room")
    with pytest.raises(HostFailure):
        driver.lifecycle.spawn(spec)


def test_a_failed_import_is_told_and_the_next_try_starts_afresh(subject, spec, fault):  # noqa: F811
    image = str(uuid.uuid4())
    root = dataclasses.replace(spec.disks[0], image=ImageSpec(image, "raw", "bare", 5000, 0))
    failing = dataclasses.replace(spec, disks=(root,))
    trouble = fault("import-fail", {"name": f"img-{image}-*"}, message="unexpected EOF")
    assert trouble["id"]
    with pytest.raises((HostFailure, GuestRejected)):
        subject.driver.lifecycle.spawn(failing)


def test_dropped_and_expired_watches_lose_no_event(subject, spec, control):  # noqa: F811
    subject.driver.lifecycle.spawn(spec)
    eventually(lambda: "started" in subject.kinds())
    control("POST", "watches", {"action": "expire"})
    control("POST", "watches", {"action": "drop"})
    subject.driver.power.power_off(spec.instance_uuid, PROJECT, grace_s=1)
    eventually(lambda: "stopped" in subject.kinds())
    assert power(subject, spec) is PowerState.SHUTDOWN


def test_a_guest_that_shuts_itself_down_is_noticed_and_can_be_started(subject, spec, control):  # noqa: F811
    subject.driver.lifecycle.spawn(spec)
    control("POST", f"guests/{SPACE}/i-{spec.instance_uuid}", {"action": "shutdown"})
    eventually(lambda: power(subject, spec) is PowerState.SHUTDOWN)
    eventually(lambda: "stopped" in subject.kinds())
    subject.driver.power.power_on(spec)
    assert power(subject, spec) is PowerState.RUNNING


def test_a_crashed_guest_is_reported_as_crashed(subject, spec, control):  # noqa: F811
    subject.driver.lifecycle.spawn(spec)
    control("POST", f"guests/{SPACE}/i-{spec.instance_uuid}", {"action": "crash"})
    eventually(lambda: power(subject, spec) is PowerState.CRASHED)
    subject.driver.power.reboot_hard(spec)
    assert power(subject, spec) is PowerState.RUNNING


def test_a_guest_that_ignores_the_power_button_is_stopped_hard(subject, spec, fault):  # noqa: F811
    subject.driver.lifecycle.spawn(spec)
    fault("shutdown-ignored", {"name": f"i-{spec.instance_uuid}"})
    subject.driver.power.power_off(spec.instance_uuid, PROJECT, grace_s=1)
    assert power(subject, spec) in {PowerState.SHUTDOWN, PowerState.CRASHED}
