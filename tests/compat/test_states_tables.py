"""Names and tables of states, actions, moves and events against the contract."""

import pytest

from openkeel.api.resources import server_external_events as events
from openkeel.api.resources.server_actions import admin_state
from openkeel.db.stores import migration_reads, migrations
from openkeel.domain.lifecycle import LIFECYCLE, Action
from openkeel.domain.server_status import UNKNOWN, WITH_FAULT, WITH_PROGRESS, states_of, status_of
from openkeel.domain.states import PowerState, TaskState, VMState
from openkeel.objects import enums
from openkeel.objects.enums import POWER_STATE_NAMES
from openkeel.services import external_events as service
from tests.fixtures.contract import facts


def test_power_states_have_novas_numbers_and_names():
    theirs = {row["number"]: row["name"] for row in facts("states", "power_states")}
    assert {int(state) for state in PowerState} == set(theirs)
    assert {number: POWER_STATE_NAMES[number] for number in theirs} == theirs
    names = {state.name.lower() if state else "pending" for state in PowerState}
    assert names == set(theirs.values())


def test_every_pair_of_states_is_called_as_nova_calls_it():
    rows = {(row["vm_state"], row["task_state"]): row["status"] for row in facts("states", "status_map")}
    assert {vm for vm, _ in rows} == {str(state) for state in VMState}
    for vm_state in VMState:
        for task_state in (None, *TaskState):
            wanted = rows.get((vm_state, task_state), rows[vm_state, "default"])
            assert status_of(vm_state, task_state) == wanted, (vm_state, task_state)
    assert status_of("from-the-future", None) == UNKNOWN


def test_every_status_finds_the_states_that_it_is_called_by():
    for row in facts("states", "status_map"):
        found = states_of([row["status"]])
        assert row["vm_state"] in found.vm
        if row["task_state"] != "default" and found.task is not None:
            assert row["task_state"] in found.task


def test_faults_and_progress_are_shown_in_novas_statuses():
    shown = facts("states", "server_view_constants")
    assert set(shown["fault_statuses"]) == WITH_FAULT
    assert set(shown["progress_statuses"]) == WITH_PROGRESS


@pytest.mark.parametrize(
    ("name", "action", "part"),
    [
        ("ALLOW_SOFT_REBOOT", Action.REBOOT_SOFT, "vm"),
        ("ALLOW_HARD_REBOOT", Action.REBOOT_HARD, "vm"),
        ("ALLOW_REBOOT", Action.REBOOT_HARD, "task"),
    ],
)
def test_named_sets_of_states_are_novas(name, action, part):
    [row] = [row for row in facts("states", "named_state_sets") if row["name"] == name]
    assert getattr(LIFECYCLE[action], part) == set(row["values"])


@pytest.mark.parametrize(
    ("name", "action"),
    [("soft_reboot_states", Action.REBOOT_SOFT), ("hard_reboot_states", Action.REBOOT_HARD)],
)
def test_reboots_go_through_novas_states(name, action):
    [row] = [row for row in facts("states", "named_state_sets") if row["name"] == name]
    assert LIFECYCLE[action].running() == set(row["values"])


def test_states_set_by_hand_are_novas():
    for row in facts("states", "reset_state_map"):
        assert admin_state._STATES[row["api_value"]] == row["vm_state"]
        assert row["task_state"] is None
    assert len(admin_state._STATES) == len(facts("states", "reset_state_map"))


def test_moves_are_of_novas_kinds_and_end_in_novas_statuses():
    assert [str(each) for each in enums.MigrationType] == [
        row["type"] for row in facts("states", "migration_types")
    ]
    known = {row["status"] for row in facts("states", "migration_statuses")}
    lists = facts("states", "migration_status_lists_in_queries")
    [over] = lists["migration_get_in_progress_by_host_and_node"]
    assert set(migrations._OVER) == set(over) <= known
    [over] = lists["migration_get_in_progress_and_error_by_host_and_node"]
    assert set(migrations._OVER) - {"error"} == set(over)
    [under_way] = lists["migration_get_in_progress_by_instance"]
    assert set(migration_reads.UNDER_WAY) == set(under_way)


def test_external_events_are_novas():
    named = {row["event"] for row in facts("states", "external_event_names")}
    assert {str(name) for name in enums.ExternalEventName} == named
    assert {name for name, _ in events._NAMES} == named
    statuses = {row["status"] for row in facts("states", "external_event_statuses")}
    assert {str(status) for status in enums.ExternalEventStatus} == statuses
    assert set(facts("states", "external_event_tag_required")) == service.NEED_A_TAG


def test_external_events_are_judged_as_by_nova():
    ours = {
        "accepted": service.ACCEPTED,
        "tag missing": service.NO_TAG,
        "server unknown": service.NO_SERVER,
        "server without host": service.NO_HOST,
    }
    rows = facts("states", "external_event_result_codes")
    assert ours == {row["case"]: row["event_code"] for row in rows}
    for row in rows:
        event = service.ExternalEvent("network-changed", "uuid")
        is_accepted = service.Verdict(event, row["event_code"]).is_accepted
        assert is_accepted == (row["event_status"] == "completed")
