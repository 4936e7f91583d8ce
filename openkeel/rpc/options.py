"""Options of the message bus clients (contract: config_options.json). oslo.messaging owns the others."""

from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg


def _level(service: str) -> cfg.StrOpt:
    return cfg.StrOpt(
        service,
        help=f"Highest RPC version to speak to {service}: a version, a release name in lower case, or, for "
        "compute, 'auto' for what the oldest running daemon understands. Not set: the newest.",
    )


GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    "DEFAULT": (
        cfg.IntOpt(
            "long_rpc_timeout",
            default=1800,
            help="Seconds to wait for the answer to a call that may take long (scheduling, live migration "
            "checks...), as long as heartbeats show that the peer still works on it.",
        ),
    ),
    "upgrade_levels": tuple(_level(service) for service in ("baseapi", "compute", "conductor", "scheduler")),
}
