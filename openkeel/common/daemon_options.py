"""Options every daemon reads (contract: config_options.json, group DEFAULT)."""

import socket
from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg
from oslo_utils import netutils

GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    "DEFAULT": (
        cfg.HostDomainOpt(
            "host",
            default=socket.gethostname(),
            sample_default="<current_hostname>",
            help="Name of this daemon on the message bus and in the services table. On a compute it must "
            "equal the Kubernetes node's name and the hostname of the node's OVN chassis.",
        ),
        cfg.StrOpt(
            "my_ip",
            default=netutils.get_my_ipv4(),
            sample_default="<host_ipv4>",
            help="The address at which other parts reach this machine.",
        ),
        cfg.StrOpt(
            "state_path",
            default="$pybasedir",
            help="Directory for state that a daemon keeps between runs.",
        ),
        cfg.StrOpt(
            "pybasedir",
            default="/var/lib/openkeel",
            help="Directory that other paths default to.",
        ),
        cfg.IntOpt(
            "report_interval",
            default=10,
            help="Seconds between two heartbeats of a daemon. Must be below service_down_time.",
        ),
        cfg.IntOpt(
            "service_down_time",
            default=60,
            help="Seconds after its last heartbeat at which a daemon counts as down.",
        ),
        cfg.BoolOpt(
            "periodic_enable",
            default=True,
            help="Whether daemons run their periodic work.",
        ),
        cfg.IntOpt(
            "periodic_fuzzy_delay",
            default=60,
            min=0,
            help="Upper bound in seconds of the random delay before the first periodic run; spreads the "
            "load when many daemons start at once. 0 for none.",
        ),
        cfg.IntOpt(
            "manager_shutdown_timeout",
            default=160,
            min=0,
            help="Seconds that a stopping daemon gives to the work it has begun.",
        ),
    ),
}
