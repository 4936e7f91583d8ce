"""POST /os-server-external-events: verdicts, versions, and who is told."""

import pytest

from tests.fixtures.server_world import DOWN, NO_UUID


def report(world, *events, who=None, version="2.104", body=None):
    body = {"events": list(events)} if body is None else body
    return (who or world.admin)("POST", "/v2.1/os-server-external-events", body, version=version)


def event(uuid, name="network-changed", **more):
    return {"name": name, "server_uuid": uuid, **more}


@pytest.fixture
def uuid(world):
    return world.boot()


@pytest.mark.parametrize(
    ("name", "tag", "since", "status", "code"),
    [
        ("network-changed", None, 1, 200, 200),
        ("network-vif-plugged", NO_UUID, 1, 200, 200),
        ("network-vif-plugged", None, 1, 200, 200),
        ("network-vif-unplugged", NO_UUID, 1, 200, 200),
        ("network-vif-deleted", NO_UUID, 1, 200, 200),
        ("volume-extended", NO_UUID, 51, 200, 200),
        ("volume-extended", None, 51, 207, 400),
        ("power-update", "POWER_ON", 76, 200, 200),
        ("accelerator-request-bound", NO_UUID, 82, 200, 200),
        ("accelerator-request-bound", None, 82, 207, 400),
        ("volume-reimaged", NO_UUID, 93, 200, 200),
    ],
)
def test_what_is_reported_since_when(world, uuid, name, tag, since, status, code):
    given = event(uuid, name) | ({"tag": tag} if tag else {})
    for minor in (since, 104):
        answer = report(world, given, version=f"2.{minor}")
        assert answer.status_code == status, answer.text
        verdict = "completed" if code == 200 else "failed"
        assert answer.json == {"events": [given | {"status": verdict, "code": code}]}
    if since > 1:
        assert report(world, given, version=f"2.{since - 1}").status_code == 400


def test_the_host_is_told_once_of_all_its_servers(world, uuid):
    other = world.boot()
    answer = report(world, event(uuid), event(other), event(uuid, "network-vif-plugged", tag=NO_UUID))
    assert answer.status_code == 200
    assert world.compute.events == [
        ("node-1", [uuid, other], ["network-changed", "network-changed", "network-vif-plugged"])
    ]


def test_every_event_gets_its_own_verdict(world, uuid):
    world.no_valid_host = True
    homeless = world.boot()
    world.conductor.waits = True
    waiting = world.boot()
    answer = report(world, event(uuid), event(NO_UUID), event(homeless), event(waiting))
    assert answer.status_code == 207
    assert [one["code"] for one in answer.json["events"]] == [200, 404, 422, 404]
    assert [one["status"] for one in answer.json["events"]] == ["completed", "failed", "failed", "failed"]
    assert world.compute.events == [("node-1", [uuid], ["network-changed"])]


def test_the_reported_status_goes_to_the_host_and_not_back(world, uuid):
    for status in ("failed", "in-progress", "completed"):
        answer = report(world, event(uuid, status=status))
        assert answer.json["events"][0]["status"] == "completed"


def test_a_broker_that_is_down_lets_the_reporter_try_again(world, uuid):
    world.compute.broker = DOWN
    assert report(world, event(uuid)).status_code == 503


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"events": []},
        {"events": {}},
        {"events": None},
        {"events": [{}]},
        {"events": [{"name": "junk", "server_uuid": NO_UUID}]},
        {"events": [{"name": "network-changed", "server_uuid": "abc"}]},
        {"events": [{"name": "network-changed", "server_uuid": NO_UUID, "status": "junk"}]},
        {"events": [{"name": "network-changed", "server_uuid": NO_UUID, "zzz": 1}]},
        {"events": [{"name": "network-changed", "server_uuid": NO_UUID, "tag": "t" * 256}]},
        {"events": [{"name": "network-changed", "server_uuid": NO_UUID}], "zzz": 1},
    ],
)
def test_a_wrong_report_is_400(world, body):
    assert report(world, body=body).status_code == 400


def test_services_and_administrators_report(world, uuid):
    for who, status in (
        (world.member, 403),
        (world.reader, 403),
        (world.other, 403),
        (world.service, 200),
        (world.admin, 200),
    ):
        for version in ("2.1", "2.104"):
            assert report(world, event(uuid), who=who, version=version).status_code == status
