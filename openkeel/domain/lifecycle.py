"""The one table of what may happen to a server in which state, and where it leads.

A row feeds the refusal texts of the API, the compare-and-swap of the stores (`move`), the reverting
of task states after a failure, the recovery of a restarted compute daemon, the picture in the docs,
and the parametrised tests. Contract: `api_state_checks` and `instance_actions` of states.json.

Rows stand here only for actions that work end to end; a later capability adds its own.
"""

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final

from openkeel.domain.states import TaskState, VMState


class Action(StrEnum):
    """Keys of the table. `Rule.name` is what the server's action log calls it."""

    CREATE = "create"
    DELETE = "delete"
    FORCE_DELETE = "force_delete"
    START = "start"
    STOP = "stop"
    REBOOT_SOFT = "reboot_soft"
    REBOOT_HARD = "reboot_hard"
    UPDATE_METADATA = "update_metadata"


class Keep(Enum):
    """Leave the vm_state as it was."""

    VM = "keep"


KEEP_VM: Final = Keep.VM


class Recover(StrEnum):
    """What a restarted compute daemon does with a server it finds in the middle of the action."""

    RETRY = "retry"  # do it again: every step is idempotent
    CLEAR = "clear"  # forget the task, keep the vm_state
    ERROR = "error"  # vm_state error with a fault
    FINISH_DELETE = "finish_delete"  # deletes are never undone
    NOTHING = "nothing"  # not an action of the compute


class Step(StrEnum):
    """The moments at which a server moves along a rule."""

    BEGIN = "begin"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Rule:
    """One row. `vm` and `task` are the states it may start from; None means any."""

    name: str
    vm: frozenset[VMState] | None
    task: frozenset[TaskState | None] | None
    launched: bool
    begin: TaskState | None
    done: tuple[VMState | Keep, TaskState | None]
    failed: tuple[VMState | Keep, TaskState | None]
    recover: Recover
    respects_lock: bool = True
    between: tuple[TaskState, ...] = ()

    def allows(self, vm_state: str | None, task_state: str | None) -> bool:
        """Whether the action may begin in these states."""
        return (self.vm is None or vm_state in self.vm) and (self.task is None or task_state in self.task)

    def running(self) -> frozenset[str]:
        """Task states that say this action is under way."""
        return frozenset(state for state in (self.begin, *self.between) if state is not None)

    def expects(self, step: Step) -> tuple[frozenset[VMState] | None, frozenset[TaskState | None] | None]:
        """The vm and task states in which the step may be taken; None means any."""
        if step is Step.BEGIN:
            return self.vm, self.task
        running = frozenset(state for state in (self.begin, *self.between) if state is not None)
        return None, running or None

    def leads_to(self, step: Step) -> tuple[VMState | Keep, TaskState | None]:
        """The vm and task state after the step."""
        if step is Step.BEGIN:
            return KEEP_VM, self.begin
        return self.done if step is Step.DONE else self.failed


def _vm(*states: VMState) -> frozenset[VMState]:
    return frozenset(states)


_NO_TASK: Final = frozenset({None})

LIFECYCLE: Final[dict[Action, Rule]] = {
    # A create begins with no row at all: the API records it in state (building, scheduling).
    Action.CREATE: Rule(
        "create",
        vm=_vm(VMState.BUILDING),
        task=None,
        launched=False,
        begin=TaskState.SCHEDULING,
        between=(TaskState.NETWORKING, TaskState.BLOCK_DEVICE_MAPPING, TaskState.SPAWNING),
        done=(VMState.ACTIVE, None),
        failed=(VMState.ERROR, None),
        recover=Recover.ERROR,
    ),
    Action.DELETE: Rule(
        "delete",
        vm=None,
        task=None,
        launched=False,
        begin=TaskState.DELETING,
        done=(VMState.DELETED, None),
        failed=(VMState.ERROR, None),
        recover=Recover.FINISH_DELETE,
    ),
    Action.FORCE_DELETE: Rule(
        "delete",
        vm=None,
        task=None,
        launched=False,
        begin=TaskState.DELETING,
        done=(VMState.DELETED, None),
        failed=(VMState.ERROR, None),
        recover=Recover.FINISH_DELETE,
    ),
    Action.START: Rule(
        "start",
        vm=_vm(VMState.STOPPED),
        task=_NO_TASK,
        launched=True,
        begin=TaskState.POWERING_ON,
        done=(VMState.ACTIVE, None),
        failed=(KEEP_VM, None),
        recover=Recover.RETRY,
    ),
    Action.STOP: Rule(
        "stop",
        vm=_vm(VMState.ACTIVE, VMState.ERROR),
        task=_NO_TASK,
        launched=True,
        begin=TaskState.POWERING_OFF,
        done=(VMState.STOPPED, None),
        failed=(KEEP_VM, None),
        recover=Recover.RETRY,
    ),
    Action.REBOOT_SOFT: Rule(
        "reboot",
        vm=_vm(VMState.ACTIVE),
        task=_NO_TASK,
        launched=True,
        begin=TaskState.REBOOTING,
        between=(TaskState.REBOOT_PENDING, TaskState.REBOOT_STARTED),
        done=(VMState.ACTIVE, None),
        failed=(KEEP_VM, None),
        recover=Recover.RETRY,
    ),
    Action.REBOOT_HARD: Rule(
        "reboot",
        vm=_vm(VMState.ACTIVE, VMState.ERROR, VMState.PAUSED, VMState.STOPPED, VMState.SUSPENDED),
        task=frozenset(
            {
                None,
                TaskState.PAUSING,
                TaskState.REBOOT_PENDING,
                TaskState.REBOOT_STARTED,
                TaskState.REBOOTING,
                TaskState.REBOOTING_HARD,
                TaskState.RESUMING,
                TaskState.SUSPENDING,
                TaskState.UNPAUSING,
            }
        ),
        launched=True,
        begin=TaskState.REBOOTING_HARD,
        between=(TaskState.REBOOT_PENDING_HARD, TaskState.REBOOT_STARTED_HARD),
        done=(VMState.ACTIVE, None),
        failed=(KEEP_VM, None),
        recover=Recover.RETRY,
    ),
    # No task of its own: only the states in which the owner may write metadata.
    Action.UPDATE_METADATA: Rule(
        "update_metadata",
        vm=_vm(VMState.ACTIVE, VMState.PAUSED, VMState.SUSPENDED, VMState.STOPPED),
        task=None,
        launched=True,
        begin=None,
        done=(KEEP_VM, None),
        failed=(KEEP_VM, None),
        recover=Recover.NOTHING,
    ),
}


def rule_under_way(task_state: str | None) -> Rule | None:
    """The rule whose action this task state belongs to, if one of ours."""
    if task_state is None:
        return None
    for rule in LIFECYCLE.values():
        if task_state in rule.running():
            return rule
    return None
