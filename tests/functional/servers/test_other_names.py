"""Servers under their other name, and what is refused of bare metal. Golden: servers-*, hosts-who-may."""

import pytest

from tests.fixtures.server_world import NO_UUID


def ask(world, method, path, body=None, who=None, version="2.102"):
    return (who or world.member)(method, f"/v2.1{path}", body, version=version)


def test_a_server_lives_under_both_names(world):
    made = ask(world, "POST", "/os-volumes_boot", world.body("n"))
    assert made.status_code == 202
    uuid = made.json["server"]["id"]
    path = f"/os-volumes_boot/{uuid}"
    assert [one["id"] for one in ask(world, "GET", "/os-volumes_boot").json["servers"]] == [uuid]
    assert ask(world, "GET", path).json == ask(world, "GET", f"/servers/{uuid}").json
    assert ask(world, "PUT", path, {"server": {"name": "other"}}).json["server"]["name"] == "other"
    assert ask(world, "POST", f"{path}/action", {"os-stop": None}).status_code == 202
    assert world.show(uuid)["status"] == "SHUTOFF"
    assert ask(world, "POST", f"{path}/action", {"lock": None}).status_code == 400
    assert ask(world, "DELETE", path, who=world.reader).status_code == 403
    assert ask(world, "DELETE", path, who=world.other).status_code == 404
    assert ask(world, "DELETE", path).status_code == 204
    assert ask(world, "GET", path).status_code == 404


@pytest.mark.parametrize("path", ["", "/detail"])
def test_the_other_name_ends(world, path):
    assert ask(world, "GET", f"/os-volumes_boot{path}", version="2.102").status_code == 200
    assert ask(world, "GET", f"/os-volumes_boot{path}", version="2.103").status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "", {"node": {}}),
        ("DELETE", f"/{NO_UUID}", None),
        ("POST", f"/{NO_UUID}/action", {"add_interface": {}}),
        ("POST", f"/{NO_UUID}/action", {"remove_interface": {}}),
    ],
)
def test_bare_metal_is_not_changed_here(world, method, path, body):
    for who in (world.admin, world.reader):
        assert ask(world, method, f"/os-baremetal-nodes{path}", body, who, "2.35").status_code == 400
    assert ask(world, method, f"/os-baremetal-nodes{path}", body, version="2.36").status_code == 404
