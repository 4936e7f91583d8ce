"""Options of what the API does with servers, zones and quotas (contract: config_options.json)."""

from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg

from openkeel.services import quota
from openkeel.services.hosts import HostSettings
from openkeel.services.quota import QuotaSettings

_NOOP_DRIVERS: Final = ("nova.quota.NoopQuotaDriver",)


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
            choices=("nova.quota.DbQuotaDriver", *_NOOP_DRIVERS),
            help="Where limits come from: the database and these options, or (Noop) there are none.",
        ),
        cfg.BoolOpt(
            "recheck_quota",
            default=True,
            help="Count again after servers were made, and give them up when two requests that came at "
            "once together exceed the quota.",
        ),
    ),
}


def quota_settings(conf: cfg.ConfigOpts) -> QuotaSettings:
    """What the group quota says."""
    values = conf.quota
    return QuotaSettings(
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
        is_enforced=values.driver not in _NOOP_DRIVERS,
    )


def host_settings(conf: cfg.ConfigOpts) -> HostSettings:
    """What services and hypervisors are judged by."""
    return HostSettings(
        down_time_s=conf.service_down_time,
        default_zone=conf.default_availability_zone,
        internal_zone=conf.internal_service_availability_zone,
        instance_name_template=conf.instance_name_template,
    )
