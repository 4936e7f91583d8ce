"""Reading the configuration file and the command line, and starting the log."""

import logging
import sys
import threading
from collections.abc import Sequence
from importlib.metadata import version

import oslo_messaging
from oslo_config import cfg
from oslo_log import log
from oslo_messaging import opts as messaging_opts
from oslo_messaging._metrics.client import oslo_messaging_metrics
from oslo_messaging._tracing.client import oslo_messaging_tracing

from openkeel.common.options import register_all
from openkeel.common.process import thread_excepthook
from openkeel.rpc.transports import EXCHANGE

# oslo libraries that talk more than they tell.
_QUIET = (
    "amqp=WARN",
    "amqplib=WARN",
    "oslo.messaging=INFO",
    "oslo_messaging=INFO",
    "urllib3.connectionpool=WARN",
    "requests.packages.urllib3.connectionpool=WARN",
    "keystonemiddleware=WARN",
    "keystoneauth=WARN",
    "stevedore=WARN",
    "kubernetes=INFO",
    "sqlalchemy=WARN",
    "oslo_policy=INFO",
)


def load(
    program: str,
    arguments: Sequence[str] | None = None,
    *,
    command_line: Sequence[cfg.Opt] = (),
) -> cfg.ConfigOpts:
    """Read the options of a daemon or tool (see `read`) and start its log."""
    conf = read(program, arguments, command_line=command_line)
    log.setup(conf, "openkeel", version=version("openkeel"))
    logging.captureWarnings(capture=True)
    threading.excepthook = thread_excepthook
    return conf


def read(
    program: str,
    arguments: Sequence[str] | None = None,
    *,
    command_line: Sequence[cfg.Opt] = (),
) -> cfg.ConfigOpts:
    """Read options from openkeel.conf or any file given by --config-file.

    `command_line` are options, subcommands too, that only this program takes.
    Every call returns an object of its own: nothing is kept in oslo.config's global one.
    """
    conf = cfg.ConfigOpts()
    conf.register_cli_opts(command_line)
    register_all(conf)
    log.register_options(conf)
    log.set_defaults(default_log_levels=list(_QUIET))
    oslo_messaging.set_transport_defaults(control_exchange=EXCHANGE)  # before its options are registered
    for group, options in messaging_opts.list_opts():
        conf.register_opts(options, group=group)
    # oslo.messaging registers these on the global object only, yet reads them from the one it is given.
    conf.register_opts(oslo_messaging_tracing, group="oslo_messaging_tracing")
    conf.register_opts(oslo_messaging_metrics, group="oslo_messaging_metrics")
    conf(
        list(sys.argv[1:] if arguments is None else arguments),
        project="openkeel",
        prog=program,
        version=version("openkeel"),
        default_config_files=cfg.find_config_files(project="openkeel"),
    )
    return conf
