"""Options of the scheduler, under Nova's names (contract: config_options.json)."""

from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg

from openkeel.common.option_help import ignored, later
from openkeel.objects.enums import Architecture
from openkeel.scheduler.registry import ALL_WEIGHERS

ALL_FILTERS: Final = "nova.scheduler.filters.all_filters"
_FILTERS: Final = "the filters that read it"


def _multiplier(name: str, default: float, what: str, *, least: float | None = None) -> cfg.FloatOpt:
    return cfg.FloatOpt(
        name,
        default=default,
        min=least,
        help=f"How much a host's {what} counts when hosts are ordered. 0 to leave it out, negative to turn "
        "it round. Metadata of this name in a host aggregate counts instead for its hosts.",
    )


SCHEDULER: Final[tuple[cfg.Opt, ...]] = (
    cfg.IntOpt(
        "max_attempts",
        default=3,
        min=1,
        help="On how many hosts a build is tried in all before the server goes to ERROR. Each but the first "
        "comes from the alternates that were chosen with the first.",
    ),
    cfg.IntOpt(
        "discover_hosts_in_cells_interval",
        default=-1,
        min=-1,
        help="Seconds between two looks for compute hosts that are mapped to no cell yet. Only one scheduler "
        "looks. 0 means every minute, -1 never.",
    ),
    cfg.IntOpt(
        "max_placement_results",
        default=1000,
        min=1,
        help="The most candidates that are taken from Placement for one request.",
    ),
    cfg.IntOpt(
        "workers",
        min=0,
        help="Number of worker processes; the number of processors when not set.",
    ),
    cfg.BoolOpt(
        "query_placement_for_routed_network_aggregates",
        default=False,
        help=later(
            "routed networks",
            "Look only at hosts that reach a segment with free addresses of the networks asked for.",
        ),
    ),
    cfg.BoolOpt(
        "limit_tenants_to_placement_aggregate",
        default=False,
        help="Put the servers of a project only on hosts of aggregates whose metadata names the project "
        "under a key that starts with filter_tenant_id, if there are any.",
    ),
    cfg.BoolOpt(
        "placement_aggregate_required_for_tenants",
        default=False,
        help="Refuse projects that no aggregate names. Works with limit_tenants_to_placement_aggregate.",
    ),
    cfg.BoolOpt(
        "query_placement_for_image_type_support",
        default=False,
        help="Look only at hosts that can boot the disk format of the image.",
    ),
    cfg.BoolOpt(
        "enable_isolated_aggregate_filtering",
        default=False,
        help="Keep hosts of aggregates with metadata trait:NAME=required for servers that require all "
        "those traits by flavor or image.",
    ),
    cfg.BoolOpt(
        "image_metadata_prefilter",
        default=False,
        help="Look only at hosts that have the devices which the properties of the image ask for.",
    ),
)

FILTER_SCHEDULER: Final[tuple[cfg.Opt, ...]] = (
    # How to choose
    cfg.IntOpt(
        "host_subset_size",
        default=1,
        min=1,
        help="Choose by chance among this many of the best hosts. More than 1 keeps several schedulers "
        "from running to the same host.",
    ),
    cfg.BoolOpt(
        "shuffle_best_same_weighed_hosts",
        default=False,
        help="Put the best hosts in random order when several weigh the same.",
    ),
    cfg.BoolOpt(
        "track_instance_changes",
        default=True,
        help="Computes tell the schedulers which servers they have, which spares questions to the "
        "databases about server groups. Set it alike for computes and schedulers.",
    ),
    # Filters
    cfg.MultiStrOpt(
        "available_filters",
        default=[ALL_FILTERS],
        help=ignored("Classes from which enabled_filters may choose.", "filters are known by name"),
    ),
    cfg.ListOpt(
        "enabled_filters",
        default=[
            "ComputeFilter",
            "ComputeCapabilitiesFilter",
            "ImagePropertiesFilter",
            "ServerGroupAntiAffinityFilter",
            "ServerGroupAffinityFilter",
        ],
        help="Filters every host must pass, in this order. Put first what refuses most.",
    ),
    cfg.StrOpt(
        "image_properties_default_architecture",
        choices=[str(one) for one in Architecture],
        help="The processor architecture of images that do not say theirs.",
    ),
    cfg.IntOpt(
        "max_io_ops_per_host",
        default=8,
        min=0,
        help=later(
            _FILTERS,
            "The most servers that may be building or moving on a host, for filters that count them.",
        ),
    ),
    cfg.IntOpt(
        "max_instances_per_host",
        default=50,
        min=1,
        help=later(_FILTERS, "The most servers a host may have, for filters that count them."),
    ),
    cfg.ListOpt(
        "isolated_images", default=[], help=later(_FILTERS, "Ids of images that only isolated hosts may run.")
    ),
    cfg.ListOpt("isolated_hosts", default=[], help=later(_FILTERS, "Hosts for isolated images.")),
    cfg.BoolOpt(
        "restrict_isolated_hosts_to_isolated_images",
        default=True,
        help=later(_FILTERS, "Keep isolated hosts free of all other images."),
    ),
    cfg.StrOpt(
        "aggregate_image_properties_isolation_namespace",
        deprecated_for_removal=True,
        deprecated_since="33.0.0",
        deprecated_reason="Traits and isolated aggregates do it in Placement.",
        help=later(_FILTERS, "Prefix of aggregate metadata that is compared with image properties."),
    ),
    cfg.StrOpt(
        "aggregate_image_properties_isolation_separator",
        default=".",
        deprecated_for_removal=True,
        deprecated_since="33.0.0",
        deprecated_reason="Traits and isolated aggregates do it in Placement.",
        help=later(_FILTERS, "What stands between that prefix and the name of the property."),
    ),
    cfg.BoolOpt(
        "pci_in_placement",
        default=False,
        help=later("PCI devices", "Let Placement account for PCI devices that flavors ask for."),
    ),
    # Weighers
    cfg.ListOpt(
        "weight_classes",
        default=[ALL_WEIGHERS],
        help="Weighers that order the hosts: all, or single ones by class path.",
    ),
    _multiplier("ram_weight_multiplier", 1.0, "free memory"),
    _multiplier("cpu_weight_multiplier", 1.0, "number of free processors"),
    _multiplier("disk_weight_multiplier", 1.0, "free local disk"),
    _multiplier("hypervisor_version_weight_multiplier", 1.0, "hypervisor version"),
    _multiplier("num_instances_weight_multiplier", 0.0, "number of servers"),
    _multiplier("io_ops_weight_multiplier", -1.0, "number of servers being built or moved"),
    _multiplier("image_props_weight_multiplier", 0.0, "servers with equal image properties"),
    cfg.ListOpt(
        "image_props_weight_setting",
        default=[],
        help="Weights of single image properties as name=weight; all count 1 when empty.",
    ),
    _multiplier("pci_weight_multiplier", 1.0, "fit of its PCI devices", least=0.0),
    _multiplier("soft_affinity_weight_multiplier", 1.0, "members of the soft-affinity group", least=0.0),
    _multiplier(
        "soft_anti_affinity_weight_multiplier",
        1.0,
        "lack of members of the soft-anti-affinity group",
        least=0.0,
    ),
    _multiplier("build_failure_weight_multiplier", 1_000_000.0, "freedom from failed builds"),
    _multiplier("cross_cell_move_weight_multiplier", 1_000_000.0, "being in the cell a move starts from"),
)

METRICS: Final[tuple[cfg.Opt, ...]] = (
    cfg.FloatOpt(
        "weight_multiplier",
        default=1.0,
        help="How much the metrics of a host count in all when hosts are ordered.",
    ),
    cfg.ListOpt("weight_setting", default=[], help="The metrics that count, as name=ratio."),
    cfg.BoolOpt(
        "required",
        default=True,
        help="Fail requests when a host lacks one of these metrics. When not, it weighs "
        "weight_of_unavailable.",
    ),
    cfg.FloatOpt(
        "weight_of_unavailable",
        default=-10000.0,
        help="The weight of a host that lacks a metric.",
    ),
)

GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    "scheduler": SCHEDULER,
    "filter_scheduler": FILTER_SCHEDULER,
    "metrics": METRICS,
}
