"""Options of [oslo_limit]: the account that reads limits, and the endpoint they are for.

Contract: the group of the oslo.limit library, under its names.
"""

from typing import Final

from oslo_config import cfg

from openkeel.clients.service_options import adapter_options, auth_options, session_options

GROUP: Final = "oslo_limit"
OPTS: Final[tuple[cfg.Opt, ...]] = (
    cfg.StrOpt(
        "endpoint_id",
        help="Id of the compute endpoint in Keystone's catalogue that limits are registered for. When it "
        "is set the other endpoint_ options do not count.",
    ),
    cfg.StrOpt("endpoint_service_type", help="Type of the service of that endpoint, such as compute."),
    cfg.StrOpt("endpoint_service_name", help="Name of the service of that endpoint."),
    cfg.StrOpt("endpoint_region_name", help="Region of that endpoint."),
    cfg.StrOpt(
        "endpoint_interface",
        default="public",
        choices=("public", "publicURL", "internal", "internalURL", "admin", "adminURL"),
        help="Interface of that endpoint.",
    ),
    *session_options(),
    *auth_options(),
    *adapter_options("identity"),
)
