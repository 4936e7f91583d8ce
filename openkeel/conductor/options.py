"""Options of the conductor (contract: config_options.json, group conductor)."""

from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg

GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    "conductor": (
        cfg.IntOpt(
            "workers",
            help="Number of worker processes; the number of processors when not set.",
        ),
    ),
    "stalled_builds": (
        cfg.IntOpt(
            "timeout",
            default=1800,
            min=0,
            help="Seconds without progress after which a build that no host has taken yet is given up: the "
            "daemon that had it in hand was killed. The server goes to ERROR with a fault. Must be longer "
            "than scheduling ever takes (see long_rpc_timeout). 0 to never give up.",
        ),
        cfg.IntOpt(
            "interval",
            default=60,
            min=1,
            help="Seconds between two looks for stalled builds.",
        ),
    ),
}
