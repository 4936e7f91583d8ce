"""Options of [cyborg]. Requests go with the user's own token: no credentials here."""

from typing import Final

from oslo_config import cfg

from openkeel.clients.service_options import adapter_options, session_options

GROUP: Final = "cyborg"
OPTS: Final[tuple[cfg.Opt, ...]] = (*session_options(), *adapter_options("accelerator"))
