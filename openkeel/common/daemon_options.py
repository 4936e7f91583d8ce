"""Options every daemon reads (contract: config_options.json, group DEFAULT)."""

import socket
from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg

from openkeel.common.option_help import ignored, later

_NO_ROOT: Final = "no daemon of OpenKeel runs anything as root"
_THREADS: Final = "it is always native threads, as many as each kind of work may have"

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
            sample_default="<host_ipv4>",  # found when options are read: it takes a socket
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
        cfg.BoolOpt(
            "enable_new_services",
            default=True,
            help="Whether a compute that starts for the first time gets servers at once. If not, it is "
            "disabled until an operator enables it.",
        ),
        cfg.StrOpt(
            "servicegroup_driver",
            choices=("db", "mc"),
            default="db",
            help=later(
                "heartbeats in memcached",
                "Where daemons leave their heartbeats: in the database (db) or in memcached (mc). This "
                "release always takes the database.",
            ),
        ),
        cfg.StrOpt(
            "my_block_storage_ip",
            default="$my_ip",
            help=later("volumes", "The address at which this host reaches block storage."),
        ),
        cfg.StrOpt(
            "my_shared_fs_storage_ip",
            default="$my_ip",
            help=later("shares", "The address at which this host reaches shared file systems."),
        ),
        cfg.StrOpt(
            "tempdir",
            help=ignored("Directory for temporary files.", "daemons of OpenKeel make none of size"),
        ),
        # Threads
        cfg.StrOpt(
            "concurrency_backend",
            choices=("auto", "threading", "eventlet"),
            default="auto",
            help=ignored("How a daemon does several things at a time.", _THREADS),
        ),
        cfg.IntOpt(
            "default_thread_pool_size",
            default=10,
            min=1,
            help=ignored("Threads of a daemon for work of all kinds.", _THREADS),
        ),
        cfg.IntOpt(
            "default_green_pool_size",
            default=1000,
            min=100,
            deprecated_for_removal=True,
            deprecated_since="32.0.0",
            deprecated_reason="There is no eventlet.",
            help=ignored("Green threads of a daemon for work of all kinds.", _THREADS),
        ),
        cfg.IntOpt(
            "thread_pool_statistic_period",
            default=-1,
            min=-1,
            help=ignored(
                "Seconds that pass at least between two lines in the log about the use of thread pools. 0 "
                "for a line with each task, -1 for none.",
                "it has no pool for work of all kinds",
            ),
        ),
        # Root
        cfg.StrOpt(
            "rootwrap_config",
            default="/etc/nova/rootwrap.conf",
            help=ignored("Path of the configuration of rootwrap.", _NO_ROOT),
        ),
        cfg.BoolOpt(
            "use_rootwrap_daemon",
            default=False,
            help=ignored("Whether rootwrap stays in memory between two commands.", _NO_ROOT),
        ),
    ),
    "workarounds": (
        cfg.BoolOpt(
            "disable_rootwrap",
            default=False,
            help=ignored("Use sudo in place of rootwrap.", _NO_ROOT),
        ),
        cfg.BoolOpt(
            "disable_compute_service_check_for_ffu",
            default=False,
            help="Start, with a warning, although computes are registered that are too old to work with. For "
            "upgrades that skip releases.",
        ),
    ),
}
