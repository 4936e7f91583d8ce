"""The proxies to volumes and their snapshots.

Golden: recordings volume-proxies, proxies-bad-bodies, proxies-odd-queries, proxies-who-may; what a volume
with attachments looks like and how lists are cut was asked of a Nova.
"""

import pytest

from openkeel.clients import errors
from tests.fixtures.server_world import NO_UUID

VOLUMES, SNAPSHOTS = "/os-volumes", "/os-snapshots"
CREATED = "2026-01-01T00:00:00.000000"


@pytest.fixture
def ask(world):
    def ask(method, path, body=None, who=None, version="2.35", **more):
        return (who or world.member)(method, f"/v2.1{path}", body, version=version, **more)

    return ask


@pytest.fixture
def cinder(world):
    return world.cinder.server


@pytest.fixture
def volume(ask, cinder):
    """A volume of the project."""
    body = {"volume": {"size": 1, "display_name": "n", "display_description": "d", "metadata": {"a": "b"}}}
    volume = ask("POST", VOLUMES, body).json["volume"]
    cinder.settle()
    return volume["id"]


@pytest.fixture
def snapshot(ask, cinder, volume):
    """A snapshot of it."""
    snapshot = ask("POST", SNAPSHOTS, {"snapshot": {"volume_id": volume, "display_name": "s"}}).json[
        "snapshot"
    ]
    cinder.settle()
    return snapshot["id"]


def test_a_volume_is_made_and_shown(ask, cinder):
    body = {"volume": {"size": "2", "display_name": "n", "metadata": {"a": "b"}}}
    made = ask("POST", VOLUMES, body)
    assert made.status_code == 200
    volume_id = made.json["volume"]["id"]
    assert made.headers["Location"].endswith(f"/v2.1/os-volumes/{volume_id}")
    expected = {
        "id": volume_id,
        "status": "creating",
        "size": 2,
        "availabilityZone": "nova",
        "createdAt": CREATED,
        "attachments": [{}],
        "displayName": "n",
        "displayDescription": None,
        "volumeType": "lvm",
        "snapshotId": None,
        "metadata": {"a": "b"},
    }
    assert made.json == {"volume": expected}
    cinder.settle()
    assert ask("GET", f"{VOLUMES}/{volume_id}").json == {"volume": {**expected, "status": "available"}}


def test_the_brief_list_of_volumes_is_as_long_as_the_detailed_one(ask, volume):
    shown = ask("GET", f"{VOLUMES}/{volume}").json["volume"]
    for path in (VOLUMES, f"{VOLUMES}/detail"):
        assert ask("GET", path).json == {"volumes": [shown]}


def test_one_attachment_of_a_volume_is_shown(ask, cinder, volume):
    cinder.attach(volume, NO_UUID, "/dev/vdb")
    cinder.attach(volume, "88888888-8888-4888-8888-888888888888", "/dev/vdc")
    shown = ask("GET", f"{VOLUMES}/{volume}").json["volume"]
    assert shown["status"] == "in-use"
    assert shown["attachments"] == [
        {"id": volume, "volumeId": volume, "serverId": NO_UUID, "device": "/dev/vdb"}
    ]


def test_an_attachment_without_a_device_says_nothing_of_it(ask, cinder, volume):
    cinder.attach(volume, NO_UUID)
    (attachment,) = ask("GET", f"{VOLUMES}/{volume}").json["volume"]["attachments"]
    assert attachment == {"id": volume, "volumeId": volume, "serverId": NO_UUID}


def test_lists_are_cut_by_offset_and_limit(ask, cinder):
    for _ in range(4):
        ask("POST", VOLUMES, {"volume": {"size": 1}})
    everything = [one["id"] for one in ask("GET", VOLUMES).json["volumes"]]
    cut = {
        "limit=2": everything[:2],
        "offset=3": everything[3:],
        "limit=2&offset=1": everything[1:3],
        "limit=1&limit=3": everything[:3],
        "offset=9": [],
        "limit=0": everything,
        "nosuch=1": everything,
        f"marker={NO_UUID}": everything,
    }
    for query, expected in cut.items():
        for path in (VOLUMES, f"{VOLUMES}/detail"):
            found = ask("GET", path, query_string=query).json["volumes"]
            assert [one["id"] for one in found] == expected, query


@pytest.mark.parametrize("path", [VOLUMES, f"{VOLUMES}/detail", SNAPSHOTS, f"{SNAPSHOTS}/detail"])
@pytest.mark.parametrize("query", ["limit=-1", "limit=abc", "limit=", "offset=x", "offset=-1"])
def test_nonsense_in_a_query_is_refused(ask, path, query):
    assert ask("GET", path, query_string=query).status_code == 400


def test_pages_of_cinder_are_put_together(ask, cinder):
    cinder._page = 2
    made = [ask("POST", VOLUMES, {"volume": {"size": 1}}).json["volume"]["id"] for _ in range(5)]
    assert [one["id"] for one in ask("GET", VOLUMES).json["volumes"]] == made[::-1]


def test_a_snapshot_is_made_and_shown(ask, cinder, volume):
    made = ask("POST", SNAPSHOTS, {"snapshot": {"volume_id": volume, "display_name": "s"}})
    assert made.status_code == 200
    assert "Location" not in made.headers
    shown = made.json["snapshot"]
    assert shown == {
        "id": shown["id"],
        "volumeId": volume,
        "status": "creating",
        "size": 1,
        "createdAt": shown["createdAt"],
        "displayName": "s",
        "displayDescription": None,
    }
    cinder.settle()
    shown["status"] = "available"
    assert ask("GET", f"{SNAPSHOTS}/{shown['id']}").json == {"snapshot": shown}
    for path in (SNAPSHOTS, f"{SNAPSHOTS}/detail"):
        assert ask("GET", path).json == {"snapshots": [shown]}


def test_a_volume_that_is_used_is_snapshot_only_by_force(ask, cinder, volume):
    cinder.attach(volume, NO_UUID)
    wanted = {"volume_id": volume}
    assert ask("POST", SNAPSHOTS, {"snapshot": {**wanted, "force": "no"}}).status_code == 400
    assert ask("POST", SNAPSHOTS, {"snapshot": {**wanted, "force": "True"}}).status_code == 200


def test_a_volume_of_a_snapshot(ask, snapshot):
    body = {"volume": {"size": 2, "snapshot_id": snapshot}}
    assert ask("POST", VOLUMES, body).json["volume"]["snapshotId"] == snapshot


def test_a_volume_is_deleted_after_its_snapshots(ask, cinder, volume, snapshot):
    assert ask("DELETE", f"{VOLUMES}/{volume}").status_code == 400
    gone = ask("DELETE", f"{SNAPSHOTS}/{snapshot}")
    assert (gone.status_code, gone.text) == (202, "")
    cinder.settle()
    gone = ask("DELETE", f"{VOLUMES}/{volume}")
    assert (gone.status_code, gone.text) == (202, "")
    cinder.settle()
    for path in (f"{VOLUMES}/{volume}", f"{SNAPSHOTS}/{snapshot}"):
        assert ask("GET", path).status_code == 404
        assert ask("DELETE", path).status_code == 404


@pytest.mark.parametrize("wrong", [NO_UUID, "abc", "..", "%20", "a%2Fb"])
@pytest.mark.parametrize("path", [VOLUMES, SNAPSHOTS])
def test_what_is_not_there_is_not_found(ask, path, wrong):
    assert ask("GET", f"{path}/{wrong}").status_code == 404
    assert ask("DELETE", f"{path}/{wrong}").status_code == 404


def test_what_belongs_to_another_project_is_not_there(world, ask, volume, snapshot):
    for path in (f"{VOLUMES}/{volume}", f"{SNAPSHOTS}/{snapshot}"):
        assert ask("GET", path, who=world.other).status_code == 404
        assert ask("DELETE", path, who=world.other).status_code == 404
        assert ask("GET", path, who=world.reader).status_code == 200
        assert ask("DELETE", path, who=world.reader).status_code == 403
    assert ask("GET", VOLUMES, who=world.other).json == {"volumes": []}
    wanted = {"snapshot": {"volume_id": volume}}
    assert ask("POST", SNAPSHOTS, wanted, who=world.other).status_code == 404
    assert ask("POST", SNAPSHOTS, wanted, who=world.reader).status_code == 403


@pytest.mark.parametrize(
    ("wanted", "status"),
    [
        ({}, 400),
        ({"size": "x"}, 400),
        ({"size": 0}, 400),
        ({"size": None}, 400),
        ({"size": 2**31}, 400),
        ({"size": 1, "zzz": 1}, 400),
        ({"size": 1, "imageRef": NO_UUID}, 400),
        ({"size": 1, "availability_zone": "nosuch"}, 400),
        ({"size": 1, "metadata": {"a": "x" * 256}}, 400),
        ({"size": 1, "snapshot_id": NO_UUID}, 404),
        ({"size": 1, "snapshot_id": "abc"}, 404),
        ({"size": 1, "volume_type": "nosuch"}, 404),
    ],
)
def test_a_volume_that_cannot_be_is_refused(ask, cinder, wanted, status):
    assert ask("POST", VOLUMES, {"volume": wanted}).status_code == status
    assert cinder.volumes() == []


@pytest.mark.parametrize("body", [{}, [], "x", None, {"volume": None}, {"volume": {"size": 1}, "more": 1}])
def test_a_body_that_is_none_is_refused(ask, body):
    assert ask("POST", VOLUMES, body).status_code == 400
    assert ask("POST", SNAPSHOTS, body).status_code == 400


@pytest.mark.parametrize("wrong", [None, [], {}, 5, "", "x" * 300, NO_UUID])
def test_a_snapshot_of_nothing_is_refused(ask, wrong):
    expected = 404 if isinstance(wrong, str) else 400
    assert ask("POST", SNAPSHOTS, {"snapshot": {"volume_id": wrong}}).status_code == expected


def test_a_quota_of_cinder_forbids(ask, cinder, volume):
    cinder.limits = {"volumes": 1, "snapshots": 0}
    for path, body in ((VOLUMES, {"volume": {"size": 1}}), (SNAPSHOTS, {"snapshot": {"volume_id": volume}})):
        answer = ask("POST", path, body)
        assert answer.status_code == 403
        assert "limit" in answer.json["forbidden"]["message"]


def test_without_cinder_nothing_is_available(ask, cinder):
    gone = errors.Unavailable(service="Cinder", status=None, code="", detail="it cannot be reached")
    cinder.faults.fail("GET volumes", gone)
    assert ask("GET", VOLUMES).status_code == 503


@pytest.mark.parametrize("path", [VOLUMES, SNAPSHOTS])
def test_the_proxies_end(ask, path, volume):
    for method, where in (("GET", path), ("GET", f"{path}/detail"), ("GET", f"{path}/{volume}")):
        assert ask(method, where, version="2.36").status_code == 404
    assert ask("POST", path, {}, version="2.36").status_code == 404
    assert ask("DELETE", f"{path}/{volume}", version="2.36").status_code == 404
