"""Locks and states set by hand. Golden: recordings actions-admin-state, actions-bad-bodies."""

import pytest

from tests.fixtures.server_world import NO_UUID

LOCK, UNLOCK = {"lock": None}, {"unlock": None}
STOP = {"os-stop": None}


def reset(state):
    return {"os-resetState": {"state": state}}


def actions(world, uuid):
    return [action.action for action in world.cells.for_instance(uuid).actions.list(uuid)]


def test_a_locked_server_is_changed_by_administrators_only(world):
    uuid = world.boot()
    assert world.act(uuid, LOCK).status_code == 202
    assert world.show(uuid)["locked"] is True
    assert world.act(uuid, STOP).status_code == 409
    assert world.act(uuid, UNLOCK).status_code == 202
    assert world.show(uuid)["locked"] is False
    assert world.act(uuid, STOP).status_code == 202
    assert actions(world, uuid) == ["stop", "unlock", "lock", "create"]


def test_the_reason_of_a_lock_is_shown_until_it_ends(world):
    uuid = world.boot()
    world.act(uuid, {"lock": {"locked_reason": "keep"}}, version="2.73")
    assert world.show(uuid)["locked_reason"] == "keep"
    world.act(uuid, {"lock": {"locked_reason": "other"}}, version="2.73")
    assert world.show(uuid)["locked_reason"] == "keep"
    world.act(uuid, UNLOCK)
    assert world.show(uuid)["locked_reason"] is None
    assert "locked_reason" not in world.show(uuid, version="2.72")


def test_a_lock_has_no_reason_before_there_are_reasons(world):
    uuid = world.boot()
    assert world.act(uuid, {"lock": {"locked_reason": "keep"}}, version="2.72").status_code == 202
    assert (world.show(uuid)["locked"], world.show(uuid)["locked_reason"]) == (True, None)


def test_who_did_not_lock_does_not_unlock(world):
    uuid = world.boot()
    assert world.act(uuid, LOCK, who=world.admin_elsewhere).status_code == 202
    assert world.instance(uuid).locked_by == "admin"
    assert world.act(uuid, UNLOCK).status_code == 403
    assert world.act(uuid, UNLOCK, who=world.admin_elsewhere).status_code == 202
    assert world.instance(uuid).locked_by is None
    world.act(uuid, LOCK)
    assert world.act(uuid, UNLOCK, who=world.admin_elsewhere).status_code == 202


@pytest.mark.parametrize(
    ("version", "body", "status"),
    [
        ("2.72", {"lock": "anything"}, 202),
        ("2.73", {"lock": "anything"}, 400),
        ("2.73", {"lock": {}}, 202),
        ("2.73", {"lock": {"locked_reason": ""}}, 400),
        ("2.73", {"lock": {"locked_reason": "r" * 255}}, 202),
        ("2.73", {"lock": {"locked_reason": "r" * 256}}, 400),
        ("2.73", {"lock": {"zzz": 1}}, 400),
        ("2.73", {"unlock": {"zzz": 1}}, 202),
        ("2.104", reset("active"), 403),
        ("2.104", reset("ERROR"), 400),
        ("2.104", reset("stopped"), 400),
        ("2.104", {"os-resetState": {}}, 400),
        ("2.104", {"os-resetState": {"state": "error", "zzz": 1}}, 400),
    ],
)
def test_bodies(world, version, body, status):
    assert world.act(world.boot(), body, version=version).status_code == status


def test_an_administrator_sets_the_state(world):
    uuid = world.boot()
    world.set(uuid, task_state="rebooting")
    assert world.act(uuid, reset("error"), who=world.admin).status_code == 202
    server = world.show(uuid)
    assert (server["status"], server["OS-EXT-STS:task_state"]) == ("ERROR", None)
    assert world.act(uuid, reset("active"), who=world.admin).status_code == 202
    assert world.show(uuid)["status"] == "ACTIVE"
    newest, *_ = world.cells.for_instance(uuid).actions.list(uuid)
    assert (newest.action, newest.finish_time is None) == ("resetState", False)


@pytest.mark.parametrize("body", [LOCK, UNLOCK, reset("error")])
def test_who_may(world, body):
    uuid = world.boot()
    assert world.act(uuid, body, who=world.reader).status_code == 403
    assert world.act(uuid, body, who=world.other).status_code == 404
    assert world.act(NO_UUID, body, who=world.admin).status_code == 404


def test_a_server_that_is_not_built_yet_is_not_locked(world):
    world.conductor.waits = True
    assert world.act(world.boot(), LOCK).status_code == 409


def test_a_reason_that_no_database_keeps_is_refused(world):
    uuid = world.boot()
    body = {"lock": {"locked_reason": "\N{PILE OF POO}"}}
    answer = world.member("POST", f"/v2.1/servers/{uuid}/action", body, version="2.104")
    assert answer.status_code == 400
