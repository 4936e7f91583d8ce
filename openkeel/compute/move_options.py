"""Options of what takes a guest from its host: resize, live migration, shelving."""

from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg

from openkeel.common.option_help import later

_LIVE: Final = "live migration"
_SHELVING: Final = "shelving"

GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    "DEFAULT": (
        cfg.IntOpt(
            "resize_confirm_window",
            default=0,
            min=0,
            help=later(
                "resize",
                "Seconds after which a resize or cold migration that nobody confirmed is confirmed. 0 for "
                "never.",
            ),
        ),
        cfg.IntOpt(
            "migrate_max_retries",
            default=-1,
            min=-1,
            help=later(
                _LIVE,
                "On how many further hosts a live migration is tried after the first that refuses. -1 for "
                "all there are, 0 for none.",
            ),
        ),
        cfg.IntOpt(
            "max_concurrent_live_migrations",
            default=1,
            min=0,
            help=later(_LIVE, "How many guests leave a host at the same time; others wait. 0 for no limit."),
        ),
        cfg.IntOpt(
            "live_migration_retry_count",
            default=30,
            min=0,
            advanced=True,
            help=later(
                _LIVE, "How often, once a second, the host to go to looks whether its network is ready."
            ),
        ),
        cfg.IntOpt(
            "shelved_offload_time",
            default=0,
            help=later(
                _SHELVING,
                "Seconds that a shelved guest keeps its place on the host. 0 to free it at once, -1 never.",
            ),
        ),
        cfg.IntOpt(
            "shelved_poll_interval",
            default=3600,
            help=later(
                _SHELVING,
                "Seconds between two looks for shelved guests whose time is over. 0 for the usual pace, "
                "negative for never.",
            ),
        ),
    ),
    "compute": (
        cfg.BoolOpt(
            "live_migration_wait_for_vif_plug",
            default=True,
            help=later(
                _LIVE,
                "Whether a guest moves only when Neutron says that its ports are plugged at the other host. "
                "How long that may take and whether it then fails: vif_plugging_timeout and "
                "vif_plugging_is_fatal.",
            ),
        ),
    ),
}
