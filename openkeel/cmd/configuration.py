"""Reading the configuration file and the command line, and starting the log."""

import logging
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import oslo_messaging
from oslo_config import cfg
from oslo_log import log
from oslo_messaging import opts as messaging_opts
from oslo_messaging._metrics.client import oslo_messaging_metrics
from oslo_messaging._tracing.client import oslo_messaging_tracing
from oslo_utils import netutils

from openkeel.common.options import register_all
from openkeel.common.process import thread_excepthook
from openkeel.common.refusal import StartRefused
from openkeel.rpc.transports import EXCHANGE

LOG = logging.getLogger(__name__)

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


@contextmanager
def refusals(program: str) -> Iterator[None]:
    """Around a whole `main`: what an operator must put right ends it with a line that says so, and 1."""
    try:
        yield
    except (StartRefused, cfg.Error) as error:
        sys.stderr.write(f"{program}: {' '.join(str(error).split())}\n")
        raise SystemExit(1) from error


def load_daemon(program: str, arguments: Sequence[str] | None = None) -> cfg.ConfigOpts:
    """Read the options of a daemon and look at every one of them. Raises: StartRefused; cfg.Error.

    What is wrong is said now, and not by the one worker that asks for it first in the night.
    """
    conf = load(program, arguments)
    _look_at_all(conf)
    return conf


def _look_at_all(conf: cfg.ConfigOpts) -> None:
    for name in conf:
        try:
            value = conf[name]
        except cfg.NoSuchOptError as error:
            raise _root(error) from None
        if isinstance(value, Mapping):
            for inner in value:
                value[inner]  # raises when it makes no sense


def _root(error: BaseException) -> BaseException:
    """What is wrong with an option, or with the one it refers to: oslo.config hides it behind its own."""
    while isinstance(error, cfg.NoSuchOptError) and error.__context__ is not None:
        error = error.__context__
    return error


def reread(conf: cfg.ConfigOpts, program: str, arguments: Sequence[str] | None = None) -> None:
    """SIGHUP: take over what changed of the options that may; files that do not hold change nothing."""
    try:
        _look_at_all(read(program, arguments))  # a rehearsal: oslo.config would keep what it cannot use
        changes = conf.mutate_config_files()
    except (StartRefused, cfg.Error, SystemExit) as error:
        LOG.error("The options stay as they were: %s", error)  # noqa: TRY400 - it says all there is
        return
    LOG.info("Option files were read again; %s", ", ".join(name for _, name in changes) or "nothing changed")


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

    Raises: StartRefused; cfg.Error.
    """
    conf = cfg.ConfigOpts()
    conf.register_cli_opts(command_line)
    register_all(conf)
    conf.set_default("my_ip", netutils.get_my_ipv4())
    log.register_options(conf)
    log.set_defaults(default_log_levels=list(_QUIET))
    oslo_messaging.set_transport_defaults(control_exchange=EXCHANGE)  # before its options are registered
    for group, options in messaging_opts.list_opts():
        conf.register_opts(options, group=group)
    # oslo.messaging registers these on the global object only, yet reads them from the one it is given.
    conf.register_opts(oslo_messaging_tracing, group="oslo_messaging_tracing")
    conf.register_opts(oslo_messaging_metrics, group="oslo_messaging_metrics")
    given = list(sys.argv[1:] if arguments is None else arguments)
    usual = cfg.find_config_files(project="openkeel")
    try:
        conf(
            given,
            project="openkeel",
            prog=program,
            version=version("openkeel"),
            default_config_files=usual,
        )
    except OSError as error:
        raise StartRefused(f"{error.filename}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise StartRefused(f"{_undecodable([*given, *usual])}: not a text in UTF-8") from error
    return conf


def _undecodable(words: Sequence[str]) -> str:
    """Which file of a command line it is: the error does not say."""
    for word in words:
        path = Path(word.rpartition("=")[2])
        for candidate in (path, *sorted(path.glob("*.conf"))):
            try:
                candidate.read_text()
            except UnicodeDecodeError:
                return str(candidate)
            except OSError:
                continue
    return "An option file"
