"""JSON patch, merge patch and strategic merge patch."""

import pytest

from devstack.cluster.errors import ApiError
from devstack.cluster.kinds import NODE, POD
from devstack.cluster.patches import json_patch, merge_patch, strategic_merge
from tests.unit.cluster.world import schema_of


@pytest.mark.parametrize(
    ("document", "operations", "result"),
    [
        ({"a": 1}, [{"op": "add", "path": "/b", "value": 2}], {"a": 1, "b": 2}),
        ({"a": [1, 3]}, [{"op": "add", "path": "/a/1", "value": 2}], {"a": [1, 2, 3]}),
        ({"a": [1]}, [{"op": "add", "path": "/a/-", "value": 2}], {"a": [1, 2]}),
        ({"a": 1, "b": 2}, [{"op": "remove", "path": "/b"}], {"a": 1}),
        ({"a": [1, 2]}, [{"op": "replace", "path": "/a/0", "value": 9}], {"a": [9, 2]}),
        ({"a": 1}, [{"op": "move", "from": "/a", "path": "/b"}], {"b": 1}),
        ({"a": {"x": 1}}, [{"op": "copy", "from": "/a", "path": "/b"}], {"a": {"x": 1}, "b": {"x": 1}}),
        ({"a/b": 1, "m~n": 2}, [{"op": "replace", "path": "/a~1b", "value": 3}], {"a/b": 3, "m~n": 2}),
        (
            {"a": 1},
            [{"op": "test", "path": "/a", "value": 1}, {"op": "add", "path": "/a", "value": 2}],
            {"a": 2},
        ),
    ],
)
def test_json_patches_apply(document, operations, result):
    assert json_patch(document, operations) == result


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "test", "path": "/a", "value": 2},
        {"op": "test", "path": "/a", "value": True},
        {"op": "remove", "path": "/absent"},
        {"op": "replace", "path": "/absent", "value": 1},
        {"op": "add", "path": "/absent/b", "value": 1},
        {"op": "add", "path": "/list/7", "value": 1},
        {"op": "invent", "path": "/a"},
        {"op": "add", "path": "a", "value": 1},
    ],
)
def test_an_operation_that_does_not_apply_refuses_the_whole_patch(operation):
    with pytest.raises(ApiError) as refusal:
        json_patch({"a": 1, "list": []}, [operation])
    assert refusal.value.code == 422


def test_a_json_patch_that_is_no_list_is_a_bad_request():
    with pytest.raises(ApiError) as refusal:
        json_patch({}, {"op": "add"})
    assert refusal.value.code == 400


@pytest.mark.parametrize(
    ("target", "patch", "result"),
    [  # from RFC 7386
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_merge_patches_apply(target, patch, result):
    assert merge_patch(target, patch) == result


def test_strategic_patches_merge_lists_by_their_key():
    pod = {"spec": {"containers": [{"name": "a", "image": "1"}, {"name": "b", "image": "1"}]}}
    patch = {"spec": {"containers": [{"name": "b", "image": "2"}, {"name": "c", "image": "3"}]}}
    merged = strategic_merge(pod, patch, schema_of(POD))
    assert merged["spec"]["containers"] == [
        {"name": "a", "image": "1"},
        {"name": "b", "image": "2"},
        {"name": "c", "image": "3"},
    ]


def test_strategic_patches_delete_reorder_and_replace():
    pod = {"spec": {"containers": [{"name": "a"}, {"name": "b"}], "nodeSelector": {"x": "1"}}}
    node = schema_of(POD)
    gone = strategic_merge(pod, {"spec": {"containers": [{"name": "a", "$patch": "delete"}]}}, node)
    assert gone["spec"]["containers"] == [{"name": "b"}]
    turned = strategic_merge(
        pod, {"spec": {"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}]}}, node
    )
    assert [each["name"] for each in turned["spec"]["containers"]] == ["b", "a"]
    replaced = strategic_merge(pod, {"spec": {"nodeSelector": {"$patch": "replace", "y": "2"}}}, node)
    assert replaced["spec"]["nodeSelector"] == {"y": "2"}


def test_strategic_patches_replace_lists_without_a_key_and_merge_sets():
    node = {"metadata": {"finalizers": ["a"]}, "spec": {"taints": [{"key": "a"}]}}
    patch = {"metadata": {"finalizers": ["b"]}, "spec": {"taints": [{"key": "b"}]}}
    merged = strategic_merge(node, patch, schema_of(NODE))
    assert merged == {"metadata": {"finalizers": ["a", "b"]}, "spec": {"taints": [{"key": "b"}]}}
    less = strategic_merge(
        merged, {"metadata": {"$deleteFromPrimitiveList/finalizers": ["a"]}}, schema_of(NODE)
    )
    assert less["metadata"]["finalizers"] == ["b"]
