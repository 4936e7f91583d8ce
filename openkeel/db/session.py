"""A database as the stores see it: short transactions over a pool of connections.

The statements run on SQLAlchemy's Core connections: there is no identity map, nothing is loaded behind
the caller's back, and a row is a row. Stores write `with database.write() as connection: ...`.
"""

import functools
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import sqlalchemy as sa
import tenacity
from oslo_db import exception as db_errors
from oslo_db.sqlalchemy import engines

from openkeel.domain.errors import Invalid, Unavailable

LOG = logging.getLogger(__name__)

S = TypeVar("S")
P = ParamSpec("P")
R = TypeVar("R")

# What a statement that fails raises, where oslo.db has a name for it and where not.
# MySQL: number out of range, text in other characters than the table's, text too long, a pattern that is
# none (any more, once characters were lost that the connection cannot carry). A last resort: who
# takes values from users checks them first (openkeel.domain.storable).
_NOT_KEPT: Final = frozenset({1139, 1264, 1366, 1406})
DATABASE_ERRORS: Final = (db_errors.DBError, sa.exc.SQLAlchemyError)

_SQLITE_WAIT_MS: Final = 30_000


@dataclass(frozen=True, slots=True)
class DatabaseSettings:
    """Where a database is and how to hold connections to it."""

    url: str
    connection_parameters: str = ""
    mysql_sql_mode: str | None = "TRADITIONAL"
    mysql_wsrep_sync_wait: int | None = None
    connection_recycle_time_s: int = 3600
    connection_debug: int = 0
    connection_trace: bool = False
    max_pool_size: int | None = 5
    max_overflow: int | None = 50
    pool_timeout_s: int | None = None
    sqlite_synchronous: bool = True
    max_retries: int = 10
    retry_interval_s: int = 10


class Database:
    """One database. Connects when first used; safe to share between threads."""

    def __init__(self, settings: DatabaseSettings) -> None:
        self.settings = settings
        self._guard = threading.Lock()
        self._engine: sa.Engine | None = None

    @property
    def engine(self) -> sa.Engine:
        """The pool of connections, made on first use."""
        if self._engine is None:
            with self._guard:
                if self._engine is None:
                    self._engine = _make_engine(self.settings)
        return self._engine

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """A connection for reading; all statements see one state of the database.

        Raises: Unavailable when the database cannot be reached.
        """
        with _reachable(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """A transaction: committed at the end of the block, rolled back when it raises.

        Raises: Unavailable when the database cannot be reached.
        """
        with _reachable(), self.engine.connect() as connection:
            writer = connection.execution_options(openkeel_write=True)
            with writer.begin():
                yield writer

    def wait_until_up(self, sleep: Callable[[float], None] = time.sleep) -> None:
        """Block until the database answers, as often as `max_retries` says (-1: for ever).

        Raises: Unavailable.
        """
        attempt = 0
        while True:
            try:
                with self.read() as connection:
                    connection.execute(sa.text("SELECT 1"))
            except Unavailable:
                attempt += 1
                if attempt > self.settings.max_retries >= 0:
                    raise
                LOG.warning("The database does not answer, trying again (%d)", attempt)
                sleep(self.settings.retry_interval_s)
            else:
                return

    def dispose(self) -> None:
        """Close all idle connections; a child process does so after a fork."""
        if self._engine is not None:
            self._engine.dispose()


@contextmanager
def _reachable() -> Iterator[None]:
    """Say in our own words that the database cannot be reached, or cannot keep a value."""
    try:
        yield
    except db_errors.DBConnectionError as error:
        raise Unavailable(service="The database") from error
    except DATABASE_ERRORS as error:
        if _code(error) in _NOT_KEPT:
            raise Invalid("A value of the request cannot be stored or searched for.") from error
        raise


def _code(error: Exception) -> Any:
    """MySQL's number of an error."""
    cause = getattr(getattr(error, "inner_exception", error), "orig", None)
    return cause.args[0] if cause is not None and cause.args else None


def is_url(text: str) -> bool:
    """Whether it reads as the URL of a database."""
    try:
        sa.make_url(text)
    except (sa.exc.ArgumentError, ValueError):
        return False
    return True


def _make_engine(settings: DatabaseSettings) -> sa.Engine:
    if not settings.url:
        raise Unavailable("No database connection is configured.")
    if not is_url(settings.url):
        raise Unavailable("The URL of a database cannot be read.")
    engine: sa.Engine = engines.create_engine(
        settings.url,
        sqlite_fk=True,
        mysql_sql_mode=settings.mysql_sql_mode,
        mysql_wsrep_sync_wait=settings.mysql_wsrep_sync_wait,
        connection_recycle_time=settings.connection_recycle_time_s,
        connection_debug=settings.connection_debug,
        max_pool_size=settings.max_pool_size,
        max_overflow=settings.max_overflow,
        pool_timeout=settings.pool_timeout_s,
        sqlite_synchronous=settings.sqlite_synchronous,
        connection_trace=settings.connection_trace,
        max_retries=0,  # a request must not hang while a database is down: see wait_until_up
        thread_checkin=False,
        connection_parameters=settings.connection_parameters,
    )
    # Errors are logged with their statement, whose values are what users keep: user data, metadata, keys.
    engine.hide_parameters = True
    if engine.dialect.name == "sqlite":
        _one_writer_at_a_time(engine)
    return engine


def _one_writer_at_a_time(engine: sa.Engine) -> None:
    """Take SQLite's write lock when a writing transaction begins, since it cannot be upgraded to safely."""

    @sa.event.listens_for(engine, "connect")
    def _wait_for_others(connection: sqlite3.Connection, _record: Any) -> None:
        connection.execute(f"PRAGMA busy_timeout = {_SQLITE_WAIT_MS}")

    # oslo.db's own listener comes before ours, whatever we ask for. It begins, unless it finds this mark.
    @sa.event.listens_for(engine, "set_connection_execution_options")
    def _announce(connection: sa.Connection, options: dict[str, Any]) -> None:
        if options.get("openkeel_write"):
            connection.info["in_transaction"] = True

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        if connection.get_execution_options().get("openkeel_write"):
            try:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            except BaseException:
                connection.info.pop("in_transaction", None)
                raise


def retried(
    method: Callable[Concatenate[S, P], R],
) -> Callable[Concatenate[S, P], R]:
    """Run a store's method again when the database broke its transaction to resolve a deadlock.

    The method must change objects only after its transaction.
    """

    @functools.wraps(method)
    def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return _DEADLOCKS(method, self, *args, **kwargs)

    return run


_DEADLOCKS: Final = tenacity.Retrying(
    retry=tenacity.retry_if_exception_type(db_errors.DBDeadlock),
    stop=tenacity.stop_after_attempt(8),
    wait=tenacity.wait_random_exponential(multiplier=0.02, max=1),
    reraise=True,
)
