"""Options of disks: how they are made, images kept on the host, encryption, volumes."""

from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg

from openkeel.common.option_help import ignored, later

_CLUSTER: Final = "the storage of the cluster makes and keeps disks, not a folder of the host"
_GUEST_FILES: Final = "guests get their settings by config drive, never written into their disks"
_CDI: Final = "the cluster's importer reads images and converts them"
_PRECACHE: Final = "the removal of unused images"
_ENCRYPTION: Final = "encrypted local disks"

GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    "DEFAULT": (
        # Local disks
        cfg.StrOpt(
            "instances_path",
            default="$state_path/instances",
            sample_default="$state_path/instances",
            help=ignored("Directory of the disks of guests.", _CLUSTER),
        ),
        cfg.BoolOpt(
            "use_cow_images",
            default=True,
            help=ignored("Make disks as overlays of one shared copy of their image.", _CLUSTER),
        ),
        cfg.BoolOpt(
            "force_raw_images",
            default=True,
            help=ignored("Convert images to raw before guests use them.", _CLUSTER),
        ),
        cfg.StrOpt(
            "preallocate_images",
            choices=("none", "space"),
            default="none",
            help=ignored("Whether all the space of a disk is reserved when it is made.", _CLUSTER),
        ),
        cfg.MultiStrOpt(
            "virt_mkfs",
            default=[],
            help=ignored(
                "Commands that format ephemeral disks, each as os_type=command; os_type is a property of the "
                "image.",
                _CLUSTER,
            ),
        ),
        cfg.StrOpt(
            "default_ephemeral_format",
            help=ignored("File system of ephemeral disks that ask for none.", _CLUSTER),
        ),
        cfg.BoolOpt(
            "resize_fs_using_block_device",
            default=False,
            help=ignored("Whether the host mounts a disk that grew, to let its file system grow.", _CLUSTER),
        ),
        cfg.IntOpt(
            "timeout_nbd",
            default=10,
            min=0,
            help=ignored("Seconds to wait for a network block device of the host to appear.", _CLUSTER),
        ),
        # Settings of the guest
        cfg.StrOpt(
            "config_drive_format",
            choices=("iso9660", "vfat"),
            default="iso9660",
            deprecated_for_removal=True,
            deprecated_since="19.0.0",
            deprecated_reason="Guests read iso9660.",
            help=ignored("File system of config drives.", "it is iso9660"),
        ),
        cfg.StrOpt(
            "mkisofs_cmd",
            default="genisoimage",
            help=ignored("Program that makes config drives.", "the cluster makes them"),
        ),
        cfg.BoolOpt(
            "flat_injected",
            default=False,
            help=ignored("Write the network settings into the disk of a guest.", _GUEST_FILES),
        ),
        cfg.StrOpt(
            "injected_network_template",
            default="$pybasedir/nova/virt/interfaces.template",
            help=ignored("Path of the template for network settings of guests.", _GUEST_FILES),
        ),
        # Images and volumes
        cfg.IntOpt(
            "max_concurrent_snapshots",
            default=5,
            min=0,
            help=later("snapshots", "How many snapshots a host makes at the same time. 0 for no limit."),
        ),
        cfg.IntOpt(
            "reimage_timeout_per_gb",
            default=20,
            min=1,
            help=later(
                "rebuild of servers on volumes",
                "Seconds for each GiB that Cinder may take to write a new image onto a volume.",
            ),
        ),
        cfg.IntOpt(
            "block_device_allocate_retries",
            default=60,
            min=0,
            help=later(
                "volumes",
                "How often a build looks whether a volume made for it is ready before it fails. 0 to look "
                "once.",
            ),
        ),
        cfg.IntOpt(
            "block_device_allocate_retries_interval",
            default=3,
            min=0,
            help=later("volumes", "Seconds between two of those looks."),
        ),
        cfg.IntOpt(
            "volume_usage_poll_interval",
            default=0,
            help=later(
                "volumes",
                "Seconds between two readings of what guests read from and wrote to their volumes, which are "
                "sent as notifications. 0 for never.",
            ),
        ),
    ),
    "compute": (
        cfg.IntOpt(
            "max_concurrent_disk_ops",
            default=0,
            min=0,
            help=ignored(
                "How many disks a host copies or converts at the same time; 0 for no limit.", _CLUSTER
            ),
        ),
        cfg.IntOpt(
            "max_disk_devices_to_attach",
            default=-1,
            min=-1,
            help=later(
                "volumes",
                "The most disks a guest may have, local ones and volumes together; -1 for no limit. Must not "
                "be below what running guests have.",
            ),
        ),
        cfg.ListOpt(
            "image_type_exclude_list",
            default=[],
            help="Disk formats of images that the host is not said to support although its driver does. They "
            "keep it from being chosen only with [scheduler] query_placement_for_image_type_support.",
        ),
        cfg.ListOpt(
            "vmdk_allowed_types",
            default=["streamOptimized", "monolithicSparse"],
            help=ignored("Kinds of VMDK images that may be used; none when empty.", _CDI),
        ),
    ),
    "image_cache": (
        cfg.IntOpt(
            "manager_interval",
            default=2400,
            min=-1,
            deprecated_name="image_cache_manager_interval",
            deprecated_group="DEFAULT",
            help=later(
                _PRECACHE,
                "Seconds between two looks for copies of images that no guest needs. 0 for the usual pace, "
                "-1 for never.",
            ),
        ),
        cfg.StrOpt(
            "subdirectory_name",
            default="_base",
            deprecated_name="image_cache_subdirectory_name",
            deprecated_group="DEFAULT",
            help=ignored("Name of the directory of images below instances_path.", _CLUSTER),
        ),
        cfg.BoolOpt(
            "remove_unused_base_images",
            default=True,
            deprecated_group="DEFAULT",
            help=later(_PRECACHE, "Whether copies of images that no guest needs are removed."),
        ),
        cfg.IntOpt(
            "remove_unused_original_minimum_age_seconds",
            default=86400,
            deprecated_group="DEFAULT",
            help=later(_PRECACHE, "Seconds that a copy of an image is kept at least."),
        ),
        cfg.IntOpt(
            "remove_unused_resized_minimum_age_seconds",
            default=3600,
            deprecated_group="libvirt",
            help=ignored("Seconds that a resized copy of an image is kept at least.", _CLUSTER),
        ),
        cfg.IntOpt(
            "precache_concurrency",
            default=1,
            min=1,
            help="How many hosts fetch images at the same time when an aggregate is told to cache them.",
        ),
    ),
    "ephemeral_storage_encryption": (
        cfg.BoolOpt(
            "enabled",
            default=False,
            help=later(_ENCRYPTION, "Encrypt the local disks of guests that do not say otherwise."),
        ),
        cfg.StrOpt(
            "default_format",
            choices=("luks",),
            default="luks",
            help=later(_ENCRYPTION, "Format of encrypted disks."),
        ),
        cfg.StrOpt(
            "cipher",
            default="aes-xts-plain64",
            help=later(_ENCRYPTION, "Cipher and mode of encrypted disks."),
        ),
        cfg.IntOpt(
            "key_size",
            default=512,
            min=1,
            help=later(_ENCRYPTION, "Bits of the key of an encrypted disk."),
        ),
    ),
    "key_manager": (
        cfg.StrOpt(
            "fixed_key",
            deprecated_group="keymgr",
            secret=True,
            help=later(
                "encryption without Barbican", "The one key, in hexadecimal, of all that is encrypted."
            ),
        ),
    ),
    "workarounds": (
        cfg.BoolOpt(
            "reserve_disk_resource_for_image_cache",
            default=False,
            help=ignored("Keep the space of the copies of images from guests.", _CLUSTER),
        ),
        cfg.BoolOpt(
            "disable_deep_image_inspection",
            default=False,
            help=ignored("Do not look into images for contents that do harm.", _CDI),
        ),
    ),
}
