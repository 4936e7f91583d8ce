"""Options of [ironic]: where it is and whose account asks. The rest is of Nova's driver."""

from typing import Final

from oslo_config import cfg

from openkeel.clients.service_options import adapter_options, auth_options, session_options
from openkeel.common.option_help import not_ours

GROUP: Final = "ironic"
OPTS: Final[tuple[cfg.Opt, ...]] = (
    *not_ours(
        "ironic driver",
        (
            cfg.IntOpt("api_max_retries", default=60, min=0),
            cfg.IntOpt("api_retry_interval", default=2, min=0),
            cfg.StrOpt(
                "conductor_group",
                regex=r"^[a-zA-Z0-9_.-]*$",
                max_length=255,
                deprecated_name="partition_key",
                mutable=True,
            ),
            cfg.ListOpt("peer_list", default=[], deprecated_for_removal=True, deprecated_since="28.0.0"),
            cfg.IntOpt("serial_console_state_timeout", default=10, min=0),
            cfg.StrOpt("shard", regex=r"^[a-zA-Z0-9_.-]+$", max_length=255),
            cfg.IntOpt("vnc_console_state_timeout", default=60, min=0),
        ),
    ),
    *session_options(),
    *adapter_options("baremetal"),
    *auth_options(),
)
