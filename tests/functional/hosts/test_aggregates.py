"""Host aggregates. Golden: recordings aggregates-*, and what nova 34.0.0 answered about zones."""

import pytest

from openkeel.clients import errors as service_errors
from tests.fixtures.sql import statements

PATH = "/v2.1/os-aggregates"


@pytest.fixture
def hosts(world):
    world.host("one")
    world.host("two")
    return world


def shown(world, number, version="2.104"):
    return world.admin("GET", f"{PATH}/{number}", version=version).json["aggregate"]


# Create, show, list


def test_a_new_aggregate_tells_neither_hosts_nor_metadata(world):
    answer = world.admin("POST", PATH, {"aggregate": {"name": "a", "availability_zone": "z"}}, version="2.40")
    aggregate = answer.json["aggregate"]
    assert answer.status_code == 200
    assert aggregate.pop("created_at")
    assert aggregate == {
        "id": 1,
        "name": "a",
        "updated_at": None,
        "deleted_at": None,
        "deleted": False,
        "availability_zone": "z",
    }


@pytest.mark.parametrize(("version", "has_uuid"), [("2.1", False), ("2.40", False), ("2.41", True)])
def test_the_uuid_is_told_from_2_41_on(world, version, has_uuid):
    number = world.aggregate("a", "z")
    answer = world.admin("GET", f"{PATH}/{number}", version=version).json["aggregate"]
    assert ("uuid" in answer) is has_uuid
    assert (answer["hosts"], answer["metadata"]) == ([], {"availability_zone": "z"})
    listed = world.admin("GET", PATH, version=version).json["aggregates"]
    assert listed == [answer]


@pytest.mark.parametrize("version", ["2.1", "2.101"])
def test_unknown_parameters_pass_before_2_102(world, version):
    assert world.admin("GET", f"{PATH}?limit=abc", version=version).status_code == 200
    assert world.admin("GET", f"{PATH}?limit=abc", version="2.102").status_code == 400
    number = world.aggregate("a")
    assert world.admin("GET", f"{PATH}/{number}?nosuch=1", version=version).status_code == 200
    assert world.admin("GET", f"{PATH}/{number}?nosuch=1", version="2.102").status_code == 400


@pytest.mark.parametrize(
    ("given", "status"),
    [("abc", 400), ("1.0", 400), ("-1", 404), ("7", 404), ("9" * 23, 404)],
)
def test_ids_that_are_no_numbers_are_bad_and_others_unknown(world, given, status):
    assert world.admin("GET", f"{PATH}/{given}").status_code == status
    assert world.admin("DELETE", f"{PATH}/{given}").status_code == status
    assert world.act(given, "set_metadata", metadata={}).status_code == status


def test_names_clash_and_blanks_are_for_the_legacy_endpoint_only(world):
    world.aggregate("a")
    assert world.admin("POST", PATH, {"aggregate": {"name": "a"}}).status_code == 409
    padded = {"aggregate": {"name": " b ", "availability_zone": " z "}}
    assert world.admin("POST", PATH, padded).status_code == 400
    answer = world.admin("POST", "/v2/os-aggregates", padded).json["aggregate"]
    assert (answer["name"], answer["availability_zone"]) == ("b", "z")


@pytest.mark.parametrize("zone", ["", "a:b", 7])
def test_zone_names_that_nobody_could_ask_for_are_refused(world, zone):
    body = {"aggregate": {"name": "a", "availability_zone": zone}}
    assert world.admin("POST", PATH, body).status_code == 400


def test_a_list_costs_three_statements_whatever_its_length(hosts):
    hosts.aggregate("first", "z", "one", "two")
    with statements(hosts.cells.api.database) as seen:
        hosts.admin("GET", PATH)
    few = len(seen)
    for number in range(20):
        hosts.aggregate(f"more-{number}")
    with statements(hosts.cells.api.database) as seen:
        assert len(hosts.admin("GET", PATH).json["aggregates"]) == 21
    assert len([one for one in seen if one.startswith("SELECT")]) == 3
    assert len(seen) == few


# Change, delete


def test_an_update_renames_and_moves_to_another_zone(world):
    number = world.aggregate("a", "z")
    body = {"aggregate": {"name": " b ", "availability_zone": "w"}}
    answer = world.admin("PUT", f"{PATH}/{number}", body, version="2.41").json["aggregate"]
    assert (answer["name"], answer["availability_zone"]) == ("b", "w")
    assert answer["updated_at"]
    assert shown(world, number)["metadata"] == {"availability_zone": "w"}


def test_a_change_of_metadata_shows_the_time_once_and_keeps_the_row(world):
    number = world.aggregate("a")
    answer = world.act(number, "set_metadata", metadata={"k": "v", "gone": None}).json["aggregate"]
    assert answer["metadata"] == {"k": "v"}
    assert answer["updated_at"]
    assert shown(world, number)["updated_at"] is None


@pytest.mark.parametrize("body", [{}, {"aggregate": {}}, {"aggregate": {"name": "x", "zzz": 1}}, []])
def test_updates_that_say_nothing_are_refused(world, body):
    number = world.aggregate("a")
    assert world.admin("PUT", f"{PATH}/{number}", body).status_code == 400


@pytest.mark.parametrize("zone", [None, ""])
def test_a_zone_cannot_become_nameless(world, zone):
    number = world.aggregate("a", "z")
    assert world.act(number, "set_metadata", metadata={"availability_zone": zone}).status_code == 400
    assert shown(world, number)["availability_zone"] == "z"


def test_metadata_that_no_database_keeps_is_refused(world):
    number = world.aggregate("a")
    assert world.act(number, "set_metadata", metadata={"k": "\N{GRINNING FACE}"}).status_code == 400


def test_only_an_aggregate_without_hosts_can_be_deleted(hosts):
    number = hosts.aggregate("a", None, "one")
    assert hosts.admin("DELETE", f"{PATH}/{number}").status_code == 400
    hosts.act(number, "remove_host", host="one")
    answer = hosts.admin("DELETE", f"{PATH}/{number}")
    assert (answer.status_code, answer.text) == (200, "")
    assert hosts.admin("GET", f"{PATH}/{number}").status_code == 404


# Hosts


def test_a_host_comes_and_goes_here_and_in_placement(hosts):
    number = hosts.aggregate("a", "z")
    answer = hosts.act(number, "add_host", host="one")
    uuid = answer.json["aggregate"]["uuid"]
    assert answer.json["aggregate"]["hosts"] == ["one"]
    assert hosts.placement.find_provider(hosts.node_of("one").uuid).aggregates == {uuid}
    assert hosts.act(number, "add_host", host="one").status_code == 409
    assert hosts.act(number, "remove_host", host="one").json["aggregate"]["hosts"] == []
    assert hosts.placement.find_provider(hosts.node_of("one").uuid).aggregates == set()
    assert hosts.act(number, "remove_host", host="one").status_code == 404


def test_hosts_nobody_knows_are_not_found(hosts):
    number = hosts.aggregate("a")
    hosts.service("unmapped")
    assert hosts.act(number, "add_host", host="nosuch").status_code == 404
    assert hosts.act(number, "add_host", host="unmapped").status_code == 404
    assert hosts.act(number, "remove_host", host="nosuch").status_code == 404
    assert hosts.act(99, "add_host", host="one").status_code == 404


def test_a_failing_placement_does_not_hinder(hosts):
    number = hosts.aggregate("a")
    hosts.placement.faults.fail(
        "set_aggregate_member", service_errors.Unavailable(service="Placement", status=503)
    )
    assert hosts.act(number, "add_host", host="one").status_code == 200
    assert shown(hosts, number)["hosts"] == ["one"]


def test_schedulers_hear_of_every_change(hosts):
    number = hosts.aggregate("a", "z", "one")
    (known,) = hosts.schedulers.cache.all()
    assert (known.name, known.hosts, known.metadata) == ("a", {"one"}, {"availability_zone": "z"})
    hosts.admin("PUT", f"{PATH}/{number}", {"aggregate": {"name": "b"}})
    hosts.act(number, "set_metadata", metadata={"k": "v"})
    hosts.act(number, "remove_host", host="one")
    (known,) = hosts.schedulers.cache.all()
    assert (known.name, known.hosts) == ("b", set())
    assert known.metadata == {"availability_zone": "z", "k": "v"}
    hosts.admin("DELETE", f"{PATH}/{number}")
    assert hosts.schedulers.cache.all() == []


def test_schedulers_that_cannot_be_told_do_not_hinder(hosts):
    hosts.schedulers.is_cut_off = True
    number = hosts.aggregate("a", "z", "one")
    hosts.act(number, "remove_host", host="one")
    assert hosts.admin("DELETE", f"{PATH}/{number}").status_code == 200


# Zones


def test_a_host_is_in_one_zone_only(hosts):
    hosts.aggregate("a", "east", "one")
    west = hosts.aggregate("b", "west")
    assert hosts.act(west, "add_host", host="one").status_code == 409
    again = hosts.aggregate("c", "east", "one")
    plain = hosts.aggregate("d", None, "one")
    assert hosts.act(plain, "set_metadata", metadata={"availability_zone": "west"}).status_code == 400
    body = {"aggregate": {"availability_zone": "west"}}
    assert hosts.admin("PUT", f"{PATH}/{again}", body).status_code == 400
    zones = hosts.ask("GET", "/v2.1/os-availability-zone").json["availabilityZoneInfo"]
    assert [zone["zoneName"] for zone in zones] == ["east", "nova"]


def test_a_host_with_servers_stays_in_its_zone(hosts):
    hosts.server(host="one")
    east = hosts.aggregate("a", "east")
    assert hosts.act(east, "add_host", host="one").status_code == 409
    plain = hosts.aggregate("b", None, "one")
    zone = {"availability_zone": "east"}
    assert hosts.act(plain, "set_metadata", metadata=zone).status_code == 400
    assert hosts.admin("PUT", f"{PATH}/{plain}", {"aggregate": zone}).status_code == 400
    assert hosts.act(plain, "set_metadata", metadata={"k": "v"}).status_code == 200
    assert hosts.act(plain, "remove_host", host="one").status_code == 200


def test_a_host_with_servers_leaves_a_zone_only_if_another_aggregate_keeps_it_there(hosts):
    east, again = hosts.aggregate("a", "east", "one"), hosts.aggregate("b", "east")
    hosts.server(host="one")
    assert hosts.act(east, "remove_host", host="one").status_code == 409
    assert hosts.act(again, "add_host", host="one").status_code == 200
    assert hosts.act(east, "remove_host", host="one").status_code == 200
    same = {"availability_zone": "east"}
    assert hosts.act(again, "set_metadata", metadata=same).status_code == 200


# Who may


@pytest.mark.parametrize("roles", ["reader", "reader,member", "reader,member,manager", "service"])
def test_only_administrators_may(hosts, roles):
    number = hosts.aggregate("a", None, "one")
    who = hosts.as_(roles)
    one = f"{PATH}/{number}"
    requests = [
        ("GET", PATH, None),
        ("POST", PATH, {"aggregate": {"name": "b"}}),
        ("GET", one, None),
        ("GET", f"{PATH}/abc", None),
        ("PUT", one, {"aggregate": {"name": "b"}}),
        ("DELETE", one, None),
        ("POST", f"{one}/action", {"add_host": {"host": "two"}}),
        ("POST", f"{one}/action", {"remove_host": {"host": "one"}}),
        ("POST", f"{one}/action", {"set_metadata": {"metadata": {"k": "v"}}}),
    ]
    assert {who(*request, version="2.104").status_code for request in requests} == {403}
    aggregate = shown(hosts, number)
    assert (aggregate["name"], aggregate["hosts"], aggregate["metadata"]) == ("a", ["one"], {})


def test_nobody_may_without_a_token(hosts):
    assert hosts.as_(None)("GET", PATH).status_code == 401
