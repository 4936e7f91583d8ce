import json
import os
from pathlib import Path

import pytest

from openkeel.domain.host_ids import host_id
from openkeel.domain.server_status import UNKNOWN, WITH_FAULT, WITH_PROGRESS, states_of, status_of
from openkeel.domain.states import TaskState, VMState

SHARED = Path(os.environ.get("OPENKEEL_SHARED") or Path(__file__).resolve().parents[4] / "shared")
STATES = SHARED / "contracts" / "states.json"
needs_contract = pytest.mark.skipif(not STATES.exists(), reason="needs the contract files (OPENKEEL_SHARED)")


@needs_contract
def test_every_state_has_the_status_of_the_contract():
    contract = json.loads(STATES.read_text())
    at_rest = {
        row["vm_state"]: row["status"] for row in contract["status_map"] if row["task_state"] == "default"
    }
    by_task = {(row["vm_state"], row["task_state"]): row["status"] for row in contract["status_map"]}
    for vm_state in VMState:
        for task_state in (None, *TaskState):
            expected = by_task.get((vm_state, task_state), at_rest[vm_state])
            assert status_of(vm_state, task_state) == expected, (vm_state, task_state)
    constants = contract["server_view_constants"]
    assert set(constants["fault_statuses"]) == WITH_FAULT
    assert set(constants["progress_statuses"]) == WITH_PROGRESS


def test_a_state_nobody_knows_is_unknown():
    assert status_of("nosuch", None) == UNKNOWN
    assert status_of(None, None) == UNKNOWN


def test_filtering_by_its_status_finds_a_server():
    for vm_state in VMState:
        for task_state in (None, *TaskState):
            states = states_of([status_of(vm_state, task_state)])
            assert vm_state in states.vm
            assert states.task is None or task_state in states.task


def test_a_status_at_rest_finds_servers_in_any_task():
    assert states_of(["active"]).task is None
    assert states_of(["REBOOT"]).vm == {"active"}
    assert "rebooting" in states_of(["REBOOT"]).task
    assert states_of(["nosuch"]).vm == frozenset()
    assert states_of(["REBOOT", "SHUTOFF"]).task is None


def test_the_host_has_another_name_in_every_project():
    assert host_id("a", "node-1") == host_id("a", "node-1")
    assert host_id("a", "node-1") != host_id("b", "node-1")
    assert host_id("a", None) == ""
