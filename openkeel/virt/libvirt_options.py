"""Options of Nova's libvirt driver, which a `nova.conf` may have: accepted and ignored.

What they mean is in Nova's configuration reference. No daemon registers them.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg
from oslo_config.types import String

from openkeel.common.option_help import not_ours

GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    "libvirt": not_ours(
        "libvirt driver",
        (
            # The hypervisor and its guests
            cfg.StrOpt("connection_uri", default=""),
            cfg.StrOpt("cpu_mode", choices=("host-model", "host-passthrough", "custom", "none")),
            cfg.ListOpt("cpu_model_extra_flags", default=[], item_type=String(ignore_case=True)),
            cfg.ListOpt("cpu_models", default=[], deprecated_name="cpu_model"),
            cfg.StrOpt("cpu_power_governor_high", default="performance"),
            cfg.StrOpt("cpu_power_governor_low", default="powersave"),
            cfg.BoolOpt("cpu_power_management", default=False),
            cfg.StrOpt(
                "cpu_power_management_strategy", choices=("cpu_state", "governor"), default="cpu_state"
            ),
            cfg.IntOpt("device_detach_attempts", default=8, min=1),
            cfg.IntOpt("device_detach_timeout", default=20, min=1),
            cfg.ListOpt("disk_cachemodes", default=[]),
            cfg.StrOpt("disk_prefix"),
            cfg.ListOpt("enabled_perf_events", default=[]),
            cfg.IntOpt("file_backed_memory", default=0, min=0),
            cfg.ListOpt("gid_maps", default=[]),
            cfg.StrOpt("hw_disk_discard", choices=("ignore", "unmap")),
            cfg.ListOpt("hw_machine_type"),
            cfg.BoolOpt("inject_key", default=False),
            cfg.IntOpt("inject_partition", default=-2, min=-2),
            cfg.BoolOpt("inject_password", default=False),
            cfg.IntOpt("max_queues", min=1),
            cfg.IntOpt("mem_stats_period_seconds", default=10),
            cfg.IntOpt("num_intel_tdx_guests", min=0),
            cfg.IntOpt("num_pcie_ports", default=0, min=0, max=28),
            cfg.ListOpt("pmem_namespaces", default=[]),
            cfg.IntOpt("realtime_scheduler_priority", default=1),
            cfg.StrOpt("rescue_image_id"),
            cfg.StrOpt("rescue_kernel_id"),
            cfg.StrOpt("rescue_ramdisk_id"),
            cfg.StrOpt("rng_dev_path", default="/dev/urandom"),
            cfg.IntOpt("rx_queue_size", choices=(256, 512, 1024)),
            cfg.ListOpt("supported_tpm_secret_security", default=["user", "host", "deployment"]),
            cfg.BoolOpt("swtpm_enabled", default=False),
            cfg.StrOpt("swtpm_group", default="tss"),
            cfg.StrOpt("swtpm_user", default="tss"),
            cfg.StrOpt(
                "sysinfo_serial", choices=("none", "os", "hardware", "auto", "unique"), default="unique"
            ),
            cfg.IntOpt("tb_cache_size", min=0),
            cfg.IntOpt("tx_queue_size", choices=(256, 512, 1024)),
            cfg.ListOpt("uid_maps", default=[]),
            cfg.BoolOpt("use_default_aio_mode_for_volumes", default=False),
            cfg.BoolOpt("use_virtio_for_bridges", default=True),
            cfg.StrOpt("virt_type", choices=("kvm", "lxc", "qemu", "parallels"), default="kvm"),
            cfg.IntOpt("wait_soft_reboot_seconds", default=120),
            # Live migration
            cfg.IntOpt("live_migration_bandwidth", default=0),
            cfg.IntOpt("live_migration_completion_timeout", default=800, min=0, mutable=True),
            cfg.IntOpt("live_migration_downtime", default=500, min=100),
            cfg.IntOpt("live_migration_downtime_delay", default=75, min=3),
            cfg.IntOpt("live_migration_downtime_steps", default=10, min=3),
            cfg.HostDomainOpt("live_migration_inbound_addr"),
            cfg.IntOpt("live_migration_monitor_interval", default=5),
            cfg.IntOpt("live_migration_parallel_connections", default=1),
            cfg.BoolOpt("live_migration_permit_auto_converge", default=False),
            cfg.BoolOpt("live_migration_permit_post_copy", default=False),
            cfg.StrOpt("live_migration_scheme"),
            cfg.StrOpt(
                "live_migration_timeout_action",
                choices=("abort", "force_complete"),
                default="abort",
                mutable=True,
            ),
            cfg.BoolOpt(
                "live_migration_tunnelled",
                default=False,
                deprecated_for_removal=True,
                deprecated_since="23.0.0",
            ),
            cfg.StrOpt("live_migration_uri", deprecated_for_removal=True, deprecated_since="15.0.0"),
            cfg.BoolOpt("live_migration_with_native_tls", default=False),
            cfg.StrOpt("migration_inbound_addr", default="$my_ip"),
            # Images and local disks
            cfg.IntOpt("images_address_space_limit", default=2),
            cfg.IntOpt("images_cpu_time_limit", default=30),
            cfg.StrOpt("images_rbd_ceph_conf", default=""),
            cfg.IntOpt("images_rbd_glance_copy_poll_interval", default=15),
            cfg.IntOpt("images_rbd_glance_copy_timeout", default=600),
            cfg.StrOpt("images_rbd_glance_store_name", default=""),
            cfg.StrOpt("images_rbd_pool", default="rbd"),
            cfg.StrOpt(
                "images_type",
                choices=("raw", "flat", "qcow2", "lvm", "rbd", "ploop", "default"),
                default="default",
            ),
            cfg.StrOpt("images_volume_group"),
            cfg.StrOpt("remote_filesystem_transport", choices=("ssh", "rsync"), default="ssh"),
            cfg.BoolOpt("snapshot_compression", default=False),
            cfg.StrOpt("snapshot_image_format", choices=("raw", "qcow2", "vmdk", "vdi")),
            cfg.StrOpt("snapshots_directory", default="$instances_path/snapshots"),
            cfg.BoolOpt(
                "sparse_logical_volumes",
                default=False,
                deprecated_for_removal=True,
                deprecated_since="18.0.0",
            ),
            cfg.StrOpt("volume_clear", choices=("zero", "shred", "none"), default="zero"),
            cfg.IntOpt("volume_clear_size", default=0, min=0),
            # Volumes
            cfg.ListOpt("ceph_mount_options"),
            cfg.StrOpt("ceph_mount_point_base", default="$state_path/mnt"),
            cfg.StrOpt("iscsi_iface", deprecated_name="iscsi_transport"),
            cfg.BoolOpt("iser_use_multipath", default=False),
            cfg.StrOpt("nfs_mount_options"),
            cfg.StrOpt("nfs_mount_point_base", default="$state_path/mnt"),
            cfg.IntOpt("num_aoe_discover_tries", default=3),
            cfg.IntOpt("num_iser_scan_tries", default=5),
            cfg.IntOpt("num_nvme_discover_tries", default=5),
            cfg.IntOpt("num_volume_scan_tries", default=5, deprecated_name="num_iscsi_scan_tries"),
            cfg.StrOpt("quobyte_client_cfg", deprecated_for_removal=True, deprecated_since="31.0.0"),
            cfg.StrOpt(
                "quobyte_mount_point_base",
                default="$state_path/mnt",
                deprecated_for_removal=True,
                deprecated_since="31.0.0",
            ),
            cfg.IntOpt("rbd_connect_timeout", default=5),
            cfg.IntOpt("rbd_destroy_volume_retries", default=12, min=0),
            cfg.IntOpt("rbd_destroy_volume_retry_interval", default=5, min=0),
            cfg.StrOpt("rbd_secret_uuid"),
            cfg.StrOpt("rbd_user"),
            cfg.StrOpt(
                "smbfs_mount_options", default="", deprecated_for_removal=True, deprecated_since="31.0.0"
            ),
            cfg.StrOpt(
                "smbfs_mount_point_base",
                default="$state_path/mnt",
                deprecated_for_removal=True,
                deprecated_since="31.0.0",
            ),
            cfg.BoolOpt("volume_enforce_multipath", default=False),
            cfg.BoolOpt("volume_use_multipath", default=False, deprecated_name="iscsi_use_multipath"),
            cfg.StrOpt("vzstorage_cache_path"),
            cfg.StrOpt("vzstorage_log_path", default="/var/log/vstorage/%(cluster_name)s/nova.log.gz"),
            cfg.StrOpt("vzstorage_mount_group", default="qemu"),
            cfg.ListOpt("vzstorage_mount_opts", default=[]),
            cfg.StrOpt("vzstorage_mount_perms", default="0770"),
            cfg.StrOpt(
                "vzstorage_mount_point_base",
                default="$state_path/mnt",
                deprecated_for_removal=True,
                deprecated_since="31.0.0",
            ),
            cfg.StrOpt(
                "vzstorage_mount_user",
                default="stack",
                deprecated_for_removal=True,
                deprecated_since="31.0.0",
            ),
        ),
    ),
}
