"""The lifecycle table against the contract: from which states, under which locks, called what."""

import pytest

from openkeel.domain.lifecycle import LIFECYCLE, Action, Rule
from openkeel.domain.states import TaskState, VMState
from tests.fixtures.contract import facts

# The entries of Nova's API that check states and lock. A reboot's lock is checked before its kind is known.
CHECKED_AS = {
    Action.DELETE: ("delete", "delete"),
    Action.FORCE_DELETE: ("force_delete", "force_delete"),
    Action.START: ("start", "start"),
    Action.STOP: ("stop", "stop"),
    Action.REBOOT_SOFT: ("_soft_reboot", "reboot"),
    Action.REBOOT_HARD: ("_hard_reboot", "reboot"),
    Action.UPDATE_METADATA: ("update_instance_metadata", "update_instance_metadata"),
}
NEVER_BEGUN_BY_A_CALL = {Action.CREATE}
NOT_IN_THE_ACTION_LOG = {Action.UPDATE_METADATA}


def as_set(values):
    return None if values is None else frozenset(values)


@pytest.fixture
def checks():
    found = {}
    for row in facts("states", "api_state_checks"):
        found.setdefault(row["api_method"], {})[row["decorator"]] = row
    return found


def test_every_action_has_a_row_and_every_row_is_compared():
    assert set(LIFECYCLE) == set(Action)
    assert CHECKED_AS.keys() | NEVER_BEGUN_BY_A_CALL == set(Action)


@pytest.mark.parametrize("action", sorted(CHECKED_AS))
def test_an_action_may_begin_where_novas_may(checks, action):
    rule: Rule = LIFECYCLE[action]
    states, lock = CHECKED_AS[action]
    check = checks[states]["check_instance_state"]
    assert rule.vm == as_set(check["vm_state"])
    assert rule.task == as_set(check["task_state"])
    assert rule.launched == check["must_have_launched"]
    assert rule.respects_lock == ("check_instance_lock" in checks[lock])


@pytest.mark.parametrize("action", sorted(set(Action) - NOT_IN_THE_ACTION_LOG))
def test_the_action_log_calls_it_as_novas_does(action):
    assert LIFECYCLE[action].name in {row["action"] for row in facts("states", "instance_actions")}


@pytest.mark.parametrize(("ours", "section"), [(VMState, "vm_states"), (TaskState, "task_states")])
def test_states_are_novas(ours, section):
    assert {state.name: state.value for state in ours} == {
        row["name"]: row["value"] for row in facts("states", section)
    }
