"""Names of states as clients, peers and databases know them (contract: states.json)."""

from enum import IntEnum, StrEnum


class VMState(StrEnum):
    """What the server is, seen by its owner."""

    ACTIVE = "active"
    BUILDING = "building"
    DELETED = "deleted"
    ERROR = "error"
    PAUSED = "paused"
    RESCUED = "rescued"
    RESIZED = "resized"
    SHELVED = "shelved"
    SHELVED_OFFLOADED = "shelved_offloaded"
    SOFT_DELETED = "soft-delete"
    STOPPED = "stopped"
    SUSPENDED = "suspended"


class TaskState(StrEnum):
    """What is being done to the server right now; None at rest."""

    BLOCK_DEVICE_MAPPING = "block_device_mapping"
    DELETING = "deleting"
    IMAGE_BACKUP = "image_backup"
    IMAGE_PENDING_UPLOAD = "image_pending_upload"
    IMAGE_SNAPSHOT = "image_snapshot"
    IMAGE_SNAPSHOT_PENDING = "image_snapshot_pending"
    IMAGE_UPLOADING = "image_uploading"
    MIGRATING = "migrating"
    NETWORKING = "networking"
    PAUSING = "pausing"
    POWERING_OFF = "powering-off"
    POWERING_ON = "powering-on"
    REBOOTING = "rebooting"
    REBOOTING_HARD = "rebooting_hard"
    REBOOT_PENDING = "reboot_pending"
    REBOOT_PENDING_HARD = "reboot_pending_hard"
    REBOOT_STARTED = "reboot_started"
    REBOOT_STARTED_HARD = "reboot_started_hard"
    REBUILDING = "rebuilding"
    REBUILD_BLOCK_DEVICE_MAPPING = "rebuild_block_device_mapping"
    REBUILD_SPAWNING = "rebuild_spawning"
    RESCUING = "rescuing"
    RESIZE_CONFIRMING = "resize_confirming"
    RESIZE_FINISH = "resize_finish"
    RESIZE_MIGRATED = "resize_migrated"
    RESIZE_MIGRATING = "resize_migrating"
    RESIZE_PREP = "resize_prep"
    RESIZE_REVERTING = "resize_reverting"
    RESTORING = "restoring"
    RESUMING = "resuming"
    SCHEDULING = "scheduling"
    SHELVING = "shelving"
    SHELVING_IMAGE_PENDING_UPLOAD = "shelving_image_pending_upload"
    SHELVING_IMAGE_UPLOADING = "shelving_image_uploading"
    SHELVING_OFFLOADING = "shelving_offloading"
    SOFT_DELETING = "soft-deleting"
    SPAWNING = "spawning"
    SUSPENDING = "suspending"
    UNPAUSING = "unpausing"
    UNRESCUING = "unrescuing"
    UNSHELVING = "unshelving"
    UPDATING_PASSWORD = "updating_password"


class PowerState(IntEnum):
    """What the guest's machine does, as the driver reports it. Named `pending` to clients: NOSTATE."""

    NOSTATE = 0
    RUNNING = 1
    PAUSED = 3
    SHUTDOWN = 4
    CRASHED = 6
    SUSPENDED = 7
