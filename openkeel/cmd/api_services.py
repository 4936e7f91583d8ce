"""The use cases behind the API, put together."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from oslo_config import cfg

from openkeel.cmd.surroundings import Surroundings
from openkeel.db.cells import CellDirectory, CellStores
from openkeel.domain.audit_periods import AuditPeriod
from openkeel.notifications.notifier import Notifications
from openkeel.services.admin_state import AdminStateService
from openkeel.services.aggregates import AggregateService
from openkeel.services.availability_zones import AvailabilityZoneService
from openkeel.services.bare_metal import BareMetalService
from openkeel.services.boot import BootService, BootSettings
from openkeel.services.console import ConsoleService
from openkeel.services.console_tokens import ConsoleTokenService
from openkeel.services.delete import DeleteService, DeleteSettings
from openkeel.services.diagnostics import DiagnosticsService
from openkeel.services.external_events import ExternalEventService
from openkeel.services.flavors import FlavorService
from openkeel.services.floating_ips import FloatingIpService
from openkeel.services.host_admin import HostAdminService
from openkeel.services.hosts import HostService, HostSettings
from openkeel.services.image_cache import ImageCacheService
from openkeel.services.images import ImageService
from openkeel.services.instance_actions import InstanceActionService
from openkeel.services.keypairs import KeyPairService
from openkeel.services.limits import LimitsService
from openkeel.services.lookup import ServerLookup
from openkeel.services.migrations import MigrationService
from openkeel.services.networks import NetworkService
from openkeel.services.options import host_settings, quota_service
from openkeel.services.power import PowerService
from openkeel.services.quota_sets import QuotaSetService
from openkeel.services.security_groups import SecurityGroupService
from openkeel.services.server_groups import ServerGroupService
from openkeel.services.server_lists import ReadSettings, ServerLists
from openkeel.services.server_password import ServerPasswordService
from openkeel.services.servers import ServerService
from openkeel.services.tags import TagService
from openkeel.services.unique_names import NameScope
from openkeel.services.usage import UsageService
from openkeel.services.volumes import VolumeService


@dataclass(frozen=True, slots=True)
class ApiServices:
    """What handlers reach as `request.services`."""

    aggregates: AggregateService
    availability_zones: AvailabilityZoneService
    admin_state: AdminStateService
    bare_metal: BareMetalService
    boot: BootService
    console: ConsoleService
    console_tokens: ConsoleTokenService
    delete: DeleteService
    diagnostics: DiagnosticsService
    external_events: ExternalEventService
    flavors: FlavorService
    floating_ips: FloatingIpService
    host_admin: HostAdminService
    hosts: HostService
    image_cache: ImageCacheService
    images: ImageService
    instance_actions: InstanceActionService
    keypairs: KeyPairService
    limits: LimitsService
    migrations: MigrationService
    networks: NetworkService
    power: PowerService
    quota_sets: QuotaSetService
    server_groups: ServerGroupService
    security_groups: SecurityGroupService
    server_lists: ServerLists
    server_lookup: ServerLookup
    server_naming: HostSettings
    server_password: ServerPasswordService
    servers: ServerService
    tags: TagService
    usage: UsageService
    volumes: VolumeService


def api_services(
    conf: cfg.ConfigOpts,
    *,
    cells: CellDirectory,
    outside: Surroundings,
    conductor: Any,
    scheduler: Any,
    compute_of: Callable[[CellStores], Any],
    notifications: Notifications | None = None,
) -> ApiServices:
    """Every use case.

    `conductor` is a ComputeTaskClient, `scheduler` a SchedulerClient, `compute_of` gives a cell's
    ComputeClient.
    """
    clock = outside.clock
    lookup = ServerLookup(cells)
    quota = quota_service(conf, cells, outside.placement)
    hosts = host_settings(conf)
    host_service = HostService(cells, compute_of, clock, hosts)
    aggregates = AggregateService(cells, outside.placement, scheduler, clock, notifications)
    return ApiServices(
        aggregates=aggregates,
        availability_zones=AvailabilityZoneService(host_service, hosts.internal_zone),
        admin_state=AdminStateService(notifications),
        bare_metal=BareMetalService(outside.ironic),
        boot=BootService(
            cells,
            conductor,
            outside.glance,
            outside.neutron,
            quota,
            outside.policy,
            clock,
            BootSettings(
                enable_instance_password=conf.api.enable_instance_password,
                password_length=conf.password_length,
                default_schedule_zone=conf.default_schedule_zone,
                default_availability_zone=hosts.default_zone,
                internal_availability_zone=hosts.internal_zone,
                max_local_block_devices=conf.max_local_block_devices,
                unique_name_scope=NameScope(conf.osapi_compute_unique_server_name_scope),
            ),
            notifications,
        ),
        console=ConsoleService(compute_of),
        console_tokens=ConsoleTokenService(cells),
        delete=DeleteService(
            cells,
            lookup,
            compute_of,
            outside.neutron,
            outside.placement,
            clock,
            DeleteSettings(service_down_time_s=hosts.down_time_s),
            notifications,
        ),
        diagnostics=DiagnosticsService(compute_of),
        external_events=ExternalEventService(cells, compute_of),
        flavors=FlavorService(cells, outside.keystone, notifications),
        floating_ips=FloatingIpService(outside.neutron, conf.neutron.default_floating_pool),
        host_admin=HostAdminService(cells, host_service, aggregates, outside.placement, compute_of),
        hosts=host_service,
        image_cache=ImageCacheService(cells, aggregates, outside.glance, conductor),
        images=ImageService(outside.glance, quota),
        instance_actions=InstanceActionService(cells),
        keypairs=KeyPairService(cells, quota, clock, notifications),
        limits=LimitsService(quota),
        networks=NetworkService(
            outside.neutron,
            conf.api.neutron_default_project_id if conf.api.use_neutron_default_nets else None,
        ),
        migrations=MigrationService(cells),
        power=PowerService(compute_of),
        quota_sets=QuotaSetService(cells, quota, outside.keystone),
        server_groups=ServerGroupService(cells, quota, notifications),
        security_groups=SecurityGroupService(outside.neutron),
        server_lists=ServerLists(
            cells,
            outside.neutron,
            clock,
            ReadSettings(
                default_availability_zone=hosts.default_zone,
                service_down_time_s=hosts.down_time_s,
                skips_down_cells=conf.api.list_records_by_skipping_down_cells,
            ),
        ),
        server_lookup=lookup,
        server_naming=hosts,
        server_password=ServerPasswordService(),
        servers=ServerService(
            cells,
            lookup,
            quota,
            hosts.default_zone,
            NameScope(conf.osapi_compute_unique_server_name_scope),
        ),
        tags=TagService(notifications),
        usage=UsageService(cells, clock, AuditPeriod.parse(conf.instance_usage_audit_period)),
        volumes=VolumeService(outside.cinder),
    )
