"""States as payloads spell them."""

from typing import Final

from openkeel.domain.states import PowerState, TaskState, VMState

VM_STATES: Final = tuple(VMState)
TASK_STATES: Final = tuple(TaskState)

# Compat: the numbers of the guest's power by name; those without a meaning have a name all the same.
POWER_STATES: Final = (
    "pending",
    "running",
    "_unused",
    "paused",
    "shutdown",
    "_unused",
    "crashed",
    "suspended",
)


def power_name(power: int | None) -> str | None:
    """The name of a guest's power state."""
    return None if power is None else POWER_STATES[PowerState(power)]
