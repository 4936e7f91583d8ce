"""Options of the API (contract: config_options.json, groups api and wsgi)."""

from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg

GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    "api": (
        cfg.IntOpt(
            "max_limit",
            default=1000,
            min=0,
            help="Most rows of one page of a list, whatever limit a client asks for.",
        ),
        cfg.StrOpt(
            "compute_link_prefix",
            help="URL that links in answers begin with. When not set they begin like the request's own URL; "
            "set it, or enable_proxy_headers_parsing, behind a proxy that changes it.",
        ),
        cfg.StrOpt(
            "glance_link_prefix",
            help="URL that links to images in answers begin with. When not set: as for compute_link_prefix.",
        ),
        cfg.BoolOpt(
            "enable_instance_password",
            default=True,
            help="Answer the administrator password that a new server was given.",
        ),
    ),
}
