"""Options of the HTTP server in `openkeel-api`: OpenKeel's own; uwsgi or mod_wsgi have theirs."""

from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg

GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    "openkeel_api": (
        cfg.HostAddressOpt("listen", default="0.0.0.0", help="Address to listen on."),  # noqa: S104
        cfg.PortOpt("listen_port", default=8774, help="Port to listen on."),
        cfg.IntOpt(
            "workers", min=1, help="Number of worker processes; the number of processors when not set."
        ),
        cfg.IntOpt("threads", default=16, min=1, help="Requests that one worker serves at a time."),
        cfg.IntOpt(
            "timeout",
            default=300,
            min=1,
            help="Seconds after which a worker that shows no sign of life is replaced.",
        ),
    ),
}
