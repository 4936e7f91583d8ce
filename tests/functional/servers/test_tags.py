"""Tags of servers. Golden: recording server-tags."""

import pytest

from tests.fixtures.server_world import NO_UUID

FIFTY = [f"t{number}" for number in range(50)]


@pytest.fixture
def tags(world):
    """Asks for the tags of a server: tags(method, "/name", body, who=, version=)."""
    uuid = world.boot()

    def ask(method, path="", body=None, who=None, version="2.104", server=uuid):
        return (who or world.member)(method, f"/v2.1/servers/{server}/tags{path}", body, version=version)

    ask.uuid = uuid
    return ask


def test_tags_come_and_go(tags):
    assert tags("GET").json == {"tags": []}
    assert tags("PUT", "/b").status_code == 201
    assert tags("PUT", "/a", version="2.26").headers["location"].endswith(f"/servers/{tags.uuid}/tags/a")
    assert tags("PUT", "/a").status_code == 204
    assert tags("GET").json == {"tags": ["a", "b"]}
    assert tags("GET", "/a").status_code == 204
    assert tags("GET", "/c").status_code == 404
    assert tags("DELETE", "/a").status_code == 204
    assert tags("DELETE", "/a").status_code == 404
    assert tags("PUT", body={"tags": ["x", "z", "y", "x"]}).json == {"tags": ["x", "y", "z"]}
    assert tags("DELETE").status_code == 204
    assert tags("GET").json == {"tags": []}


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_tags_begin_with_2_26(tags, method):
    body = {"tags": ["a"]} if method == "PUT" else None
    assert tags(method, "", body, version="2.25").status_code == 404
    assert tags(method, "/a", version="2.25").status_code == 404
    assert tags("PUT", "/a", version="2.26").status_code == 201
    assert tags(method, "", body, version="2.26").status_code < 300


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"tags": ["a,b"]}, 400),
        ({"tags": ["a/b"]}, 400),
        ({"tags": [""]}, 400),
        ({"tags": ["t" * 61]}, 400),
        ({"tags": ["t" * 60]}, 200),
        ({"tags": [*FIFTY, "one-more"]}, 400),
        ({"tags": FIFTY}, 200),
        ({"tags": [" ", "é"]}, 200),
        ({"tags": [1]}, 400),
        ({"tags": "x"}, 400),
        ({"tags": ["a"], "zzz": 1}, 400),
        ({}, 400),
    ],
)
def test_bodies(tags, body, status):
    assert tags("PUT", body=body).status_code == status


def test_one_tag_is_held_to_the_same_rules(tags):
    assert tags("PUT", "/a,b").status_code == 400
    assert tags("PUT", "/" + "t" * 61).status_code == 400
    assert tags("PUT", "/a", {"x": 1}).status_code == 400
    assert tags("PUT", "/a", "null").status_code == 201
    tags("PUT", body={"tags": FIFTY})
    assert tags("PUT", "/one-more").status_code == 400
    assert tags("PUT", "/t1").status_code == 400


@pytest.mark.parametrize("state", ["active", "paused", "suspended", "stopped", "error", "rescued", "shelved"])
def test_states_in_which_tags_change(world, tags, state):
    world.set(tags.uuid, vm_state=state)
    accepted = state in {"active", "paused", "suspended", "stopped"}
    for method, path, body in (
        ("PUT", "", {"tags": ["a"]}),
        ("PUT", "/a", None),
        ("DELETE", "/a", None),
        ("DELETE", "", None),
    ):
        assert (tags(method, path, body).status_code < 300) is accepted, (method, path)
    assert tags("GET").status_code == 200


def test_a_lock_does_not_hold_for_tags(world, tags):
    world.set(tags.uuid, locked=True)
    assert tags("PUT", "/a").status_code == 201


def test_a_server_that_is_not_built_yet_shows_its_tags(world, tags):
    world.conductor.waits = True
    waiting = world.boot(tags=["early"])
    assert tags("GET", server=waiting).json == {"tags": ["early"]}
    assert tags("PUT", "/late", server=waiting).status_code == 409


def test_who_may(world, tags):
    assert tags("GET", who=world.reader).status_code == 200
    for method, path, body in (("PUT", "/a", None), ("DELETE", "", None), ("PUT", "", {"tags": []})):
        assert tags(method, path, body, who=world.reader).status_code == 403
        assert tags(method, path, body, who=world.other).status_code == 403
        assert tags(method, path, body, server=NO_UUID).status_code == 404
    assert tags("GET", who=world.other).status_code == 403
    assert tags("GET", who=world.other, server=NO_UUID).status_code == 404


def test_lists_are_filtered_by_tags(world):
    both, first, _ = world.boot("both"), world.boot("first"), world.boot("none")
    for uuid, names in ((both, ["a", "b"]), (first, ["a"])):
        world.member("PUT", f"/v2.1/servers/{uuid}/tags", {"tags": names}, version="2.26")

    def names(query, version="2.26"):
        answer = world.member("GET", f"/v2.1/servers?{query}", version=version)
        return sorted(server["name"] for server in answer.json["servers"])

    assert names("tags=a,b") == ["both"]
    assert names("tags-any=a,b") == ["both", "first"]
    assert names("not-tags=a,b") == ["first", "none"]
    assert names("not-tags-any=a,b") == ["none"]
    assert names("tags=a,b", version="2.25") == ["both", "first", "none"]


def test_what_no_database_keeps_is_refused(tags):
    """Found by schemathesis: MySQL's tables are utf8mb3."""
    assert tags("PUT", "/\N{PILE OF POO}").status_code == 400
    assert tags("PUT", body={"tags": ["a", "\N{PILE OF POO}"]}).status_code == 400
    assert tags("GET").json == {"tags": []}
