"""Options of [manila]."""

from typing import Final

from oslo_config import cfg

from openkeel.clients.service_options import adapter_options, auth_options, session_options
from openkeel.common.option_help import later

GROUP: Final = "manila"
OPTS: Final[tuple[cfg.Opt, ...]] = (
    cfg.IntOpt(
        "share_apply_policy_timeout",
        default=10,
        help=later("shares", "Seconds that Manila may take to give a host access to a share, or to end it."),
    ),
    *session_options(),
    *adapter_options("shared-file-system"),
    *auth_options(),
)
