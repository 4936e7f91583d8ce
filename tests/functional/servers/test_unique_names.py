"""osapi_compute_unique_server_name_scope: no two servers with the same name."""

import pytest

from openkeel.services.boot import BootSettings
from openkeel.services.unique_names import NameScope
from tests.fixtures.server_world import NO_UUID, ServerWorld


@pytest.fixture
def make(cells):
    def make(scope):
        return ServerWorld(cells, BootSettings(unique_name_scope=scope))

    return make


@pytest.fixture
def world(make):
    """Names are unique in a project."""
    return make(NameScope.PROJECT)


def create(world, name, who=None, **more):
    return (who or world.member)("POST", "/v2.1/servers", world.body(name, **more), version="2.104")


def update(world, uuid, **fields):
    return world.member("PUT", f"/v2.1/servers/{uuid}", {"server": fields}, version="2.104")


@pytest.mark.parametrize("name", ["web", "WEB", "Web"])
def test_a_name_is_taken_once_in_a_project(world, name):
    world.boot("web")
    answer = create(world, name)
    assert answer.status_code == 409
    assert "web" in answer.json["conflictingRequest"]["message"]
    assert len(world.member("GET", "/v2.1/servers").json["servers"]) == 1


def test_another_project_may_have_the_name_unless_it_is_unique_everywhere(make, world):
    world.boot("web")
    assert create(world, "web", who=world.other).status_code == 202
    everywhere = make(NameScope.EVERYWHERE)
    assert create(everywhere, "web", who=everywhere.admin_elsewhere).status_code == 409
    assert create(everywhere, "mail", who=everywhere.admin_elsewhere).status_code == 202


def test_names_may_repeat_where_nobody_minds(make):
    world = make(NameScope.NOWHERE)
    world.boot("web")
    assert create(world, "web").status_code == 202


def test_a_server_on_its_way_to_a_cell_has_its_name_already(world):
    world.conductor.waits = True
    world.boot("web")
    assert create(world, "web").status_code == 409
    world.conductor.work()
    assert create(world, "web").status_code == 409


def test_a_server_that_never_got_a_host_has_its_name(world):
    world.no_valid_host = True
    world.boot("web")
    assert create(world, "web").status_code == 409


def test_the_name_of_a_deleted_server_is_free(world):
    uuid = world.boot("web")
    assert world.member("DELETE", f"/v2.1/servers/{uuid}").status_code == 204
    assert create(world, "web").status_code == 202


def test_names_that_make_the_same_host_name_clash(world):
    world.boot("my.web")
    assert create(world, "my-web").status_code == 409
    assert create(world, "other", hostname="my-web").status_code == 409


def test_servers_of_one_request_are_numbered_and_do_not_clash(world):
    assert create(world, "web", min_count=2).status_code == 202
    assert create(world, "web").status_code == 202
    assert create(world, "web", min_count=2).status_code == 409


def test_of_two_at_the_same_moment_at_least_one_steps_back_without_a_trace(world, monkeypatch):
    """The second one's request comes in when the first has looked and not yet written."""
    world.conductor.waits = True
    records = world.cells.api.create_builds
    statuses = []

    def create_builds(builds):
        monkeypatch.undo()
        statuses.append(create(world, "web").status_code)
        records(builds)

    monkeypatch.setattr(world.cells.api, "create_builds", create_builds)
    statuses.append(create(world, "web").status_code)
    assert sorted(statuses) == [202, 409]
    assert len(world.cells.api.build_requests.list()) == 1


def test_a_server_is_not_renamed_to_a_taken_name(world):
    world.boot("web")
    uuid = world.boot("mail")
    assert update(world, uuid, name="Web").status_code == 409
    assert update(world, uuid, hostname="web").status_code == 409
    assert world.show(uuid)["name"] == "mail"
    assert update(world, uuid, name="ftp").status_code == 200
    assert update(world, uuid, name="FTP", description="d").status_code == 200
    assert update(world, NO_UUID, name="web").status_code == 404


def test_servers_that_shared_a_name_before_can_still_be_changed(make):
    free = make(NameScope.NOWHERE)
    uuid = free.boot("web")
    free.boot("web")
    world = make(NameScope.PROJECT)
    assert update(world, uuid, name="web", description="d").status_code == 200
    assert update(world, uuid, description="e").status_code == 200
