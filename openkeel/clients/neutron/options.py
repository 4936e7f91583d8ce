"""Options of [neutron]."""

from typing import Final

from oslo_config import cfg

from openkeel.clients.service_options import adapter_options, auth_options, session_options
from openkeel.common.option_help import later

GROUP: Final = "neutron"
OPTS: Final[tuple[cfg.Opt, ...]] = (
    cfg.StrOpt(
        "ovs_bridge",
        default="br-int",
        help="Name of the Open vSwitch bridge to use when the port binding of Neutron names none.",
    ),
    cfg.StrOpt(
        "default_floating_pool",
        default="nova",
        help="Name or id of the external network from which floating IPs are taken when a request of "
        "the old floating IP calls names none.",
    ),
    cfg.IntOpt(
        "extension_sync_interval",
        default=600,
        min=0,
        help="Seconds for which the list of Neutron's extensions is kept before it is asked for again.",
    ),
    cfg.ListOpt(
        "physnets",
        default=[],
        help=later(
            "NUMA nodes of networks",
            "Physical networks for which NUMA nodes are configured, each in a group [neutron_physnet_NAME].",
        ),
    ),
    cfg.IntOpt(
        "http_retries",
        default=3,
        min=0,
        help="How often a request is tried again after a lost connection. connect_retries of this group, "
        "if set, counts instead.",
    ),
    cfg.BoolOpt(
        "service_metadata_proxy",
        default=False,
        help=later(
            "the metadata service",
            "Take the server's id from the headers of Neutron's metadata agent, which signs it with "
            "metadata_proxy_shared_secret, in place of the address the request comes from.",
        ),
    ),
    cfg.StrOpt(
        "metadata_proxy_shared_secret",
        default="",
        secret=True,
        help=later(
            "the metadata service", "The secret that this service and Neutron's metadata agents share."
        ),
    ),
    *session_options(),
    *adapter_options("network"),
    *auth_options(),
)
