"""The scheduler put together from options: for `cmd/` and for tests of the whole."""

from dataclasses import dataclass
from typing import Any

from openkeel.clients.placement.interface import Placement
from openkeel.common.clock import Clock
from openkeel.common.periodic import Periodic, spacing
from openkeel.db.cells import CellDirectory
from openkeel.db.host_discovery import discover_hosts
from openkeel.scheduler.aggregates import AggregateCache
from openkeel.scheduler.discovery import HostDiscovery
from openkeel.scheduler.endpoint import Announcer, SchedulerEndpoint
from openkeel.scheduler.occupancy import Occupancy
from openkeel.scheduler.pipeline import Pipeline
from openkeel.scheduler.reads import CellReads, Reads
from openkeel.scheduler.registry import make_filters, make_weighers
from openkeel.scheduler.request_filters import RequestFilterSettings
from openkeel.scheduler.selector import Selector, SelectorSettings


@dataclass(frozen=True)
class Scheduler:
    """What the daemon serves and runs."""

    endpoint: SchedulerEndpoint
    periodics: tuple[Periodic, ...]


def assemble_endpoint(
    conf: Any,
    reads: Reads,
    placement: Placement,
    clock: Clock,
    *,
    service_down_time_s: int = 60,
    default_availability_zone: str = "nova",
    announcer: Announcer | None = None,
) -> SchedulerEndpoint:
    """The endpoint as [scheduler], [filter_scheduler] and [metrics] say.

    Raises: ValueError when they name a filter or weigher that is not known.
    """
    own, choosing = conf.scheduler, conf.filter_scheduler
    pipeline = Pipeline(
        make_filters(choosing),
        make_weighers(choosing, conf.metrics),
        host_subset_size=choosing.host_subset_size,
        shuffle_best_same_weighed_hosts=choosing.shuffle_best_same_weighed_hosts,
    )
    settings = SelectorSettings(
        max_attempts=own.max_attempts,
        max_placement_results=own.max_placement_results,
        service_down_time=service_down_time_s,
        default_availability_zone=default_availability_zone,
        weighs_image_properties=bool(choosing.image_props_weight_multiplier),
        request_filters=RequestFilterSettings(
            limit_tenants_to_placement_aggregate=own.limit_tenants_to_placement_aggregate,
            placement_aggregate_required_for_tenants=own.placement_aggregate_required_for_tenants,
            query_placement_for_image_type_support=own.query_placement_for_image_type_support,
            enable_isolated_aggregate_filtering=own.enable_isolated_aggregate_filtering,
            image_metadata_prefilter=own.image_metadata_prefilter,
            default_availability_zone=default_availability_zone,
        ),
    )
    aggregates, occupancy = AggregateCache(reads.aggregates), Occupancy()
    selector = Selector(
        placement,
        reads,
        pipeline,
        aggregates=aggregates,
        occupancy=occupancy,
        clock=clock,
        settings=settings,
    )
    return SchedulerEndpoint(selector, aggregates, occupancy, announcer)


def assemble(
    conf: Any,
    host: str,
    cells: CellDirectory,
    placement: Placement,
    clock: Clock,
    *,
    service_down_time_s: int = 60,
    default_availability_zone: str = "nova",
    announcer: Announcer | None = None,
) -> Scheduler:
    """Endpoint and periodic work of one scheduler process on `host`."""
    endpoint = assemble_endpoint(
        conf,
        CellReads(cells),
        placement,
        clock,
        service_down_time_s=service_down_time_s,
        default_availability_zone=default_availability_zone,
        announcer=announcer,
    )
    discovery = HostDiscovery(
        host, cells, discover_hosts, clock=clock, service_down_time_s=service_down_time_s
    )
    interval = spacing(conf.scheduler.discover_hosts_in_cells_interval)
    return Scheduler(endpoint, (Periodic("discover_hosts_in_cells", discovery.run, interval, at_once=True),))
