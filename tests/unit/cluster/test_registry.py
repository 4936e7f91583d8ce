"""What Kubernetes makes of a write: versions, generations, finalizers, preconditions, dry runs."""

import pytest

from devstack.cluster.errors import ApiError
from devstack.cluster.kinds import CONFIG_MAP, GUEST, MACHINE, NAMESPACE, NODE, SECRET
from devstack.cluster.objects import Key
from devstack.cluster.registry import Deletion
from devstack.cluster.write_checks import IGNORE, WARN, Write
from tests.unit.cluster.world import NS, machine


def config(name="one", **meta):
    return {"metadata": {"name": name, **meta}, "data": {"a": "1"}}


def refused(code, call, *arguments, **named):
    with pytest.raises(ApiError) as refusal:
        call(*arguments, **named)
    assert refusal.value.code == code
    return refusal.value


def test_a_new_object_gets_uid_time_and_version(world):
    made = world.make(CONFIG_MAP, config())
    meta = made["metadata"]
    assert len(meta["uid"]) == 36
    assert meta["creationTimestamp"] == "2027-01-15T08:00:00Z"
    assert int(meta["resourceVersion"]) == world.store.version
    assert "generation" not in meta, "only custom kinds count generations"


def test_the_same_name_twice_is_already_there(world):
    world.make(CONFIG_MAP, config())
    refusal = refused(409, world.make, CONFIG_MAP, config())
    assert refusal.status()["reason"] == "AlreadyExists"
    assert refusal.status()["details"] == {"name": "one", "kind": "configmaps"}


def test_a_namespace_that_is_not_there_is_not_found(world):
    refusal = refused(404, world.make, CONFIG_MAP, config(namespace="nowhere"))
    assert refusal.message == 'namespaces "nowhere" not found'


def test_a_namespace_that_ends_takes_nothing_new_and_everything_along(world):
    world.make(CONFIG_MAP, config(finalizers=["keep.me/here"]))
    world.make(CONFIG_MAP, config("two"))
    world.delete(NAMESPACE, NS)
    world.run(1.0)
    assert world.get(NAMESPACE, NS)["status"]["phase"] == "Terminating"
    assert world.find(CONFIG_MAP, "two") is None
    assert (
        refused(403, world.make, CONFIG_MAP, config("three")).details["causes"][0]["reason"]
        == "NamespaceTerminating"
    )
    world.change(CONFIG_MAP, "one", lambda obj: obj["metadata"].pop("finalizers"))
    world.run(1.0)
    assert world.find(NAMESPACE, NS) is None


@pytest.mark.parametrize("name", ["UPPER", "-a", "a_b", "a" * 254, ""])
def test_a_name_that_is_no_dns_name_is_refused(world, name):
    assert refused(422, world.make, CONFIG_MAP, config(name)).details["causes"][0]["field"] == "metadata.name"


def test_a_name_is_generated_from_the_prefix(world):
    made = world.make(CONFIG_MAP, {"metadata": {"generateName": "app-"}, "data": {}})
    assert made["metadata"]["name"].startswith("app-")
    assert len(made["metadata"]["name"]) == len("app-") + 5


@pytest.mark.parametrize("labels", [{"a": "x" * 64}, {"a": "not ok"}, {"/a": "x"}, {"Bad_Prefix/a": "x"}])
def test_labels_must_be_proper(world, labels):
    refused(422, world.make, CONFIG_MAP, config(labels=labels))


def test_the_generation_counts_specs_and_nothing_else(world):
    made = world.make(MACHINE, machine())
    before = world.get(MACHINE, "vm")["metadata"]["generation"]
    assert made["metadata"]["generation"] == 1
    world.change(MACHINE, "vm", lambda obj: obj["metadata"].setdefault("labels", {}).update(a="b"))
    assert world.get(MACHINE, "vm")["metadata"]["generation"] == before
    world.change(MACHINE, "vm", lambda obj: obj["spec"]["template"]["spec"].update(hostname="new"))
    assert world.get(MACHINE, "vm")["metadata"]["generation"] == before + 1


def test_the_main_path_leaves_the_status_alone_and_the_status_path_all_else(world):
    world.make(MACHINE, machine())
    world.change(MACHINE, "vm", lambda obj: obj["status"].update(printableStatus="Wrong"))
    assert world.status() == "Stopped"

    def both(obj):
        obj["status"]["restoreInProgress"] = "mine"
        obj["spec"]["runStrategy"] = "Always"
        return obj

    world.registry.patch(MACHINE, Key(NS, "vm"), both, Write(manager="test"), "status")
    changed = world.get(MACHINE, "vm")
    assert (changed["status"]["restoreInProgress"], changed["spec"]["runStrategy"]) == ("mine", "Manual")


def test_a_write_that_changes_nothing_keeps_the_version(world):
    made = world.make(CONFIG_MAP, config())
    same = world.change(CONFIG_MAP, "one", lambda obj: obj["data"].update(a="1"))
    assert same["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]


def test_system_fields_cannot_be_written(world):
    made = world.make(CONFIG_MAP, config())
    changed = world.change(
        CONFIG_MAP, "one", lambda obj: obj["metadata"].update(creationTimestamp="2000-01-01T00:00:00Z")
    )
    assert changed["metadata"]["creationTimestamp"] == made["metadata"]["creationTimestamp"]


def test_a_stale_version_is_a_conflict(world):
    made = world.make(CONFIG_MAP, config())
    world.change(CONFIG_MAP, "one", lambda obj: obj["data"].update(a="2"))
    stale = {**made, "data": {"a": "3"}}
    refusal = refused(409, world.registry.replace, CONFIG_MAP, Key(NS, "one"), stale, Write())
    assert refusal.status()["reason"] == "Conflict"
    assert "the object has been modified" in refusal.message


def test_a_custom_object_is_replaced_only_with_its_version(world):
    world.make(MACHINE, machine())
    new = world.get(MACHINE, "vm")
    del new["metadata"]["resourceVersion"]
    assert (
        "must be specified for an update"
        in refused(422, world.registry.replace, MACHINE, Key(NS, "vm"), new, Write()).message
    )


def test_a_dry_run_judges_and_stores_nothing(world):
    version = world.store.version
    made = world.registry.create(CONFIG_MAP, config(namespace=NS), Write(dry_run=True))
    assert made["metadata"]["uid"]
    world.registry.delete(NODE, Key("", "node-1"), Deletion(dry_run=True))
    refused(422, world.registry.create, CONFIG_MAP, config("BAD", namespace=NS), Write(dry_run=True))
    assert world.store.version == version
    assert world.find(CONFIG_MAP, "one") is None


def test_unknown_fields_are_refused_warned_of_or_ignored_as_asked(world):
    def wrong(name):
        obj = machine(name)
        obj["spec"]["surprise"] = 1
        return obj

    assert 'unknown field "spec.surprise"' in refused(400, world.make, MACHINE, wrong("a")).message
    write = Write(validation=WARN)
    pruned = world.registry.create(MACHINE, {**wrong("b"), "metadata": {"name": "b", "namespace": NS}}, write)
    assert "surprise" not in pruned["spec"]
    assert write.warnings == ['unknown field "spec.surprise"']
    quiet = Write(validation=IGNORE)
    world.registry.create(MACHINE, {**wrong("c"), "metadata": {"name": "c", "namespace": NS}}, quiet)
    assert quiet.warnings == []


def test_wrong_types_are_422_for_custom_kinds_and_400_for_built_in_ones(world):
    wrong = machine()
    wrong["spec"]["runStrategy"] = 7
    refusal = refused(422, world.make, MACHINE, wrong)
    assert refusal.details["causes"][0]["field"] == "spec.runStrategy"
    assert (
        "cannot unmarshal number"
        in refused(400, world.make, CONFIG_MAP, {"metadata": {"name": "a"}, "data": {"a": 1}}).message
    )


def test_an_object_with_a_finalizer_stays_until_it_is_taken_off(world):
    world.make(CONFIG_MAP, config(finalizers=["a.b/c"]))
    world.delete(CONFIG_MAP, "one")
    kept = world.get(CONFIG_MAP, "one")
    assert kept["metadata"]["deletionTimestamp"]
    world.delete(CONFIG_MAP, "one")
    assert world.get(CONFIG_MAP, "one")["metadata"]["resourceVersion"] == kept["metadata"]["resourceVersion"]
    refused(422, world.change, CONFIG_MAP, "one", lambda obj: obj["metadata"]["finalizers"].append("d.e/f"))
    world.change(CONFIG_MAP, "one", lambda obj: obj["metadata"].pop("finalizers"))
    assert world.find(CONFIG_MAP, "one") is None


def test_a_deletion_holds_to_its_preconditions(world):
    made = world.make(CONFIG_MAP, config())
    refused(409, world.delete, CONFIG_MAP, "one", Deletion(uid="another"))
    refused(409, world.delete, CONFIG_MAP, "one", Deletion(version="1"))
    meta = made["metadata"]
    world.delete(CONFIG_MAP, "one", Deletion(uid=meta["uid"], version=meta["resourceVersion"]))
    refused(404, world.get, CONFIG_MAP, "one")


def owned_by(owner, *, block=True):
    reference = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
    }
    return [{**reference, "blockOwnerDeletion": block}]


def test_dependents_follow_their_owner(world):
    owner = world.make(CONFIG_MAP, config("owner"))
    world.make(CONFIG_MAP, config("dependent", ownerReferences=owned_by(owner)))
    world.delete(CONFIG_MAP, "owner")
    assert world.find(CONFIG_MAP, "dependent") is None


def test_orphans_stay_without_their_reference(world):
    owner = world.make(CONFIG_MAP, config("owner"))
    world.make(CONFIG_MAP, config("dependent", ownerReferences=owned_by(owner)))
    world.delete(CONFIG_MAP, "owner", Deletion(propagation="Orphan"))
    assert world.find(CONFIG_MAP, "owner") is None
    assert "ownerReferences" not in world.get(CONFIG_MAP, "dependent")["metadata"]


def test_a_foreground_deletion_waits_for_the_dependents(world):
    owner = world.make(CONFIG_MAP, config("owner"))
    world.make(CONFIG_MAP, config("dependent", ownerReferences=owned_by(owner), finalizers=["a.b/c"]))
    world.delete(CONFIG_MAP, "owner", Deletion(propagation="Foreground"))
    assert world.get(CONFIG_MAP, "owner")["metadata"]["finalizers"] == ["foregroundDeletion"]
    world.change(CONFIG_MAP, "dependent", lambda obj: obj["metadata"].pop("finalizers"))
    world.run(1.0)
    assert world.find(CONFIG_MAP, "owner") is None


def test_a_dependent_with_another_owner_left_stays(world):
    owners = [world.make(CONFIG_MAP, config(name)) for name in ("first", "second")]
    references = [owned_by(owner)[0] for owner in owners]
    world.make(CONFIG_MAP, config("dependent", ownerReferences=references))
    world.delete(CONFIG_MAP, "first")
    left = world.get(CONFIG_MAP, "dependent")["metadata"]["ownerReferences"]
    assert [each["name"] for each in left] == ["second"]


def test_string_data_of_a_secret_becomes_data(world):
    made = world.make(SECRET, {"metadata": {"name": "s"}, "stringData": {"a": "hello"}})
    assert (made["data"], made["type"], "stringData" in made) == ({"a": "aGVsbG8="}, "Opaque", False)
    refused(422, world.make, SECRET, {"metadata": {"name": "t"}, "data": {"a": "!!"}})


def test_nobody_but_kubevirt_changes_the_spec_of_an_instance(world):
    world.make(MACHINE, machine())
    world.start()
    refusal = refused(422, world.change, GUEST, "vm", lambda obj: obj["spec"].update(hostname="other"))
    assert refusal.message.startswith('admission webhook "virtual-machine-instances-update-validator')
