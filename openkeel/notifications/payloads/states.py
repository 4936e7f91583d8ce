"""States as payloads spell them.

Contract: the order and the names of these enums enter the fingerprints of payloads.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from openkeel.domain.states import TaskState, VMState


def _ordered(name: str, states: Sequence[StrEnum]) -> type[StrEnum]:
    members = [(state.name, state.value) for state in states]
    return StrEnum(name, members)  # type: ignore[return-value]


InstanceState: Final = _ordered(
    "InstanceState",
    (
        VMState.ACTIVE,
        VMState.BUILDING,
        VMState.PAUSED,
        VMState.SUSPENDED,
        VMState.STOPPED,
        VMState.RESCUED,
        VMState.RESIZED,
        VMState.SOFT_DELETED,
        VMState.DELETED,
        VMState.ERROR,
        VMState.SHELVED,
        VMState.SHELVED_OFFLOADED,
    ),
)

InstanceTaskState: Final = _ordered(
    "InstanceTaskState",
    (
        # Creating
        TaskState.SCHEDULING,
        TaskState.BLOCK_DEVICE_MAPPING,
        TaskState.NETWORKING,
        TaskState.SPAWNING,
        # Images
        TaskState.IMAGE_SNAPSHOT,
        TaskState.IMAGE_SNAPSHOT_PENDING,
        TaskState.IMAGE_PENDING_UPLOAD,
        TaskState.IMAGE_UPLOADING,
        TaskState.IMAGE_BACKUP,
        TaskState.UPDATING_PASSWORD,
        # Resizing
        TaskState.RESIZE_PREP,
        TaskState.RESIZE_MIGRATING,
        TaskState.RESIZE_MIGRATED,
        TaskState.RESIZE_FINISH,
        TaskState.RESIZE_REVERTING,
        TaskState.RESIZE_CONFIRMING,
        # Power
        TaskState.REBOOTING,
        TaskState.REBOOT_PENDING,
        TaskState.REBOOT_STARTED,
        TaskState.REBOOTING_HARD,
        TaskState.REBOOT_PENDING_HARD,
        TaskState.REBOOT_STARTED_HARD,
        TaskState.PAUSING,
        TaskState.UNPAUSING,
        TaskState.SUSPENDING,
        TaskState.RESUMING,
        TaskState.POWERING_OFF,
        TaskState.POWERING_ON,
        # Rescue, rebuild, moves
        TaskState.RESCUING,
        TaskState.UNRESCUING,
        TaskState.REBUILDING,
        TaskState.REBUILD_BLOCK_DEVICE_MAPPING,
        TaskState.REBUILD_SPAWNING,
        TaskState.MIGRATING,
        # Ends, and not quite
        TaskState.DELETING,
        TaskState.SOFT_DELETING,
        TaskState.RESTORING,
        TaskState.SHELVING,
        TaskState.SHELVING_IMAGE_PENDING_UPLOAD,
        TaskState.SHELVING_IMAGE_UPLOADING,
        TaskState.SHELVING_OFFLOADING,
        TaskState.UNSHELVING,
    ),
)
