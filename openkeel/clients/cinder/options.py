"""Options of [cinder]."""

from typing import Final

from oslo_config import cfg

from openkeel.clients.service_options import auth_options, session_options
from openkeel.common.option_help import ignored, later

GROUP: Final = "cinder"
OPTS: Final[tuple[cfg.Opt, ...]] = (
    cfg.StrOpt(
        "catalog_info",
        default="volumev3::publicURL",
        regex=r"^[\w-]+:\w*:.*$",
        help="Where the catalogue has Cinder, as service type:service name:kind of URL; the name may be "
        "empty. The URL there says the version (.../v3).",
    ),
    cfg.StrOpt(
        "endpoint_template",
        help="URL of Cinder in place of the catalogue's; %(project_id)s stands for the project.",
    ),
    cfg.StrOpt(
        "os_region_name",
        help="Region whose Cinder is taken when the catalogue has several.",
    ),
    cfg.IntOpt(
        "http_retries",
        default=3,
        min=0,
        help="How often a request is tried again after a lost connection.",
    ),
    cfg.BoolOpt(
        "cross_az_attach",
        default=True,
        help=later(
            "volumes of servers",
            "Whether servers get volumes of other zones. If not, their zones must be named alike, and a "
            "server on a volume that asks for no zone goes to that of the volume.",
        ),
    ),
    cfg.BoolOpt(
        "debug",
        default=False,
        help=ignored("Log the requests to Cinder at debug level.", "default_log_levels says what is logged"),
    ),
    *session_options(),
    *auth_options(),
)
