"""Server-side apply: who owns which field, and what that means for the next write."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devstack.cluster.apply import leaves, minus, overlap, union
from devstack.cluster.errors import ApiError
from devstack.cluster.kinds import CONFIG_MAP, MACHINE
from devstack.cluster.objects import Key
from devstack.cluster.write_checks import Write
from tests.unit.cluster.world import NS, machine


def config(**data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}, "data": data}


def put(world, obj, manager, *, force=False, kind=CONFIG_MAP):
    name = obj["metadata"]["name"]
    return world.registry.apply(kind, Key(NS, name), obj, Write(manager=manager), force=force)


def test_the_first_apply_creates_and_the_same_again_changes_nothing(world):
    made, created = put(world, config(a="1"), "me")
    again, created_again = put(world, config(a="1"), "me")
    assert (created, created_again) == (True, False)
    assert again["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]


def test_a_field_that_is_no_longer_applied_goes_away(world):
    put(world, config(a="1", b="2"), "me")
    left, _ = put(world, config(a="1"), "me")
    assert left["data"] == {"a": "1"}


def test_a_field_that_another_also_applies_stays_when_one_drops_it(world):
    put(world, config(a="1", b="2"), "me")
    put(world, config(b="2"), "other")
    left, _ = put(world, config(a="1"), "me")
    assert left["data"] == {"a": "1", "b": "2"}


def test_another_managers_field_is_a_conflict_that_names_it(world):
    put(world, config(a="1"), "first")
    with pytest.raises(ApiError) as refusal:
        put(world, config(a="2"), "second")
    assert refusal.value.code == 409
    assert refusal.value.details["causes"] == [
        {"reason": "FieldManagerConflict", "message": 'conflict with "first"', "field": ".data.a"}
    ]


def test_force_takes_the_field_over(world):
    put(world, config(a="1", b="1"), "first")
    taken, _ = put(world, config(a="2"), "second", force=True)
    assert taken["data"] == {"a": "2", "b": "1"}
    with pytest.raises(ApiError, match=r"conflict with .second"):
        put(world, config(a="3", b="1"), "first")


def test_a_plain_write_owns_what_it_changed(world):
    put(world, config(a="1", b="1"), "applier")
    world.registry.patch(
        CONFIG_MAP, Key(NS, "one"), lambda obj: {**obj, "data": {"a": "9", "b": "1"}}, Write(manager="editor")
    )
    with pytest.raises(ApiError, match=r'conflict with "editor" using v1'):
        put(world, config(a="1", b="1"), "applier")


def test_applying_the_value_another_set_is_no_conflict(world):
    put(world, config(a="1"), "first")
    shared, _ = put(world, config(a="1"), "second")
    assert [entry["manager"] for entry in shared["metadata"]["managedFields"]] == ["first", "second"]


def test_lists_of_a_custom_kind_without_keys_are_replaced_whole(world):
    first = {**machine(), "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine"}
    spec = first["spec"]["template"]["spec"]
    spec["volumes"] = [
        {"name": "a", "emptyDisk": {"capacity": "1Gi"}},
        {"name": "b", "emptyDisk": {"capacity": "1Gi"}},
    ]
    put(world, first, "driver", kind=MACHINE)
    second = {**machine(), "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine"}
    second["spec"]["template"]["spec"]["volumes"] = [{"name": "b", "emptyDisk": {"capacity": "1Gi"}}]
    changed, _ = put(world, second, "driver", kind=MACHINE)
    assert [each["name"] for each in changed["spec"]["template"]["spec"]["volumes"]] == ["b"]


def test_an_undeclared_field_cannot_be_applied(world):
    wrong = {**machine(), "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine"}
    wrong["spec"]["template"]["spec"]["invented"] = 1
    with pytest.raises(
        ApiError, match=r"\.spec\.template\.spec\.invented: field not declared in schema"
    ) as refusal:
        put(world, wrong, "driver", kind=MACHINE)
    assert refusal.value.code == 500


def test_status_is_not_applied_through_the_main_path(world):
    wanted = {
        **machine(),
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "status": {"ready": True},
    }
    made, _ = put(world, wanted, "driver", kind=MACHINE)
    assert not made.get("status", {}).get("ready")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"kind": "Secret"}, 400),
        ({"metadata": {"name": "two"}}, 400),
        ({"metadata": {"name": "one", "uid": "no such"}}, 409),
        ({"metadata": {"name": "one", "managedFields": [{}]}}, 400),
    ],
)
def test_an_object_that_does_not_fit_the_path_is_refused(world, change, code):
    with pytest.raises(ApiError) as refusal:
        world.registry.apply(
            CONFIG_MAP, Key(NS, "one"), {**config(a="1"), **change}, Write(manager="me"), force=True
        )
    assert refusal.value.code == code


def test_a_stale_resource_version_makes_an_apply_conditional(world):
    put(world, config(a="1"), "me")
    stale = config(a="2")
    stale["metadata"]["resourceVersion"] = "1"
    with pytest.raises(ApiError) as refusal:
        put(world, stale, "me", force=True)
    assert refusal.value.code == 409


SETS = st.recursive(
    st.just({}),
    lambda inner: st.dictionaries(st.sampled_from(["f:a", "f:b", "f:c"]), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60)
@given(SETS, SETS)
def test_what_is_left_of_a_set_shares_no_leaf_with_what_was_taken(one, other):
    left = set(leaves(minus(one, other)))
    assert left.isdisjoint(leaves(overlap(one, other)))
    assert left | set(leaves(overlap(one, other))) == set(leaves(one))


@settings(max_examples=60)
@given(SETS)
def test_a_union_with_itself_is_itself(one):
    assert union(one, one) == one
