"""Filters and weighers under the names that operators know from Nova."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from openkeel.scheduler.plugins import (
    build_failure,
    capacity,
    compute,
    compute_capabilities,
    cross_cell,
    hypervisor_version,
    image_properties,
    metrics,
    other_servers,
    server_groups,
)
from openkeel.scheduler.plugins.base import Filter, Weigher
from openkeel.scheduler.plugins.image_properties import parse_weights

# Name -> maker from the options groups ([filter_scheduler], [metrics]).
FILTERS: Final[Mapping[str, Callable[[Any], Filter]]] = {
    "ComputeFilter": lambda _options: compute.ComputeFilter(),
    "ComputeCapabilitiesFilter": lambda _options: compute_capabilities.ComputeCapabilitiesFilter(),
    "ImagePropertiesFilter": lambda options: image_properties.ImagePropertiesFilter(
        options.image_properties_default_architecture
    ),
    "ServerGroupAntiAffinityFilter": lambda _options: server_groups.ServerGroupAntiAffinityFilter(),
    "ServerGroupAffinityFilter": lambda _options: server_groups.ServerGroupAffinityFilter(),
    "SameHostFilter": lambda _options: other_servers.SameHostFilter(),
    "DifferentHostFilter": lambda _options: other_servers.DifferentHostFilter(),
}

WEIGHERS: Final[Mapping[str, Callable[[Any, Any], Weigher]]] = {
    "ServerGroupSoftAffinityWeigher": lambda options, _metrics: server_groups.ServerGroupSoftAffinityWeigher(
        options.soft_affinity_weight_multiplier
    ),
    "ServerGroupSoftAntiAffinityWeigher": lambda options, _metrics: (
        server_groups.ServerGroupSoftAntiAffinityWeigher(options.soft_anti_affinity_weight_multiplier)
    ),
    "BuildFailureWeigher": lambda options, _metrics: build_failure.BuildFailureWeigher(
        options.build_failure_weight_multiplier
    ),
    "CPUWeigher": lambda options, _metrics: capacity.CPUWeigher(options.cpu_weight_multiplier),
    "CrossCellWeigher": lambda options, _metrics: cross_cell.CrossCellWeigher(
        options.cross_cell_move_weight_multiplier
    ),
    "DiskWeigher": lambda options, _metrics: capacity.DiskWeigher(options.disk_weight_multiplier),
    "HypervisorVersionWeigher": lambda options, _metrics: hypervisor_version.HypervisorVersionWeigher(
        options.hypervisor_version_weight_multiplier
    ),
    "ImagePropertiesWeigher": lambda options, _metrics: image_properties.ImagePropertiesWeigher(
        options.image_props_weight_multiplier, parse_weights(options.image_props_weight_setting)
    ),
    "IoOpsWeigher": lambda options, _metrics: capacity.IoOpsWeigher(options.io_ops_weight_multiplier),
    "MetricsWeigher": lambda _options, monitors: metrics.MetricsWeigher(
        monitors.weight_multiplier,
        parse_weights(monitors.weight_setting),
        monitors.required,
        monitors.weight_of_unavailable,
    ),
    "NumInstancesWeigher": lambda options, _metrics: capacity.NumInstancesWeigher(
        options.num_instances_weight_multiplier
    ),
    "PCIWeigher": lambda options, _metrics: capacity.PCIWeigher(options.pci_weight_multiplier),
    "RAMWeigher": lambda options, _metrics: capacity.RAMWeigher(options.ram_weight_multiplier),
}

# Compat: the word that stands for all of Nova's own; single ones are named by their class path.
ALL_WEIGHERS: Final = "nova.scheduler.weights.all_weighers"


def make_filters(options: Any) -> tuple[Filter, ...]:
    """The enabled filters in their order. `options` are those of [filter_scheduler].

    Raises: ValueError when one is not known here.
    """
    names = options.enabled_filters
    _refuse_unknown("enabled_filters", names, FILTERS)
    return tuple(FILTERS[name](options) for name in names)


def make_weighers(options: Any, monitors: Any) -> tuple[Weigher, ...]:
    """The weighers; `monitors` are the options of [metrics]. Raises: ValueError as above."""
    names: list[str] = []
    for entry in options.weight_classes:
        names.extend(WEIGHERS if entry == ALL_WEIGHERS else [entry.rpartition(".")[2]])
    _refuse_unknown("weight_classes", names, WEIGHERS)
    return tuple(WEIGHERS[name](options, monitors) for name in dict.fromkeys(names))


def _refuse_unknown(option: str, names: Sequence[str], known: Mapping[str, Any]) -> None:
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(
            f"[filter_scheduler] {option} names {', '.join(unknown)}; known are {', '.join(known)}"
        )
