"""Start, stop, reboot, console output: guards, moves, casts, the action log."""

import pytest

from tests.fixtures.server_world import DOWN, NO_UUID

START, STOP = {"os-start": None}, {"os-stop": None}
SOFT, HARD = {"reboot": {"type": "SOFT"}}, {"reboot": {"type": "Hard"}}
CONSOLE = {"os-getConsoleOutput": {}}
FORCE = {"forceDelete": None}


def actions(world, uuid):
    return [action.action for action in world.cells.for_instance(uuid).actions.list(uuid)]


def message(answer):
    (fault,) = answer.json.values()
    return fault["message"]


def test_a_server_is_stopped_and_started(world):
    uuid = world.boot()
    assert world.act(uuid, STOP).status_code == 202
    assert world.show(uuid)["status"] == "SHUTOFF"
    assert world.act(uuid, START).status_code == 202
    assert world.show(uuid)["status"] == "ACTIVE"
    assert actions(world, uuid) == ["start", "stop", "create"]


@pytest.mark.parametrize(("body", "told"), [(SOFT, "reboot SOFT"), (HARD, "reboot HARD")])
def test_a_server_is_rebooted(world, body, told):
    uuid = world.boot()
    assert world.act(uuid, body).status_code == 202
    assert world.compute.told == [told]
    assert actions(world, uuid)[0] == "reboot"


def test_a_server_shows_what_is_being_done_to_it(world):
    uuid = world.boot()
    world.compute.is_deaf = True
    world.act(uuid, SOFT)
    server = world.show(uuid)
    assert (server["status"], server["OS-EXT-STS:task_state"]) == ("REBOOT", "rebooting")
    refused = world.act(uuid, STOP)
    assert refused.status_code == 409
    assert message(refused) == f"Cannot 'stop' instance {uuid} while it is in task_state rebooting"
    assert world.act(uuid, HARD).status_code == 202
    assert world.show(uuid)["status"] == "HARD_REBOOT"


def test_a_refusal_says_in_which_state_the_server_is(world):
    uuid = world.boot()
    refused = world.act(uuid, START)
    assert refused.status_code == 409
    assert refused.json["conflictingRequest"]["message"] == (
        f"Cannot 'start' instance {uuid} while it is in vm_state active"
    )


@pytest.mark.parametrize(
    ("state", "allowed"),
    [
        ("active", (STOP, SOFT, HARD)),
        ("stopped", (START, HARD)),
        ("error", (STOP, HARD)),
        ("paused", (HARD,)),
        ("suspended", (HARD,)),
        ("rescued", ()),
        ("resized", ()),
        ("shelved", ()),
        ("soft-delete", ()),
        ("building", ()),
    ],
)
def test_what_may_be_done_in_which_state(world, state, allowed):
    uuid = world.boot()
    for body in (START, STOP, SOFT, HARD):
        world.set(uuid, vm_state=state, task_state=None)
        assert world.act(uuid, body).status_code == (202 if body in allowed else 409), (state, body)


def test_a_server_that_never_ran_cannot_be_started(world):
    uuid = world.boot()
    world.set(uuid, vm_state="stopped", launched_at=None)
    assert world.act(uuid, START).status_code == 409


@pytest.mark.parametrize("body", [START, STOP, SOFT, HARD, CONSOLE])
def test_a_server_without_a_host_takes_no_orders(world, body):
    world.conductor.waits = True
    uuid = world.boot()
    assert world.act(uuid, body).status_code == 409
    world.conductor.waits, world.no_valid_host = False, True
    assert world.act(world.boot(), body).status_code == 409


@pytest.mark.parametrize("body", [START, STOP, SOFT, HARD, FORCE])
def test_a_lock_stops_its_owner_and_not_an_administrator(world, body):
    uuid = world.boot()
    world.set(uuid, locked=True, locked_by="owner", vm_state="stopped" if body is START else "active")
    refused = world.act(uuid, body)
    assert refused.status_code == 409
    assert message(refused) == f"Instance {uuid} is locked"
    assert world.act(uuid, body, who=world.admin).status_code == 202


def test_a_host_that_cannot_be_reached_leaves_the_server_as_it_was(world):
    uuid = world.boot()
    world.compute.broker = DOWN
    assert world.act(uuid, STOP).status_code == 503
    server = world.show(uuid)
    assert (server["status"], server["OS-EXT-STS:task_state"]) == ("ACTIVE", None)


# Console output


@pytest.mark.parametrize(
    ("length", "output"),
    [
        (None, "line one\nline two\n"),
        (1, "line two\n"),
        ("1", "line two\n"),
        (0, ""),
        (-1, "line one\nline two\n"),
    ],
)
def test_the_console_is_read(world, length, output):
    uuid = world.boot()
    answer = world.act(uuid, {"os-getConsoleOutput": {"length": length}})
    assert answer.status_code == 200
    assert answer.json == {"output": output}


@pytest.mark.parametrize("wrong", [{"length": -2}, {"length": "x"}, {"length": 1.5}, {"zzz": 1}, None, []])
def test_a_wrong_console_request_is_400(world, wrong):
    uuid = world.boot()
    assert world.act(uuid, {"os-getConsoleOutput": wrong}).status_code == 400


def test_a_console_that_no_driver_offers_is_501(world, monkeypatch):
    from openkeel.domain.errors import Unsupported

    uuid = world.boot()

    def refuse(ctx, **arguments):
        raise Unsupported

    monkeypatch.setattr(world.compute, "get_console_output", refuse)
    assert world.act(uuid, CONSOLE).status_code == 501


# Who may, and the order of refusals


@pytest.mark.parametrize("body", [START, STOP, SOFT, HARD, CONSOLE, FORCE])
@pytest.mark.parametrize("version", ["2.1", "2.104"])
def test_readers_are_refused_and_strangers_see_nothing(world, body, version):
    uuid = world.boot()
    assert world.act(uuid, body, who=world.reader, version=version).status_code == 403
    assert world.act(uuid, body, who=world.other, version=version).status_code == 404
    assert world.act(NO_UUID, body, version=version).status_code == 404
    assert world.act("nosuch", body, version=version).status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"nosuch": None},
        {"os-start": None, "os-stop": None},
        {"reboot": None},
        {"reboot": {}},
        {"reboot": {"type": "nosuch"}},
        {"reboot": {"type": "SOFT", "zzz": 1}},
        [],
        "x",
        None,
    ],
)
def test_a_body_that_is_no_action_is_400_even_for_strangers(world, body):
    for who in (world.member, world.reader, world.other):
        assert world.act(NO_UUID, "null" if body is None else body, who=who).status_code == 400


def test_legacy_v2_takes_actions_too(world):
    uuid = world.boot()
    assert world.member("POST", f"/v2/servers/{uuid}/action", STOP).status_code == 202
    assert world.show(uuid)["status"] == "SHUTOFF"
