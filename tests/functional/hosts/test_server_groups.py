"""Server groups. Golden: recordings server-groups-*."""

import pytest

from openkeel.db.cells import CELL0_UUID
from tests.fixtures.api_client import PROJECT
from tests.fixtures.sql import statements
from tests.functional.api.conftest import NO_UUID, OTHER

PATH = "/v2.1/os-server-groups"


def make(world, who=None, version="2.64", **asked):
    body = {"server_group": {"name": "n", "policy": "affinity"} | asked}
    return (who or world.ask)("POST", PATH, body, version=version)


def made(world, who=None, **asked):
    answer = make(world, who, **asked)
    assert answer.status_code == 200, answer.text
    return answer.json["server_group"]["id"]


def show(world, uuid, version="2.104", who=None):
    return (who or world.ask)("GET", f"{PATH}/{uuid}", version=version)


# Forms

OLD = {"name": "n", "policies": ["anti-affinity"], "metadata": {}, "members": []}
OWNED = OLD | {"project_id": PROJECT, "user_id": "user"}
NEW = {
    "name": "n",
    "policy": "anti-affinity",
    "rules": {"max_server_per_host": 3},
    "members": [],
    "project_id": PROJECT,
    "user_id": "user",
}


@pytest.mark.parametrize(
    ("version", "expected"),
    [("2.1", OLD), ("2.12", OLD), ("2.13", OWNED), ("2.63", OWNED), ("2.64", NEW), ("2.104", NEW)],
)
def test_each_version_has_its_form(world, version, expected):
    uuid = made(world, policy="anti-affinity", rules={"max_server_per_host": "3"})
    assert show(world, uuid, version).json["server_group"] == expected | {"id": uuid}
    listed = world.ask("GET", PATH, version=version).json["server_groups"]
    assert listed == [expected | {"id": uuid}]


@pytest.mark.parametrize(
    ("version", "policies", "status"),
    [
        ("2.1", ["affinity"], 200),
        ("2.14", ["anti-affinity"], 200),
        ("2.14", ["soft-affinity"], 400),
        ("2.15", ["soft-affinity"], 200),
        ("2.63", ["soft-anti-affinity"], 200),
        ("2.63", ["legacy"], 400),
        ("2.63", [], 400),
        ("2.63", ["affinity", "anti-affinity"], 400),
        ("2.63", ["affinity", "affinity"], 400),
        ("2.64", ["affinity"], 400),
    ],
)
def test_policies_were_a_list_of_one(world, version, policies, status):
    body = {"server_group": {"name": "n", "policies": policies}}
    answer = world.ask("POST", PATH, body, version=version)
    assert answer.status_code == status
    if status == 200:
        assert answer.json["server_group"]["policies"] == policies


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"policy": "anti-affinity", "rules": {"max_server_per_host": 2}}, 200),
        ({"policy": "anti-affinity", "rules": {}}, 200),
        ({"policy": "anti-affinity", "rules": {"max_server_per_host": 0}}, 400),
        ({"policy": "anti-affinity", "rules": {"zzz": 1}}, 400),
        ({"policy": "affinity", "rules": {"max_server_per_host": 2}}, 400),
        ({"policy": "soft-anti-affinity", "rules": {"max_server_per_host": 2}}, 400),
        ({"policy": "junk"}, 400),
        ({"policies": ["affinity"]}, 400),
        ({"metadata": {"a": "b"}}, 400),
        ({"name": ""}, 400),
    ],
)
def test_rules_are_for_anti_affinity_only(world, asked, status):
    assert make(world, **asked).status_code == status


# Lists


def test_lists_are_cut_and_start_where_asked(world):
    uuids = [made(world, name=f"g{number}") for number in range(4)]

    def listed(query):
        answer = world.ask("GET", f"{PATH}?{query}", version="2.75")
        return [one["id"] for one in answer.json["server_groups"]]

    assert listed("") == uuids
    assert listed("limit=2") == uuids[:2]
    assert listed("limit=2&offset=1") == uuids[1:3]
    assert listed("offset=3") == uuids[3:]
    assert listed("offset=99999999999999999999") == []
    assert listed("limit=1&limit=3") == uuids[:3]
    assert listed("limit=0") == uuids


@pytest.mark.parametrize("query", ["limit=-1", "limit=abc", "limit=", "offset=x"])
def test_pages_that_make_no_sense_are_refused(world, query):
    assert world.ask("GET", f"{PATH}?{query}", version="2.1").status_code == 400


def test_unknown_parameters_are_refused_late(world):
    uuid = made(world)
    assert world.ask("GET", f"{PATH}?nosuch=1", version="2.74").status_code == 200
    assert world.ask("GET", f"{PATH}?nosuch=1", version="2.75").status_code == 400
    assert world.ask("GET", f"{PATH}/{uuid}?nosuch=1", version="2.101").status_code == 200
    assert world.ask("GET", f"{PATH}/{uuid}?nosuch=1", version="2.102").status_code == 400


def test_only_administrators_see_all_projects(world):
    mine = made(world)
    theirs = made(world, world.as_("member,reader", project=OTHER))
    listed = world.ask("GET", f"{PATH}?all_projects=1").json["server_groups"]
    assert [one["id"] for one in listed] == [mine]
    listed = world.admin("GET", f"{PATH}?all_projects").json["server_groups"]
    assert [one["id"] for one in listed] == [mine, theirs]
    listed = world.admin("GET", PATH).json["server_groups"]
    assert [one["id"] for one in listed] == [mine]


# Members


def joined(world, uuid, *servers):
    world.cells.api.instance_groups.add_members(uuid, [server.uuid for server in servers])


def test_members_are_those_that_live(world):
    uuid = made(world)
    servers = [world.server() for _ in range(3)]
    joined(world, uuid, *servers)
    world.cell.instances.destroy(servers[1])
    assert show(world, uuid).json["server_group"]["members"] == [servers[0].uuid, servers[2].uuid]


def test_servers_buried_in_cell0_are_members_too(world):
    uuid = made(world)
    buried = world.server(world.cells.cell(CELL0_UUID), vm_state="error")
    joined(world, uuid, buried)
    assert show(world, uuid).json["server_group"]["members"] == [buried.uuid]


def test_members_of_a_silent_cell_stay_members(world):
    uuid = made(world)
    server = world.server()
    joined(world, uuid, server)
    broken = world.cell.database
    broken.dispose()
    broken.settings = type(broken.settings)("sqlite:////nowhere/at/all.sqlite")
    broken._engine = None
    assert show(world, uuid).json["server_group"]["members"] == [server.uuid]


def test_a_page_costs_the_same_whatever_its_length(world):
    databases = [world.cells.api.database, world.cell.database]
    first = made(world)
    joined(world, first, world.server())
    with statements(*databases) as seen:
        world.ask("GET", PATH)
    few = len(seen)
    for _ in range(9):
        joined(world, made(world), *(world.server() for _ in range(3)))
    with statements(*databases) as seen:
        assert len(world.ask("GET", PATH).json["server_groups"]) == 10
    assert len(seen) == few


# Quota


def test_a_project_has_as_many_groups_as_its_quota_says(world):
    for _ in range(10):
        made(world)
    assert make(world).status_code == 403
    assert len(world.ask("GET", PATH).json["server_groups"]) == 10
    assert make(world, world.as_("member,reader", project=OTHER)).status_code == 200


# Who may


def test_a_foreign_group_does_not_exist(world):
    uuid = made(world)
    other = world.as_("member,reader", project=OTHER)
    assert show(world, uuid, who=other).status_code == 404
    assert other("DELETE", f"{PATH}/{uuid}").status_code == 404
    assert show(world, uuid, who=world.as_("admin,member,reader", project=OTHER)).status_code == 200


def test_a_reader_reads(world):
    uuid, reader = made(world), world.as_("reader")
    assert show(world, uuid, who=reader).status_code == 200
    assert reader("GET", PATH).status_code == 200
    assert make(world, reader).status_code == 403
    assert reader("DELETE", f"{PATH}/{uuid}").status_code == 403


def test_others_do_not_even_read(world):
    uuid, service = made(world), world.as_("service")
    assert service("GET", PATH).status_code == 403
    assert show(world, uuid, who=service).status_code == 403
    assert make(world, service).status_code == 403
    assert world.as_(None)("GET", PATH).status_code == 401


def test_a_group_is_deleted_once(world):
    uuid = made(world)
    answer = world.ask("DELETE", f"{PATH}/{uuid}")
    assert (answer.status_code, answer.text) == (204, "")
    assert world.ask("DELETE", f"{PATH}/{uuid}").status_code == 404
    assert show(world, uuid).status_code == 404
    assert show(world, NO_UUID).status_code == 404
    assert show(world, "junk").status_code == 404
