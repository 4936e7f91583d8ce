"""Data volumes: imports with their headers, failures and repeats; clones; binding; what remains."""

import base64

import pytest

from devstack.cluster.kinds import (
    CLAIM,
    DATA_SOURCE,
    DATA_VOLUME,
    POD,
    SECRET,
    STORAGE_CLASS,
    STORAGE_PROFILE,
    VOLUME,
)
from devstack.cluster.objects import condition
from devstack.cluster.timings import Timings
from tests.unit.cluster.world import World, data_volume

URL = "http://images/v2/images/1/file"


def status(world, name="disk"):
    return world.get(DATA_VOLUME, name)["status"]


def import_volume(world, name="disk", **http):
    made = world.make(DATA_VOLUME, data_volume(name, {"http": {"url": URL, **http}}))
    return made["metadata"]["uid"]


def test_an_import_shows_its_progress_and_its_end(world):
    uid = import_volume(world)
    assert status(world)["phase"] == "ImportInProgress"
    assert condition(world.get(DATA_VOLUME, "disk"), "Running")["status"] == "True"
    world.importer.progress(uid, 43.21)
    assert status(world)["progress"] == "43.21%"
    world.importer.finish(uid)
    world.run()
    assert (status(world)["phase"], status(world)["progress"]) == ("Succeeded", "100.0%")
    conditions = {each["type"]: each["status"] for each in status(world)["conditions"]}
    assert conditions == {"Bound": "True", "Running": "False", "Ready": "True"}


def test_the_importer_gets_the_headers_of_the_secrets(world):
    lines = [b"X-Auth-Token: secret-token", b"X-Service-Token: other"]
    data = {f"h{number}": base64.b64encode(line).decode() for number, line in enumerate(lines)}
    world.make(SECRET, {"metadata": {"name": "okg"}, "data": data})
    uid = import_volume(
        world, secretExtraHeaders=["okg"], extraHeaders=["X-Plain: yes"], checksum="md5:" + "0" * 32
    )
    job = world.importer.jobs[uid]
    assert job.headers == {"X-Plain": "yes", "X-Auth-Token": "secret-token", "X-Service-Token": "other"}
    assert (job.url, job.checksum, job.room_bytes) == (URL, "md5:" + "0" * 32, 2**30)


def test_a_missing_secret_is_an_error_until_it_is_there(world):
    uid = import_volume(world, secretExtraHeaders=["okg"])
    assert 'secret "okg" not found' in condition(world.get(DATA_VOLUME, "disk"), "Running")["message"]
    world.make(SECRET, {"metadata": {"name": "okg"}, "stringData": {"h": "A: b"}})
    world.run(5.0)
    assert world.importer.jobs[uid].headers == {"A": "b"}


def test_a_failed_import_says_why_and_comes_again_later_and_later(world):
    world.importer.answers = ["expected status code 200, got 401"] * 3
    import_volume(world)
    entry = condition(world.get(DATA_VOLUME, "disk"), "Running")
    assert (entry["status"], entry["reason"]) == ("False", "Error")
    assert "401" in entry["message"]
    assert (status(world)["phase"], status(world)["restartCount"]) == ("ImportInProgress", 1)
    world.run(1.0)
    assert status(world)["restartCount"] == 2
    world.run(1.5)
    assert status(world)["restartCount"] == 2
    world.run(1.0)
    assert status(world)["restartCount"] == 3
    assert world.events("Error")[0]["count"] == 3


def test_an_import_that_works_at_the_second_attempt_succeeds(world):
    world.importer.answers = ["no route", ""]
    import_volume(world)
    world.run(2.0)
    assert status(world)["phase"] == "Succeeded"


@pytest.mark.parametrize(
    ("fault", "phase"), [("import-slow", "ImportScheduled"), ("import-fail", "ImportInProgress")]
)
def test_faults_slow_an_import_down_or_fail_it(world, fault, phase):
    world.plane.faults.add({"action": fault, "match": {"name": "disk"}, "seconds": 60, "message": "as asked"})
    world.importer.answers = [""]
    import_volume(world)
    world.run(0.5)
    assert status(world)["phase"] == phase
    world.plane.faults.remove()
    world.run(61.0)
    assert status(world)["phase"] == "Succeeded"


def test_a_volume_deleted_while_it_is_imported_leaves_nothing(world):
    uid = import_volume(world)
    world.delete(DATA_VOLUME, "disk")
    assert world.find(CLAIM, "disk") is None
    assert world.count(VOLUME) == 0
    assert uid in world.importer.jobs


def test_a_clone_waits_for_its_source_and_takes_its_size(world):
    uid = import_volume(world, "golden")
    source = {"pvc": {"namespace": "ok-project", "name": "golden"}}
    world.make(DATA_VOLUME, {"metadata": {"name": "disk"}, "spec": {"source": source, "storage": {}}})
    assert status(world)["phase"] == "CloneScheduled"
    world.importer.finish(uid)
    world.run()
    assert status(world)["phase"] == "Succeeded"
    assert world.get(CLAIM, "disk")["status"]["capacity"] == {"storage": "1Gi"}


def test_a_clone_takes_time_and_names_its_way():
    world = World(Timings(clone=10))
    world.make(DATA_VOLUME, data_volume("golden", {"blank": {}}))
    world.make(DATA_VOLUME, data_volume("disk", {"pvc": {"namespace": "ok-project", "name": "golden"}}))
    assert status(world)["phase"] == "CSICloneInProgress"
    world.run(10.0)
    assert status(world)["phase"] == "Succeeded"


def test_a_clone_into_a_smaller_volume_is_refused(world):
    world.make(DATA_VOLUME, data_volume("golden", {"blank": {}}, size="5Gi"))
    world.make(DATA_VOLUME, data_volume("disk", {"pvc": {"namespace": "ok-project", "name": "golden"}}))
    assert "smaller" in condition(world.get(DATA_VOLUME, "disk"), "Running")["message"]


def test_a_data_source_stands_for_its_source(world):
    world.make(DATA_VOLUME, data_volume("golden", {"blank": {}}))
    reference = {"pvc": {"namespace": "ok-project", "name": "golden"}}
    world.make(DATA_SOURCE, {"metadata": {"name": "debian"}, "spec": {"source": reference}})
    spec = {
        "sourceRef": {"kind": "DataSource", "name": "debian"},
        "storage": {"resources": {"requests": {"storage": "2Gi"}}},
    }
    world.make(DATA_VOLUME, {"metadata": {"name": "disk"}, "spec": spec})
    assert status(world)["phase"] == "Succeeded"


def test_storage_completes_the_claim_from_the_profile_of_the_class(world):
    world.make(DATA_VOLUME, data_volume("shared", {"blank": {}}))
    world.make(DATA_VOLUME, data_volume("node", {"blank": {}}, storageClassName="local"))
    shared, node = world.get(CLAIM, "shared")["spec"], world.get(CLAIM, "node")["spec"]
    assert (shared["accessModes"], shared["volumeMode"], shared["storageClassName"]) == (
        ["ReadWriteMany"],
        "Block",
        "standard",
    )
    assert node["accessModes"] == ["ReadWriteOnce"]


def test_immediate_binding_can_be_asked_of_a_late_binding_class(world):
    volume = data_volume("disk", {"blank": {}}, storageClassName="local")
    volume["metadata"]["annotations"] = {"cdi.kubevirt.io/storage.bind.immediate.requested": "true"}
    world.make(DATA_VOLUME, volume)
    assert status(world)["phase"] == "Succeeded"


def test_every_storage_class_has_a_profile_as_long_as_it_lives(world):
    world.make(STORAGE_CLASS, {"metadata": {"name": "fast"}, "provisioner": "x.y/z"})
    assert world.get(STORAGE_PROFILE, "fast")["status"]["cloneStrategy"] == "csi-clone"
    world.delete(STORAGE_CLASS, "fast")
    assert world.find(STORAGE_PROFILE, "fast") is None


def claim(name="c", **spec):
    full = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, **spec}
    return {"metadata": {"name": name}, "spec": full}


def test_a_claim_is_bound_to_a_volume_that_goes_with_it(world):
    world.make(CLAIM, claim())
    bound = world.get(CLAIM, "c")
    volume = world.get(VOLUME, bound["spec"]["volumeName"])
    assert (bound["status"]["phase"], volume["status"]["phase"]) == ("Bound", "Bound")
    world.delete(CLAIM, "c")
    assert (world.find(CLAIM, "c"), world.count(VOLUME)) == (None, 0)


def test_a_claim_of_an_unknown_class_stays_pending_until_the_class_is_there(world):
    world.make(CLAIM, claim(storageClassName="later"))
    assert world.get(CLAIM, "c")["status"]["phase"] == "Pending"
    assert world.events("ProvisioningFailed")
    world.make(STORAGE_CLASS, {"metadata": {"name": "later"}, "provisioner": "x.y/z"})
    assert world.get(CLAIM, "c")["status"]["phase"] == "Bound"


def static_volume(**spec):
    full = {
        "capacity": {"storage": "10Gi"},
        "accessModes": ["ReadWriteMany"],
        "volumeMode": "Block",
        "storageClassName": "",
        "persistentVolumeReclaimPolicy": "Retain",
        "csi": {"driver": "rbd.csi.ceph.com", "volumeHandle": "volume-1"},
        **spec,
    }
    return {"metadata": {"name": "okv-1"}, "spec": full}


def static_claim():
    return claim(volumeName="okv-1", storageClassName="", volumeMode="Block", accessModes=["ReadWriteMany"])


def test_a_static_volume_and_its_claim_find_each_other_in_either_order(world):
    world.make(CLAIM, static_claim())
    assert world.get(CLAIM, "c")["status"]["phase"] == "Pending"
    world.make(VOLUME, static_volume(claimRef={"namespace": "ok-project", "name": "c"}))
    assert world.get(CLAIM, "c")["status"] == {
        "phase": "Bound",
        "accessModes": ["ReadWriteMany"],
        "capacity": {"storage": "10Gi"},
    }


def test_a_retained_volume_outlives_its_claim_as_released(world):
    world.make(VOLUME, static_volume(claimRef={"namespace": "ok-project", "name": "c"}))
    world.make(CLAIM, static_claim())
    world.delete(VOLUME, "okv-1")
    assert world.get(VOLUME, "okv-1")["metadata"]["deletionTimestamp"], "a bound volume is protected"
    world.delete(CLAIM, "c")
    assert world.find(VOLUME, "okv-1") is None


def test_a_claim_does_not_bind_a_volume_that_does_not_fit(world):
    world.make(VOLUME, static_volume(capacity={"storage": "1Mi"}))
    world.make(CLAIM, static_claim())
    assert world.get(CLAIM, "c")["status"]["phase"] == "Pending"
    assert world.events("VolumeMismatch")


def test_a_claim_in_use_goes_only_when_its_pod_has_gone(world):
    world.make(CLAIM, claim())
    spec = {
        "containers": [{"name": "a", "image": "x"}],
        "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}],
    }
    world.make(POD, {"metadata": {"name": "user"}, "spec": spec})
    world.delete(CLAIM, "c")
    assert world.get(CLAIM, "c")["metadata"]["deletionTimestamp"]
    world.delete(POD, "user")
    assert world.find(CLAIM, "c") is None
