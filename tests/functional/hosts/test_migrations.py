"""Listings of migrations. Golden: recordings actions-migrate, hosts-who-may, attachments-*; nova 34.0.0."""

from datetime import timedelta

import pytest

from openkeel import objects
from tests.fixtures.api_client import PROJECT
from tests.fixtures.sql import statements
from tests.functional.api.conftest import NO_UUID, OTHER

PATH = "/v2.1/os-migrations"


def move(world, server, **values):
    world.clock.sleep(1)
    migration = objects.Migration(
        **{
            "instance_uuid": server.uuid,
            "source_compute": "one",
            "source_node": "one.example",
            "dest_compute": "two",
            "dest_node": "two.example",
            "dest_host": "10.0.0.2",
            "old_instance_type_id": 1,
            "new_instance_type_id": 1,
            "status": "running",
            "migration_type": "live-migration",
            "project_id": server.project_id,
            "user_id": server.user_id,
        }
        | values
    )
    world.cell.migrations.create(migration)
    return migration


@pytest.fixture
def moves(world):
    """Four migrations of two servers and projects, and a hidden one."""
    world.mine, world.theirs = world.server(), world.server(project_id=OTHER)
    world.live = move(world, world.mine)
    world.evacuated = move(world, world.theirs, migration_type="evacuation", status="done")
    world.resized = move(
        world, world.mine, migration_type="resize", status="finished", new_instance_type_id=2
    )
    world.gone = move(
        world,
        world.mine,
        migration_type="migration",
        status="confirmed",
        source_compute="three",
        dest_compute="four",
        dest_node=None,
    )
    move(world, world.mine, hidden=True, status="error")
    return world


def listed(world, query="", version="2.104", who=None):
    answer = (who or world.admin)("GET", f"{PATH}?{query}", version=version)
    assert answer.status_code == 200, answer.text
    return [one["id"] for one in answer.json["migrations"]]


def ids(*migrations):
    return [migration.id for migration in migrations]


@pytest.fixture
def manager(world):
    return world.as_("manager,member,reader", user="chief")


# Forms

AT_FIRST = {
    "id",
    "source_compute",
    "dest_compute",
    "source_node",
    "dest_node",
    "dest_host",
    "old_instance_type_id",
    "new_instance_type_id",
    "instance_uuid",
    "status",
    "created_at",
    "updated_at",
}


@pytest.mark.parametrize(
    ("version", "more"),
    [
        ("2.1", set()),
        ("2.22", set()),
        ("2.23", {"migration_type", "links"}),
        ("2.58", {"migration_type", "links"}),
        ("2.59", {"migration_type", "links", "uuid"}),
        ("2.79", {"migration_type", "links", "uuid"}),
        ("2.80", {"migration_type", "links", "uuid", "user_id", "project_id"}),
        ("2.104", {"migration_type", "links", "uuid", "user_id", "project_id"}),
    ],
)
def test_each_version_shows_what_it_knows(moves, version, more):
    found = moves.admin("GET", f"{PATH}?status=running", version=version).json["migrations"]
    assert [set(one) for one in found] == [AT_FIRST | more]
    if "links" in more:
        path = f"servers/{moves.mine.uuid}/migrations/{moves.live.id}"
        assert [link["href"].partition("/v2.1/")[2] for link in found[0]["links"]] == [path, ""]
    finished = moves.admin("GET", f"{PATH}?status=finished", version=version).json["migrations"]
    assert [set(one) for one in finished] == [AT_FIRST | more - {"links"}]


def test_moves_of_old_releases_say_by_their_flavors_what_they_are(moves):
    table = moves.cell.migrations.plan.table
    with moves.cell.database.write() as connection:
        connection.execute(table.update().values(migration_type=None))
    found = moves.admin("GET", PATH, version="2.104").json["migrations"]
    assert [one["migration_type"] for one in found] == ["migration", "resize", "migration", "migration"]


# Lists


def test_the_newest_come_first_since_they_are_paged(moves):
    everything = ids(moves.live, moves.evacuated, moves.resized, moves.gone)
    assert listed(moves, version="2.58") == everything
    assert listed(moves, version="2.59") == everything[::-1]


def test_pages_follow_each_other(moves):
    everything = ids(moves.live, moves.evacuated, moves.resized, moves.gone)[::-1]
    path, seen = f"{PATH}?limit=3", []
    while path:
        page = moves.admin("GET", path, version="2.59").json
        seen.append([one["id"] for one in page["migrations"]])
        path = None
        for link in page.get("migrations_links", ()):
            assert link["rel"] == "next"
            path = "/v2.1/" + link["href"].partition("/v2.1/")[2]
    assert seen == [everything[:3], everything[3:]]
    assert listed(moves, "limit=0") == []
    assert listed(moves, f"marker={moves.resized.uuid}") == everything[2:]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("status=finished", ["resized"]),
        ("status=FINISHED", []),
        ("host=three", ["gone"]),
        ("host=four", ["gone"]),
        ("source_compute=three", ["gone"]),
        ("source_compute=four", []),
        ("host=two&source_compute=three", ["live", "evacuated", "resized"]),
        ("migration_type=resize", ["resized"]),
        ("migration_type=junk", []),
        ("instance_uuid=junk", []),
        ("hidden=1", []),
        ("hidden=0", ["live", "evacuated", "resized", "gone"]),
        ("status=done&status=running", ["live"]),
    ],
)
@pytest.mark.parametrize("version", ["2.1", "2.104"])
def test_filters_choose(moves, query, found, version):
    if version == "2.104":
        found = found[::-1]
    assert listed(moves, query, version) == ids(*(getattr(moves, name) for name in found))


def test_filters_by_owner_came_with_the_owner(moves):
    assert listed(moves, f"project_id={OTHER}", "2.80") == ids(moves.evacuated)
    assert listed(moves, "user_id=nobody", "2.80") == []
    assert listed(moves, "user_id=&project_id=", "2.80") == []
    assert len(listed(moves, f"project_id={OTHER}", "2.58")) == 4
    assert moves.admin("GET", f"{PATH}?project_id={OTHER}", version="2.79").status_code == 400


def test_filters_by_time(moves):
    moves.live.status = "completed"
    moves.cell.migrations.save(moves.live)
    changed = moves.live.updated_at
    before, after = (changed + timedelta(seconds=shift) for shift in (-5, 5))
    since = "changes-since=" + before.strftime("%Y-%m-%dT%H:%M:%SZ")
    until = "changes-before=" + after.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert listed(moves, since, "2.59") == ids(moves.live)
    assert listed(moves, f"{since}&{until}", "2.66") == ids(moves.live)
    assert listed(moves, since.replace("since", "before"), "2.66") == []
    assert len(listed(moves, "changes-since=junk", "2.58")) == 4


@pytest.mark.parametrize(
    ("query", "version"),
    [
        ("limit=junk", "2.59"),
        (f"marker={NO_UUID}", "2.59"),
        ("marker=junk", "2.59"),
        ("nosuch=1", "2.59"),
        ("changes-since=junk", "2.59"),
        ("changes-before=2020-01-01T00:00:00Z", "2.65"),
        ("changes-since=2021-01-01T00:00:00Z&changes-before=2020-01-01T00:00:00Z", "2.66"),
        ("limit=1&limit=2", "2.104"),
    ],
)
def test_queries_that_make_no_sense_are_refused(moves, query, version):
    assert moves.admin("GET", f"{PATH}?{query}", version=version).status_code == 400
    assert moves.admin("GET", f"{PATH}?{query}", version="2.58").status_code == 200


def test_a_list_costs_one_statement_per_cell(moves):
    databases = [moves.cell.database, moves.cells.api.database]
    with statements(*databases) as seen:
        listed(moves)
    few = len(seen)
    for _ in range(20):
        move(moves, moves.mine)
    with statements(*databases) as seen:
        assert len(listed(moves)) == 24
    assert len(seen) == few


# Below a server


def below(world, server, rest="", version="2.104", who=None):
    path = f"/v2.1/servers/{server.uuid}/migrations{rest}"
    return (who or world.admin)("GET", path, version=version)


AT_2_23 = {
    "id",
    "server_uuid",
    "source_compute",
    "dest_compute",
    "source_node",
    "dest_node",
    "dest_host",
    "status",
    "created_at",
    "updated_at",
    *(f"{what}_{part}_bytes" for what in ("memory", "disk") for part in ("total", "processed", "remaining")),
}


@pytest.mark.parametrize(
    ("version", "more"),
    [
        ("2.23", set()),
        ("2.58", set()),
        ("2.59", {"uuid"}),
        ("2.79", {"uuid"}),
        ("2.80", {"uuid", "user_id", "project_id"}),
        ("2.104", {"uuid", "user_id", "project_id"}),
    ],
)
def test_only_live_migrations_in_progress_are_below_their_server(moves, version, more):
    move(moves, moves.mine, status="completed")
    (found,) = below(moves, moves.mine, version=version).json["migrations"]
    assert set(found) == AT_2_23 | more
    assert (found["id"], found["server_uuid"]) == (moves.live.id, moves.mine.uuid)
    assert below(moves, moves.mine, f"/{moves.live.id}", version).json == {"migration": found}
    assert below(moves, moves.theirs, version=version).json == {"migrations": []}


def test_all_others_are_not_found_there(moves):
    for wrong in (moves.resized.id, moves.evacuated.id, 999, "abc"):
        assert below(moves, moves.mine, f"/{wrong}").status_code == 404
    assert below(moves, moves.theirs, f"/{moves.live.id}").status_code == 404
    assert moves.admin("GET", f"/v2.1/servers/{NO_UUID}/migrations", version="2.23").status_code == 404


def test_there_is_nothing_below_servers_before_2_23(moves):
    assert below(moves, moves.mine, version="2.22").status_code == 404
    assert below(moves, moves.mine, f"/{moves.live.id}", "2.22").status_code == 404


def test_unknown_parameters_pass_before_2_102(moves):
    for rest in ("", f"/{moves.live.id}"):
        assert below(moves, moves.mine, f"{rest}?nosuch=1", "2.101").status_code == 200
        assert below(moves, moves.mine, f"{rest}?nosuch=1", "2.102").status_code == 400


# Who may


@pytest.mark.parametrize("roles", ["reader", "member,reader", "service"])
def test_users_may_not(moves, roles):
    who = moves.as_(roles)
    assert who("GET", PATH).status_code == 403
    assert who("GET", f"{PATH}?project_id={PROJECT}", version="2.80").status_code == 403
    assert below(moves, moves.mine, who=who).status_code == 403
    assert below(moves, moves.mine, f"/{moves.live.id}", who=who).status_code == 403


def test_a_foreign_server_does_not_exist(moves, manager):
    assert below(moves, moves.theirs, who=manager).status_code == 404


def test_a_manager_sees_the_moves_of_his_project_and_no_hosts(moves, manager):
    assert manager("GET", PATH, version="2.59").status_code == 403
    assert manager("GET", f"{PATH}?project_id={OTHER}", version="2.80").status_code == 403
    found = manager("GET", f"{PATH}?project_id={PROJECT}", version="2.80").json["migrations"]
    assert [one["id"] for one in found] == ids(moves.gone, moves.resized, moves.live)
    hosts = ("source_compute", "dest_compute", "source_node", "dest_node", "dest_host")
    assert {one[name] for one in found for name in hosts} == {None}
    (live,) = below(moves, moves.mine, who=manager).json["migrations"]
    assert {live[name] for name in hosts} == {None}
    assert below(moves, moves.mine, f"/{moves.live.id}", who=manager).status_code == 403
    (live,) = below(moves, moves.mine).json["migrations"]
    assert live["source_compute"] == "one"
