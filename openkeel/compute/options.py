"""Options of the compute daemon (contract: config_options.json), and how they become settings."""

from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg

from openkeel.common.option_help import ignored, later
from openkeel.common.periodic import off_at_zero, spacing
from openkeel.compute.settings import Intervals, Ratios, Reserved, Settings
from openkeel.domain.audit_periods import AuditPeriod

GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    "DEFAULT": (
        # The host
        cfg.StrOpt(
            "compute_driver",
            help=ignored(
                "Class of the hypervisor driver.", "it is the one for KubeVirt, see the group [kubevirt]"
            ),
        ),
        cfg.ListOpt(
            "compute_monitors",
            default=[],
            help=later(
                "monitors",
                "Monitors of the host whose metrics schedulers may weigh, as cpu.virt_driver.",
            ),
        ),
        # Builds
        cfg.IntOpt(
            "max_concurrent_builds",
            default=10,
            min=0,
            help="How many servers a host builds at the same time; others wait for their turn. 0 for no "
            "limit.",
        ),
        cfg.IntOpt(
            "instance_build_timeout",
            default=0,
            min=0,
            help="Seconds after which a build that is not done counts as failed. 0 to wait for ever.",
        ),
        cfg.IntOpt(
            "vif_plugging_timeout",
            default=300,
            min=0,
            help="Seconds that a build waits for Neutron to say that the ports of the guest are plugged. 0 "
            "not to wait. What happens then is up to vif_plugging_is_fatal.",
        ),
        cfg.BoolOpt(
            "vif_plugging_is_fatal",
            default=True,
            help="Whether a build fails when its ports are not plugged in time (vif_plugging_timeout).",
        ),
        cfg.StrOpt(
            "instance_name_template",
            default="instance-%08x",
            help="How hypervisors call a server, made of its number or, with %(uuid)s, of its uuid. "
            "Must be the same on all hosts.",
        ),
        cfg.BoolOpt(
            "force_config_drive",
            default=False,
            help="Give every guest a config drive, whether its owner asked for one or not.",
        ),
        cfg.IntOpt(
            "network_allocate_retries",
            default=0,
            min=0,
            help="How often a build tries again to get its ports from Neutron, after pauses from 1 to 30 s, "
            "before it goes to another host.",
        ),
        cfg.StrOpt(
            "default_access_ip_network_name",
            help="Name of the network whose addresses become accessIPv4 and accessIPv6 of a new server whose "
            "owner gave neither.",
        ),
        # Power
        cfg.IntOpt(
            "shutdown_timeout",
            default=60,
            min=0,
            help="Seconds that a guest has for shutting itself down before it is turned off.",
        ),
        cfg.BoolOpt(
            "resume_guests_state_on_host_boot",
            default=False,
            help="Start guests at the start of the daemon that ran before the node was restarted.",
        ),
        cfg.IntOpt(
            "sync_power_state_interval",
            default=600,
            help="Seconds between two looks at the power of all guests. Negative for never.",
        ),
        cfg.IntOpt(
            "sync_power_state_pool_size",
            default=5,
            help="How many guests are looked at side by side.",
        ),
        cfg.IntOpt(
            "reboot_timeout",
            default=0,
            min=0,
            help=later(
                "watching reboots",
                "Seconds after which a guest that does not come back from a reboot is rebooted hard. 0 for "
                "never.",
            ),
        ),
        cfg.IntOpt(
            "rescue_timeout",
            default=0,
            min=0,
            help=later("rescue", "Seconds after which a rescued guest is unrescued. 0 for never."),
        ),
        # Resources
        cfg.FloatOpt(
            "cpu_allocation_ratio",
            min=0.0,
            help="How many virtual processors are handed out for each that the host has. Not set: what "
            "Placement has for the host, at first initial_cpu_allocation_ratio.",
        ),
        cfg.FloatOpt(
            "ram_allocation_ratio",
            min=0.0,
            help="How much memory is handed out for each MiB that the host has. Not set: what Placement has "
            "for the host, at first initial_ram_allocation_ratio.",
        ),
        cfg.FloatOpt(
            "disk_allocation_ratio",
            min=0.0,
            help="How much disk is handed out for each GiB that the host has. Not set: what Placement has "
            "for the host, at first initial_disk_allocation_ratio.",
        ),
        cfg.FloatOpt(
            "initial_cpu_allocation_ratio",
            default=4.0,
            min=0.0,
            help="The cpu_allocation_ratio of a host that Placement does not know yet.",
        ),
        cfg.FloatOpt(
            "initial_ram_allocation_ratio",
            default=1.0,
            min=0.0,
            help="The ram_allocation_ratio of a host that Placement does not know yet.",
        ),
        cfg.FloatOpt(
            "initial_disk_allocation_ratio",
            default=1.0,
            min=0.0,
            help="The disk_allocation_ratio of a host that Placement does not know yet.",
        ),
        cfg.IntOpt(
            "reserved_host_cpus",
            default=0,
            min=0,
            help="Processors kept from guests, besides those the platform needs.",
        ),
        cfg.IntOpt(
            "reserved_host_memory_mb",
            default=512,
            min=0,
            help="MiB of memory kept from guests, besides those the platform needs.",
        ),
        cfg.IntOpt(
            "reserved_host_disk_mb",
            default=0,
            min=0,
            help="MiB of disk kept from guests.",
        ),
        cfg.IntOpt(
            "update_resources_interval",
            default=0,
            help="Seconds between two reports of the host's resources; 0 for every 60 s, negative for never.",
        ),
        # Order in the house
        cfg.IntOpt(
            "instance_delete_interval",
            default=300,
            help="Seconds between two looks for what deleted servers left behind: guests and their volumes, "
            "disks and secrets. 0 for every 60 s, negative for never. See maximum_instance_delete_attempts.",
        ),
        cfg.IntOpt(
            "maximum_instance_delete_attempts",
            default=5,
            min=1,
            help="How often it is tried to remove what a deleted server left behind.",
        ),
        cfg.IntOpt(
            "heal_instance_info_cache_interval",
            default=-1,
            help="Seconds between two comparisons of a server's ports with Neutron, one server at a time. 0 "
            "for the usual pace, negative for never.",
        ),
        cfg.StrOpt(
            "running_deleted_instance_action",
            default="reap",
            choices=("reap", "log", "shutdown", "noop"),
            help="What to do with a guest whose server is deleted: remove it, only say so, turn it off, or "
            "not even look.",
        ),
        cfg.IntOpt(
            "running_deleted_instance_poll_interval",
            default=1800,
            help="Seconds between two looks for guests of deleted servers. Not above 0 for never.",
        ),
        cfg.IntOpt(
            "running_deleted_instance_timeout",
            default=0,
            help="Seconds that a server must have been deleted before its guest is taken care of.",
        ),
        cfg.IntOpt(
            "scheduler_instance_sync_interval",
            default=120,
            help="Seconds between two messages that tell the schedulers which servers are on the host. "
            "Negative for never.",
        ),
    ),
    "compute": (
        cfg.IntOpt(
            "consecutive_build_service_disable_threshold",
            default=10,
            help="Above 0, failed builds in a row are counted in the host's record, and schedulers prefer "
            "hosts with fewer. 0 not to count.",
        ),
        cfg.IntOpt(
            "shutdown_retry_interval",
            default=10,
            min=1,
            help=ignored(
                "Seconds after which a guest that does not shut down is asked again, within "
                "shutdown_timeout.",
                "the cluster asks it",
            ),
        ),
        cfg.IntOpt(
            "resource_provider_association_refresh",
            default=300,
            min=0,
            mutable=True,
            help=ignored(
                "Seconds for which the traits and aggregates of the host, as Placement has them, are kept. 0 "
                "for ever; SIGHUP empties it.",
                "they are never kept, but read with every update",
            ),
        ),
        cfg.IntOpt(
            "sharing_providers_max_uuids_per_request",
            default=200,
            min=1,
            help=later(
                "sharing providers",
                "Aggregates that one request to Placement for sharing providers may name.",
            ),
        ),
        cfg.IntOpt(
            "update_resources_max_workers",
            default=1,
            min=1,
            help=ignored("Nodes of a compute that are reported side by side.", "a compute serves one node"),
        ),
        cfg.StrOpt(
            "provider_config_location",
            default="/etc/nova/provider_config/",
            help=later(
                "provider files",
                "Directory of YAML files that add inventories and traits to the providers of the host.",
            ),
        ),
    ),
    "workarounds": (
        cfg.BoolOpt(
            "handle_virt_lifecycle_events",
            default=True,
            help="Look at a guest as soon as the hypervisor says that it changed, not only every "
            "sync_power_state_interval.",
        ),
        cfg.BoolOpt(
            "disable_group_policy_check_upcall",
            default=False,
            help="Do not let hosts ask the API database, before a build, whether they still keep the policy "
            "of its server group. For cells whose conductors cannot reach it.",
        ),
    ),
}


def settings_from(conf: cfg.ConfigOpts) -> Settings:
    """What the configuration says, with all options of OpenKeel registered."""
    return Settings(
        max_concurrent_builds=conf.max_concurrent_builds,
        state_path=conf.state_path,
        vif_plugging_timeout_s=conf.vif_plugging_timeout,
        vif_plugging_is_fatal=conf.vif_plugging_is_fatal,
        instance_name_template=conf.instance_name_template,
        force_config_drive=conf.force_config_drive,
        port_retries=conf.network_allocate_retries,
        access_network=conf.default_access_ip_network_name,
        delete_attempts=conf.maximum_instance_delete_attempts,
        hidden_image_formats=frozenset(conf.compute.image_type_exclude_list),
        shutdown_timeout_s=conf.shutdown_timeout,
        running_deleted_action=conf.running_deleted_instance_action,
        running_deleted_timeout_s=conf.running_deleted_instance_timeout,
        build_timeout_s=conf.instance_build_timeout,
        audit_period=(
            AuditPeriod.parse(conf.instance_usage_audit_period) if conf.instance_usage_audit else None
        ),
        resume_guests_on_start=conf.resume_guests_state_on_host_boot,
        handle_lifecycle_events=conf.workarounds.handle_virt_lifecycle_events,
        sync_power_state_pool=conf.sync_power_state_pool_size,
        counts_failed_builds=conf.compute.consecutive_build_service_disable_threshold > 0,
        checks_group_policy=not conf.workarounds.disable_group_policy_check_upcall,
        tracks_scheduler=conf.filter_scheduler.track_instance_changes,
        stop_timeout_s=float(conf.manager_shutdown_timeout),
        periodic_fuzz_s=float(conf.periodic_fuzzy_delay),
        periodic_enabled=conf.periodic_enable,
        ratios=Ratios(
            cpu=conf.cpu_allocation_ratio,
            memory=conf.ram_allocation_ratio,
            disk=conf.disk_allocation_ratio,
            initial_cpu=conf.initial_cpu_allocation_ratio,
            initial_memory=conf.initial_ram_allocation_ratio,
            initial_disk=conf.initial_disk_allocation_ratio,
        ),
        reserved=Reserved(
            cpus=conf.reserved_host_cpus,
            memory_mib=conf.reserved_host_memory_mb,
            disk_mib=conf.reserved_host_disk_mb,
        ),
        intervals=Intervals(
            update_resources_s=spacing(conf.update_resources_interval),
            sync_power_state_s=spacing(conf.sync_power_state_interval),
            scheduler_sync_s=spacing(conf.scheduler_instance_sync_interval),
            running_deleted_s=off_at_zero(conf.running_deleted_instance_poll_interval),
            delete_again_s=spacing(conf.instance_delete_interval),
            port_rounds_s=spacing(conf.heal_instance_info_cache_interval),
        ),
    )
