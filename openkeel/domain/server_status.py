"""What clients see of a server's state: one word made of vm_state and task_state.

Contract: status_map and server_view_constants of states.json.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from openkeel.domain.states import TaskState, VMState

UNKNOWN: Final = "UNKNOWN"
DELETED: Final = "DELETED"

_REBUILD: Final[dict[str, str]] = dict.fromkeys(
    (TaskState.REBUILDING, TaskState.REBUILD_BLOCK_DEVICE_MAPPING, TaskState.REBUILD_SPAWNING), "REBUILD"
)
_RESIZE: Final[dict[str, str]] = dict.fromkeys(
    (
        TaskState.RESIZE_PREP,
        TaskState.RESIZE_MIGRATING,
        TaskState.RESIZE_MIGRATED,
        TaskState.RESIZE_FINISH,
    ),
    "RESIZE",
)

# vm_state -> (status at rest, status by task where it differs)
_STATUS: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    VMState.ACTIVE: (
        "ACTIVE",
        {
            TaskState.REBOOTING: "REBOOT",
            TaskState.REBOOT_PENDING: "REBOOT",
            TaskState.REBOOT_STARTED: "REBOOT",
            TaskState.REBOOTING_HARD: "HARD_REBOOT",
            TaskState.REBOOT_PENDING_HARD: "HARD_REBOOT",
            TaskState.REBOOT_STARTED_HARD: "HARD_REBOOT",
            TaskState.UPDATING_PASSWORD: "PASSWORD",
            TaskState.MIGRATING: "MIGRATING",
            **_REBUILD,
            **_RESIZE,
        },
    ),
    VMState.BUILDING: ("BUILD", {}),
    VMState.DELETED: (DELETED, {}),
    VMState.ERROR: ("ERROR", _REBUILD),
    VMState.PAUSED: ("PAUSED", {TaskState.MIGRATING: "MIGRATING"}),
    VMState.RESCUED: ("RESCUE", {}),
    VMState.RESIZED: ("VERIFY_RESIZE", {TaskState.RESIZE_REVERTING: "REVERT_RESIZE"}),
    VMState.SHELVED: ("SHELVED", {}),
    VMState.SHELVED_OFFLOADED: ("SHELVED_OFFLOADED", {}),
    VMState.SOFT_DELETED: ("SOFT_DELETED", {}),
    VMState.STOPPED: ("SHUTOFF", {**_REBUILD, **_RESIZE}),
    VMState.SUSPENDED: ("SUSPENDED", {}),
}

WITH_FAULT: Final = frozenset({"ERROR", DELETED})
WITH_PROGRESS: Final = frozenset({"ACTIVE", "BUILD", "REBUILD", "RESIZE", "VERIFY_RESIZE", "MIGRATING"})


def status_of(vm_state: str | None, task_state: str | None) -> str:
    """The status of a server; UNKNOWN for a state of another release."""
    at_rest, by_task = _STATUS.get(vm_state or "", (UNKNOWN, {}))
    return by_task.get(task_state or "", at_rest)


@dataclass(frozen=True, slots=True)
class States:
    """Which servers some statuses stand for. `task` None: whatever the task is."""

    vm: frozenset[str]
    task: frozenset[str] | None


def states_of(statuses: Iterable[str]) -> States:
    """The states behind statuses as clients filter by them; no vm_state at all for unknown words.

    Contract: a status at rest matches its vm_state in any task, so ACTIVE finds a rebooting server.
    """
    wanted = {status.upper() for status in statuses}
    vm: set[str] = set()
    task: set[str] = set()
    in_any_task = False
    for state, (at_rest, by_task) in _STATUS.items():
        tasks = {name for name, status in by_task.items() if status in wanted}
        if at_rest in wanted:
            in_any_task = True
        elif not tasks:
            continue
        vm.add(str(state))
        task.update(map(str, tasks))
    return States(frozenset(vm), None if in_any_task else frozenset(task))
