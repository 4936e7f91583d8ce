"""Options of [placement]."""

from typing import Final

from oslo_config import cfg

from openkeel.clients.service_options import adapter_options, auth_options, session_options

GROUP: Final = "placement"
OPTS: Final[tuple[cfg.Opt, ...]] = (*session_options(), *adapter_options("placement"), *auth_options())
