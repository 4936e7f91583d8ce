"""Options of what the API does with servers, zones and quotas (contract: config_options.json)."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from oslo_config import cfg
from oslo_config.types import String

from openkeel.common.option_help import later

if TYPE_CHECKING:  # every tool reads options; what they steer imports far more
    from openkeel.clients.placement.interface import Placement
    from openkeel.db.cells import CellDirectory
    from openkeel.services.hosts import HostSettings
    from openkeel.services.quota import QuotaService, QuotaSettings

_NOOP_DRIVERS: Final = ("nova.quota.NoopQuotaDriver",)
_UNIFIED_LIMITS_DRIVER: Final = "nova.quota.UnifiedLimitsDriver"


class UnifiedLimitsResource(String):
    """Name of something that Keystone may hold a limit of."""

    NAMES: ClassVar[frozenset[str]] = frozenset(
        {
            "servers",
            "server_groups",
            "server_group_members",
            "server_injected_file_content_bytes",
            "server_injected_file_path_bytes",
            "server_injected_files",
            "server_key_pairs",
            "server_metadata_items",
        }
    )

    def __call__(self, value: Any) -> str:
        name = str(super().__call__(value))
        if name not in self.NAMES and not name.startswith("class:"):
            raise ValueError(f"{name!r} is neither class:RESOURCE_CLASS nor one of {sorted(self.NAMES)}")
        return name


def _quota(name: str, default: int, what: str, option: str | None = None) -> cfg.IntOpt:
    return cfg.IntOpt(
        option or name,
        default=default,
        min=-1,
        deprecated_name=f"quota_{option or name}",
        deprecated_group="DEFAULT",
        help=f"{what}; -1 for no limit. Limits of the class `default`, of the project and of the user, "
        "set through the API, come before it.",
    )


GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    "DEFAULT": (
        cfg.StrOpt(
            "default_availability_zone",
            default="nova",
            help="Name of the zone of computes that no aggregate puts into another one.",
        ),
        cfg.StrOpt(
            "internal_service_availability_zone",
            default="internal",
            help="Name of the zone of services that run no servers. No aggregate should be called so.",
        ),
        cfg.StrOpt(
            "default_schedule_zone",
            help="Zone of servers that ask for none. When not set they may go anywhere and move freely.",
        ),
        cfg.IntOpt(
            "password_length",
            default=12,
            min=0,
            help="Length of administrator passwords made for new servers.",
        ),
        cfg.StrOpt(
            "osapi_compute_unique_server_name_scope",
            choices=("", "project", "global"),
            default="",
            help="Where no two servers may have the same name, whatever its case: in a project, anywhere, or "
            "(empty) they may. Host names count as well. Servers that share a name already keep it.",
        ),
        cfg.IntOpt(
            "max_local_block_devices",
            default=3,
            help="The most disks on storage of the host that a new server may have, the boot disk, ephemeral "
            "and swap disks of its flavor among them. 0 allows only servers on volumes, negative any number.",
        ),
        cfg.ListOpt(
            "non_inheritable_image_properties",
            default=["cache_in_nova", "bittorrent"],
            help=later(
                "snapshots",
                "Properties of a server's image that an image made of the server does not get. Those that "
                "say what a host must be for it are better left out here.",
            ),
        ),
        cfg.IntOpt(
            "reclaim_instance_interval",
            default=0,
            help=later(
                "deferred delete",
                "Seconds for which a deleted server can be restored before it is removed for good. Not above "
                "0 to remove it at once. Set it alike for API and computes.",
            ),
        ),
        cfg.BoolOpt(
            "allow_resize_to_same_host",
            default=False,
            help=later(
                "resize",
                "Whether a resize may stay on the host. Hosts that cannot are left out, whatever is set "
                "here; a cold migration to the same host never happens.",
            ),
        ),
    ),
    "quota": (
        _quota("instances", 10, "Servers of a project"),
        _quota("cores", 20, "Virtual processors of a project"),
        _quota("ram", 51200, "Memory of a project in MiB"),
        _quota("metadata_items", 128, "Metadata items of a server"),
        _quota("injected_files", 5, "Files handed to a new server"),
        _quota("injected_file_content_bytes", 10240, "Bytes of a file handed to a new server"),
        _quota(
            "injected_file_path_bytes",
            255,
            "Bytes of the path of a file handed to a new server",
            option="injected_file_path_length",
        ),
        _quota("key_pairs", 100, "Keypairs of a user"),
        _quota("server_groups", 10, "Server groups of a project"),
        _quota("server_group_members", 10, "Servers of a server group"),
        cfg.StrOpt(
            "driver",
            default="nova.quota.DbQuotaDriver",
            choices=("nova.quota.DbQuotaDriver", *_NOOP_DRIVERS, _UNIFIED_LIMITS_DRIVER),
            help="Where limits come from: the database and these options, Keystone's limits (which then are "
            "set there, see [oslo_limit], and usage is counted in Placement), or (Noop) there are none.",
        ),
        cfg.BoolOpt(
            "recheck_quota",
            default=True,
            help="Count again after servers were made, and give them up when two requests that came at "
            "once together exceed the quota.",
        ),
        cfg.BoolOpt(
            "count_usage_from_placement",
            default=False,
            help="Count processors and memory in Placement, and servers by their mappings, in place of the "
            "cells' databases. Then a cell that is down does not free quota. With unified limits it is "
            "so always.",
        ),
        cfg.StrOpt(
            "unified_limits_resource_strategy",
            choices=("require", "ignore"),
            default="require",
            help="Whether unified_limits_resource_list names what must have a limit, or what needs none.",
        ),
        cfg.ListOpt(
            "unified_limits_resource_list",
            item_type=UnifiedLimitsResource(),
            default=["servers"],
            help="Resources, as servers or class:VCPU, that must be registered in Keystone with a limit, "
            "else requests for them are refused; or that need not, see unified_limits_resource_strategy.",
        ),
    ),
    "workarounds": (
        cfg.BoolOpt(
            "unified_limits_count_pcpu_as_vcpu",
            default=False,
            help="With unified limits, count dedicated processors (PCPU) as class:VCPU as well.",
        ),
    ),
}


def quota_settings(conf: cfg.ConfigOpts) -> "QuotaSettings":
    """What the group quota says of limits. Raises: ConfigFileValueError, when Keystone's are not named."""
    from openkeel.clients.keystone import limit_options
    from openkeel.services import quota

    values = conf.quota
    if values.driver == _UNIFIED_LIMITS_DRIVER:
        conf.register_opts(limit_options.OPTS, group=limit_options.GROUP)
        mine = conf.oslo_limit
        if not (mine.endpoint_id or mine.endpoint_service_type or mine.endpoint_service_name):
            raise cfg.ConfigFileValueError(
                f"[quota] driver: {values.driver} needs [oslo_limit] endpoint_id, or endpoint_service_type"
            )
    return quota.QuotaSettings(
        limits={
            quota.INSTANCES: values.instances,
            quota.CORES: values.cores,
            quota.RAM: values.ram,
            quota.METADATA_ITEMS: values.metadata_items,
            quota.INJECTED_FILES: values.injected_files,
            quota.INJECTED_FILE_CONTENT_BYTES: values.injected_file_content_bytes,
            quota.INJECTED_FILE_PATH_BYTES: values.injected_file_path_length,
            quota.KEY_PAIRS: values.key_pairs,
            quota.SERVER_GROUPS: values.server_groups,
            quota.SERVER_GROUP_MEMBERS: values.server_group_members,
        },
        rechecks=values.recheck_quota,
        is_enforced=values.driver not in _NOOP_DRIVERS,
    )


def quota_service(conf: cfg.ConfigOpts, cells: "CellDirectory", placement: "Placement") -> "QuotaService":
    """Quota as the group quota wants it: where limits come from, and where usage is counted."""
    from openkeel.clients.keystone.limits import make_client
    from openkeel.services.quota import QuotaService
    from openkeel.services.quota_limits import UnifiedLimits
    from openkeel.services.quota_usage import PROCESSORS, PlacementCounter

    settings = quota_settings(conf)
    if conf.quota.driver == _UNIFIED_LIMITS_DRIVER:
        both = conf.workarounds.unified_limits_count_pcpu_as_vcpu
        processors = PROCESSORS if both else PROCESSORS[:1]
        source = UnifiedLimits(make_client(conf), _needs_limit(conf))
        return QuotaService(cells, settings, source, PlacementCounter(cells, placement, processors))
    counter = PlacementCounter(cells, placement) if conf.quota.count_usage_from_placement else None
    return QuotaService(cells, settings, counter=counter)


def _needs_limit(conf: cfg.ConfigOpts) -> Callable[[str], bool]:
    """Whether something without a limit in Keystone is refused."""
    named = frozenset(conf.quota.unified_limits_resource_list)
    if conf.quota.unified_limits_resource_strategy == "require":
        return named.__contains__
    return lambda resource: resource not in named


def host_settings(conf: cfg.ConfigOpts) -> "HostSettings":
    """What services and hypervisors are judged by."""
    from openkeel.services.hosts import HostSettings

    return HostSettings(
        down_time_s=conf.service_down_time,
        default_zone=conf.default_availability_zone,
        internal_zone=conf.internal_service_availability_zone,
        instance_name_template=conf.instance_name_template,
    )
