"""Transactions: all or nothing, and again after a deadlock."""

import sqlite3

import pytest
import sqlalchemy as sa
from oslo_db.exception import DBConnectionError, DBDeadlock, DBError

from openkeel.db.session import Database, DatabaseSettings, retried
from openkeel.domain.errors import Invalid, Unavailable

TAGS = sa.text("SELECT count(*) FROM tags")


def test_a_failed_transaction_leaves_nothing(cell_database):
    def fail():
        with cell_database.write() as connection:
            connection.execute(sa.text("INSERT INTO tags VALUES ('a', 'b')"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with cell_database.read() as connection:
        assert connection.scalar(TAGS) == 0


def test_a_transaction_that_will_write_holds_sqlite_s_lock_from_its_first_statement(tmp_path):
    path = tmp_path / "x.sqlite"
    database = Database(DatabaseSettings(f"sqlite:///{path}"))
    other = sqlite3.connect(path, timeout=0, isolation_level=None)
    with database.write() as connection:
        connection.execute(sa.text("SELECT 1"))
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
    other.execute("BEGIN IMMEDIATE")
    other.close()
    database.dispose()


def test_a_deadlock_is_tried_again():
    class Store:
        def __init__(self, failures):
            self.failures = failures

        @retried
        def write(self, value):
            if self.failures:
                self.failures -= 1
                raise DBDeadlock
            return value

    assert Store(3).write("done") == "done"


def test_waiting_for_a_database_ends_after_the_allowed_tries():
    class Down(Database):
        def read(self):
            raise Unavailable(service="The database")

    slept = []
    database = Down(DatabaseSettings("sqlite://", max_retries=3, retry_interval_s=7))
    with pytest.raises(Unavailable):
        database.wait_until_up(slept.append)
    assert slept == [7, 7, 7]


@pytest.mark.parametrize("enter", [Database.read, Database.write])
def test_a_database_that_cannot_be_reached_is_unavailable(enter):
    """Users are not told where it should be."""
    with pytest.raises(Unavailable) as refusal, enter(Database(DatabaseSettings("sqlite://"))):
        raise DBConnectionError("no connection to mysql+pymysql://nova:secret@db")
    assert str(refusal.value) == "The database is not available."


@pytest.mark.parametrize(("code", "kind"), [(1366, Invalid), (1406, Invalid), (1213, DBError)])
def test_a_value_that_a_table_does_not_keep_is_invalid(code, kind):
    cause = sa.exc.DataError("INSERT", {}, ValueError(code, "Incorrect string value"))
    with pytest.raises(kind), Database(DatabaseSettings("sqlite://")).write():
        raise DBError(cause)


def test_a_pattern_that_a_database_does_not_take_is_invalid():
    """Found by schemathesis: a filter by name with an emoji before a quantifier's place."""
    cause = sa.exc.OperationalError("SELECT", {}, ValueError(1139, "Regex error"))
    with pytest.raises(Invalid), Database(DatabaseSettings("sqlite://")).read():
        raise cause


def test_errors_do_not_tell_what_was_written():
    """They are logged, and what users write may be secret."""
    database = Database(DatabaseSettings("sqlite://"))
    with pytest.raises(Exception, match="nosuch") as failure, database.read() as connection:
        connection.execute(sa.text("INSERT INTO nosuch VALUES (:value)"), {"value": "topsecret"})
    assert "topsecret" not in str(failure.value)


def test_a_database_without_url_is_unavailable():
    with pytest.raises(Unavailable), Database(DatabaseSettings("")).read():
        pass


@pytest.mark.parametrize("url", ["junk", "mysql+pymysql://u:p@host:port/x", ""])
def test_a_database_without_a_proper_url_cannot_be_reached(url):
    with pytest.raises(Unavailable), Database(DatabaseSettings(url)).read():
        pass
