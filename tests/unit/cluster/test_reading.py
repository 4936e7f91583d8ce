"""Requests as they are read, and lists, tables and discovery as they are shown."""

import json

import pytest

from devstack.cluster import discovery, protobuf
from devstack.cluster.errors import ApiError
from devstack.cluster.kinds import CONFIG_MAP, KINDS, MACHINE, NODE, POD
from devstack.cluster.pages import KEPT_LISTS, Pages
from devstack.cluster.requests import Target, deletion_of, parse_object, target_of
from devstack.cluster.tables import age, table
from tests.unit.cluster.world import START, machine


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/api/v1/nodes/node-1", Target("", "v1", "nodes", "", "node-1")),
        ("/api/v1/namespaces", Target("", "v1", "namespaces")),
        ("/api/v1/namespaces/a", Target("", "v1", "namespaces", "", "a")),
        ("/api/v1/namespaces/a/status", Target("", "v1", "namespaces", "", "a", "status")),
        ("/api/v1/namespaces/a/pods", Target("", "v1", "pods", "a")),
        ("/api/v1/namespaces/a/pods/b/log", Target("", "v1", "pods", "a", "b", "log")),
        ("/apis/kubevirt.io/v1/virtualmachines", Target("kubevirt.io", "v1", "virtualmachines")),
        (
            "/apis/subresources.kubevirt.io/v1/namespaces/a/virtualmachines/b/start",
            Target("subresources.kubevirt.io", "v1", "virtualmachines", "a", "b", "start"),
        ),
        (
            "/apis/subresources.kubevirt.io/v1/namespaces/a/virtualmachines/b/evacuate/cancel",
            Target("subresources.kubevirt.io", "v1", "virtualmachines", "a", "b", "evacuate/cancel"),
        ),
        ("/api/v1", None),
        ("/apis/kubevirt.io/v1", None),
        ("/other", None),
    ],
)
def test_paths_name_their_target(path, target):
    assert target_of(path) == target


def test_bodies_are_json_or_yaml():
    assert parse_object(b'{"a": 1}') == {"a": 1}
    assert parse_object(b"a: 1\nmetadata:\n  name: x\n")["metadata"] == {"name": "x"}
    for wrong in (b"[1]", b"{a: [", b"just text", b'{"metadata": []}'):
        with pytest.raises(ApiError):
            parse_object(wrong)


def test_delete_options_come_from_the_body_or_the_query():
    body = b'{"gracePeriodSeconds": 0, "propagationPolicy": "Foreground", "preconditions": {"uid": "u"}}'
    assert deletion_of({}, body).propagation == "Foreground"
    assert (deletion_of({}, body).grace_period_s, deletion_of({}, body).uid) == (0, "u")
    assert deletion_of({"gracePeriodSeconds": "5", "orphanDependents": "true"}, b"").propagation == "Orphan"
    assert deletion_of({"dryRun": "All"}, b"").dry_run
    with pytest.raises(ApiError):
        deletion_of({"propagationPolicy": "Sideways"}, b"")


def field(number, payload):
    return bytes([number << 3 | 2, len(payload)]) + payload


def test_kubectls_protobuf_is_read():
    meta = field(1, b"web") + field(3, b"ns") + field(11, field(1, b"app") + field(2, b"x"))
    secret = field(1, meta) + field(2, field(1, b"key") + field(2, b"\x00\xff")) + field(3, b"Opaque")
    raw = protobuf.MAGIC + field(1, field(1, b"v1") + field(2, b"Secret")) + field(2, secret)
    assert parse_object(raw) == {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "web", "namespace": "ns", "labels": {"app": "x"}},
        "data": {"key": "AP8="},
        "type": "Opaque",
    }


@pytest.mark.parametrize(
    ("raw", "code"), [(field(1, field(1, b"v1") + field(2, b"Pod")), 415), (b"\x0a\x7f", 400)]
)
def test_protobuf_that_is_not_understood_is_refused(raw, code):
    with pytest.raises(ApiError) as refusal:
        parse_object(protobuf.MAGIC + raw)
    assert refusal.value.code == code


def test_pages_show_the_list_as_it_was_at_the_first(world):
    for name in "abcde":
        world.make(CONFIG_MAP, {"metadata": {"name": name}, "data": {}})
    pages = Pages()
    first = pages.first(world.store.select(CONFIG_MAP), world.store.version, 2)
    world.make(CONFIG_MAP, {"metadata": {"name": "bb"}, "data": {}})
    second = pages.following(first.token, 2)
    third = pages.following(second.token, 2)
    names = [record.key.name for page in (first, second, third) for record in page.records]
    assert names == list("abcde")
    assert (first.remaining, second.remaining, third.remaining, third.token) == (3, 1, 0, "")
    assert {first.version, second.version, third.version} == {first.version}


def test_a_forgotten_list_has_expired_and_a_wrong_token_is_none(world):
    for name in "abc":
        world.make(CONFIG_MAP, {"metadata": {"name": name}, "data": {}})
    pages = Pages()
    token = pages.first(world.store.select(CONFIG_MAP), 1, 1).token
    for _ in range(KEPT_LISTS):
        pages.first(world.store.select(CONFIG_MAP), 1, 1)
    with pytest.raises(ApiError) as refusal:
        pages.following(token, 1)
    assert (refusal.value.code, refusal.value.status()["reason"]) == (410, "Expired")
    with pytest.raises(ApiError) as refusal:
        pages.following("nonsense", 1)
    assert refusal.value.code == 400


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (119, "119s"), (120, "2m"), (150, "2m30s"), (3600, "60m"), (10800, "3h"), (200000, "2d")],
)
def test_ages_are_written_as_kubectl_writes_them(seconds, text):
    assert age("2027-01-15T08:00:00Z", START + seconds) == text


def cells(world, kind, name):
    records = [record for record in world.store.select(kind) if record.key.name == name]
    shown = json.loads(table(kind, records, {}, world.clock.wall(), "None"))
    columns = [column["name"] for column in shown["columnDefinitions"]]
    return dict(zip(columns, shown["rows"][0]["cells"], strict=True))


def test_tables_show_what_kubectl_get_shows(world):
    world.make(MACHINE, machine())
    world.start()
    world.run(60.0)
    assert cells(world, MACHINE, "vm") == {"Name": "vm", "Age": "60s", "Status": "Running", "Ready": "True"}
    pod = cells(world, POD, world.launcher()["metadata"]["name"])
    assert (pod["Ready"], pod["Status"], pod["Node"]) == ("2/2", "Running", "node-1")
    assert cells(world, NODE, "node-1")["Status"] == "Ready"


def test_every_kind_is_discovered_the_old_way_and_the_new(world):
    aggregated = [*discovery.aggregated(core=True)["items"], *discovery.aggregated(core=False)["items"]]
    new = {
        (item["metadata"].get("name", ""), row["resource"])
        for item in aggregated
        for version in item["versions"]
        for row in version["resources"]
    }
    for kind in KINDS:
        old = [row["name"] for row in discovery.resources(kind.group, kind.version)["resources"]]
        assert kind.plural in old
        assert (kind.group, kind.plural) in new
    assert discovery.resources("nobody.io", "v1") is None


def test_every_declared_subresource_of_kubevirt_is_served(world):
    for name, verbs in discovery.SUBRESOURCES.items():
        if "/" in name:
            method = "GET" if verbs == ("get",) else "PUT"
            with pytest.raises(ApiError) as refusal:
                world.call(name, name="absent", body=b"", method=method)
            assert '"absent" not found' in refusal.value.message
