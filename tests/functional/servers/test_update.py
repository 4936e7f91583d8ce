"""PUT /servers/{id}, metadata, addresses: what owners write and read about their servers."""

import concurrent.futures

import pytest

from openkeel import objects
from tests.fixtures.api_client import PROJECT
from tests.fixtures.server_world import NO_UUID


def update(world, uuid, fields, who=None, version="2.104"):
    return (who or world.member)("PUT", f"/v2.1/servers/{uuid}", {"server": fields}, version=version)


@pytest.mark.parametrize(
    ("fields", "since", "shown"),
    [
        ({"name": "new"}, "2.1", {"name": "new", "OS-EXT-SRV-ATTR:hostname": "n"}),
        ({"accessIPv4": "192.0.2.7"}, "2.1", {"accessIPv4": "192.0.2.7"}),
        ({"accessIPv6": "2001:db8::7"}, "2.1", {"accessIPv6": "2001:db8::7"}),
        ({"OS-DCF:diskConfig": "AUTO"}, "2.1", {"OS-DCF:diskConfig": "AUTO"}),
        ({"description": "d"}, "2.19", {"description": "d"}),
        ({"description": None}, "2.19", {"description": None}),
        ({"hostname": "h1"}, "2.90", {"OS-EXT-SRV-ATTR:hostname": "h1"}),
        ({"hostname": "h1.example"}, "2.94", {"OS-EXT-SRV-ATTR:hostname": "h1.example"}),
        ({"pinned_availability_zone": "nova"}, "2.104", {"pinned_availability_zone": "nova"}),
        ({"pinned_availability_zone": None}, "2.104", {"pinned_availability_zone": None}),
        ({}, "2.1", {"name": "n"}),
    ],
)
def test_a_field_is_changed_and_stays_so(world, fields, since, shown):
    uuid = world.boot()
    answer = update(world, uuid, fields, version=since)
    assert answer.status_code == 200, answer.text
    server = world.show(uuid)
    assert {name: server[name] for name in shown} == shown
    if since == "2.104":
        assert {name: answer.json["server"][name] for name in shown} == shown


@pytest.mark.parametrize(
    ("fields", "version"),
    [
        ({"name": ""}, "2.1"),
        ({"name": "x" * 256}, "2.1"),
        ({"name": " x "}, "2.1"),
        ({"accessIPv4": "x"}, "2.1"),
        ({"accessIPv6": "x"}, "2.1"),
        ({"OS-DCF:diskConfig": "x"}, "2.1"),
        ({"description": "d"}, "2.18"),
        ({"description": "d" * 256}, "2.19"),
        ({"hostname": "h1"}, "2.89"),
        ({"hostname": "h1.example"}, "2.93"),
        ({"hostname": "-"}, "2.93"),
        ({"availability_zone": "nova"}, "2.104"),
        ({"pinned_availability_zone": "nova"}, "2.103"),
        ({"pinned_availability_zone": ""}, "2.104"),
        ({"locked": True}, "2.104"),
        ({"metadata": {}}, "2.104"),
    ],
)
def test_a_wrong_change_is_400(world, fields, version):
    uuid = world.boot()
    assert update(world, uuid, fields, version=version).status_code == 400
    assert update(world, NO_UUID, fields, who=world.other, version=version).status_code == 400


def test_a_server_is_pinned_only_to_the_zone_it_is_in(world):
    aggregate = objects.Aggregate(name="a", metadata={"availability_zone": "east"})
    world.cells.api.aggregates.create(aggregate)
    uuid = world.boot()
    assert update(world, uuid, {"pinned_availability_zone": "east"}).status_code == 409
    assert update(world, uuid, {"pinned_availability_zone": "nosuch"}).status_code == 409
    world.cells.api.aggregates.add_host(aggregate, "node-1")
    assert update(world, uuid, {"pinned_availability_zone": "east"}).status_code == 200
    assert world.show(uuid)["OS-EXT-AZ:availability_zone"] == "east"


def test_a_server_that_is_being_scheduled_can_be_renamed(world):
    world.conductor.waits = True
    uuid = world.boot("old")
    assert update(world, uuid, {"name": "new"}).json["server"]["name"] == "new"
    assert world.show(uuid)["name"] == "new"
    assert world.member("GET", "/v2.1/servers").json["servers"][0]["name"] == "new"


def test_an_image_may_forbid_to_fit_the_disk(world):
    from tests.fixtures.server_world import IMAGE

    world.add_image(IMAGE, properties={"auto_disk_config": "Disabled"})
    uuid = world.boot()
    assert update(world, uuid, {"OS-DCF:diskConfig": "AUTO"}).status_code == 400
    assert (
        world.member(
            "POST", "/v2.1/servers", world.body(**{"OS-DCF:diskConfig": "AUTO"}), version="2.104"
        ).status_code
        == 400
    )


def test_who_may_rename(world):
    uuid = world.boot()
    for version in ("2.1", "2.104"):
        assert update(world, uuid, {"name": "x"}, who=world.reader, version=version).status_code == 403
        assert update(world, uuid, {"name": "x"}, who=world.other, version=version).status_code == 404
        assert update(world, uuid, {"name": "x"}, who=world.admin, version=version).status_code == 200
    assert update(world, NO_UUID, {"name": "x"}).status_code == 404


def test_a_lock_does_not_keep_from_renaming(world):
    uuid = world.boot()
    world.set(uuid, locked=True, locked_by="owner")
    assert update(world, uuid, {"name": "x"}).status_code == 200


# Metadata


def metadata(world, method, uuid, body=None, key="", who=None, version="2.104"):
    tail = f"/{key}" if key else ""
    return (who or world.member)(method, f"/v2.1/servers/{uuid}/metadata{tail}", body, version=version)


@pytest.fixture
def uuid(world):
    return world.boot(metadata={"k1": "v1", "k2": "v2"})


def test_metadata_is_read(world, uuid):
    for who in (world.member, world.reader):
        assert metadata(world, "GET", uuid, who=who).json == {"metadata": {"k1": "v1", "k2": "v2"}}
    assert metadata(world, "GET", uuid, key="k1").json == {"meta": {"k1": "v1"}}
    assert metadata(world, "GET", uuid, key="nosuch").status_code == 404
    assert metadata(world, "GET", uuid, who=world.other).status_code == 404


def test_metadata_of_a_build_request_is_read(world):
    world.conductor.waits = True
    assert metadata(world, "GET", world.boot(metadata={"a": "b"})).json == {"metadata": {"a": "b"}}


def test_items_are_added_and_overwritten(world, uuid):
    added = metadata(world, "POST", uuid, {"metadata": {"k2": "new", "a:b-c_d.e f": "é"}})
    assert added.json == {"metadata": {"k1": "v1", "k2": "new", "a:b-c_d.e f": "é"}}
    assert world.show(uuid)["metadata"] == added.json["metadata"]


def test_all_items_are_replaced(world, uuid):
    assert metadata(world, "PUT", uuid, {"metadata": {"only": "one"}}).json == {"metadata": {"only": "one"}}
    assert world.show(uuid)["metadata"] == {"only": "one"}
    assert metadata(world, "PUT", uuid, {"metadata": {}}).json == {"metadata": {}}
    assert world.show(uuid)["metadata"] == {}


def test_one_item_is_set_and_removed(world, uuid):
    assert metadata(world, "PUT", uuid, {"meta": {"k3": "x"}}, key="k3").json == {"meta": {"k3": "x"}}
    assert metadata(world, "DELETE", uuid, key="k1").status_code == 204
    assert metadata(world, "DELETE", uuid, key="k1").status_code == 404
    assert world.show(uuid)["metadata"] == {"k2": "v2", "k3": "x"}


@pytest.mark.parametrize(
    "items",
    [
        {"a": None},
        {"a": 1},
        {"k" * 256: "v"},
        {"k": "v" * 256},
        {"a/b": "v"},
        {"": "v"},
        {"é": "v"},
        {"k": "\U0001f600"},
        "x",
        None,
        [],
    ],
)
def test_wrong_items_are_400(world, uuid, items):
    assert metadata(world, "POST", uuid, {"metadata": items}).status_code == 400
    assert metadata(world, "PUT", uuid, {"metadata": items}).status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        {"meta": {"k9": "x"}},
        {"meta": {"k1": "a", "k2": "b"}},
        {"meta": {}},
        {"meta": {"k1": 1}},
        {"metadata": {"k1": "a"}},
        {"meta": {"k1": "a"}, "zzz": 1},
    ],
)
def test_a_wrong_item_is_400(world, uuid, body):
    assert metadata(world, "PUT", uuid, body, key="k1").status_code == 400


def test_too_many_items_are_over_quota(world, uuid):
    items = {f"n{number}": "v" for number in range(127)}
    assert metadata(world, "POST", uuid, {"metadata": items}).status_code == 403
    assert metadata(world, "PUT", uuid, {"metadata": items}).status_code == 200
    assert metadata(world, "PUT", uuid, {"meta": {"one": "x"}}, key="one").status_code == 200
    assert metadata(world, "PUT", uuid, {"meta": {"two": "x"}}, key="two").status_code == 403


def test_metadata_changes_only_in_some_states(world, uuid):
    for state, status in (
        ("active", 200),
        ("stopped", 200),
        ("paused", 200),
        ("error", 409),
        ("building", 409),
    ):
        world.set(uuid, vm_state=state)
        assert metadata(world, "POST", uuid, {"metadata": {"a": "b"}}).status_code == status, state
    # What is not there is missing whatever the state.
    assert metadata(world, "DELETE", uuid, key="nosuch").status_code == 404
    assert metadata(world, "DELETE", uuid, key="k1").status_code == 409
    world.set(uuid, vm_state="active", locked=True, locked_by="owner")
    assert metadata(world, "POST", uuid, {"metadata": {"a": "b"}}).status_code == 409
    assert metadata(world, "POST", uuid, {"metadata": {"a": "b"}}, who=world.admin).status_code == 200


def test_who_may_change_metadata(world, uuid):
    for method, key, body in (
        ("POST", "", {"metadata": {"a": "b"}}),
        ("PUT", "", {"metadata": {"a": "b"}}),
        ("PUT", "a", {"meta": {"a": "b"}}),
        ("DELETE", "a", None),
    ):
        assert metadata(world, method, uuid, body, key=key, who=world.reader).status_code == 403
        assert metadata(world, method, uuid, body, key=key, who=world.other).status_code == 404
        assert metadata(world, method, NO_UUID, body, key=key).status_code == 404


# Addresses


def ips(world, uuid, label="", who=None, version="2.104"):
    tail = f"/{label}" if label else ""
    return (who or world.member)("GET", f"/v2.1/servers/{uuid}/ips{tail}", version=version)


def test_addresses_are_listed_by_network(world):
    port = world.neutron.server.add_port(world.network, PROJECT, fixed_ips=[{"ip_address": "10.0.0.20"}])
    world.neutron.server.add_floating_ip(port, "172.24.0.9")
    uuid = world.boot(networks=[{"port": port}])
    expected = {"net-a": [{"version": 4, "addr": "10.0.0.20"}, {"version": 4, "addr": "172.24.0.9"}]}
    assert ips(world, uuid).json == {"addresses": expected}
    assert ips(world, uuid, who=world.reader).json == {"addresses": expected}
    assert ips(world, uuid, "net-a").json == expected
    assert ips(world, uuid, "nosuch").status_code == 404
    assert ips(world, uuid, who=world.other).status_code == 404
    assert ips(world, NO_UUID).status_code == 404
    kinds = [one["OS-EXT-IPS:type"] for one in world.show(uuid)["addresses"]["net-a"]]
    assert kinds == ["fixed", "floating"]


def test_a_server_without_networks_has_no_addresses(world):
    assert ips(world, world.boot()).json == {"addresses": {}}


@pytest.mark.parametrize("path", ["", "/metadata", "/metadata/k1", "/ips", "/ips/net-a"])
def test_unknown_parameters_are_refused_from_2_102(world, path):
    uuid = world.boot(metadata={"k1": "v"}, networks=[{"uuid": world.network}])
    for version, status in (("2.101", 200), ("2.102", 400)):
        answer = world.member("GET", f"/v2.1/servers/{uuid}{path}?nosuch=1", version=version)
        assert answer.status_code == status


def test_items_that_others_write_meanwhile_stay(world, uuid):
    """A request writes its own items, not all that it has read before."""
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        asked = [
            pool.submit(metadata, world, "POST", uuid, {"metadata": {f"n{number}": "v", "same": str(number)}})
            for number in range(8)
        ]
        assert {one.result().status_code for one in asked} == {200}
    kept = world.show(uuid)["metadata"]
    assert kept.keys() == {"k1", "k2", "same", *(f"n{number}" for number in range(8))}
