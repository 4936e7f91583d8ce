"""Options of the two databases: `[database]` is a cell's, `[api_database]` the API's."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from oslo_config import cfg
from oslo_db.options import database_opts

from openkeel.common.option_help import ignored

if TYPE_CHECKING:  # every tool reads options; what they steer imports far more
    from openkeel.db.session import DatabaseSettings

MAIN: Final = "database"
API: Final = "api_database"
_OPTS: Final[tuple[cfg.Opt, ...]] = tuple(opt for opt in database_opts if opt.name != "use_db_reconnect")
GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    "DEFAULT": (
        cfg.IntOpt(
            "cell_worker_thread_pool_size",
            default=5,
            min=1,
            help=ignored("Cells that are asked side by side.", "it is always up to 32"),
        ),
    ),
    MAIN: _OPTS,
    API: _OPTS,
}


def settings(conf: cfg.ConfigOpts, group: str, *, url: str | None = None) -> "DatabaseSettings":
    """Settings of one database; `url` where it comes from a cell mapping."""
    from openkeel.db.session import DatabaseSettings

    values = conf[group]
    return DatabaseSettings(
        url=url or values.connection or "",
        connection_parameters=values.connection_parameters,
        mysql_sql_mode=values.mysql_sql_mode,
        mysql_wsrep_sync_wait=values.mysql_wsrep_sync_wait,
        connection_recycle_time_s=values.connection_recycle_time,
        connection_debug=values.connection_debug,
        connection_trace=values.connection_trace,
        max_pool_size=values.max_pool_size,
        max_overflow=values.max_overflow,
        pool_timeout_s=values.pool_timeout,
        sqlite_synchronous=values.sqlite_synchronous,
        max_retries=values.max_retries,
        retry_interval_s=values.retry_interval,
    )
