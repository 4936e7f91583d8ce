"""An empty database on each server."""

import pytest

from openkeel.db import migrate
from openkeel.db.cells import ApiStores, CellStores
from openkeel.db.session import Database, DatabaseSettings
from tests.fixtures.mariadb import mariadb

__all__ = ["mariadb"]


@pytest.fixture
def on_sqlite(tmp_path):
    """on_sqlite(name): a new, empty database in a file."""
    made = []

    def make(name):
        made.append(
            Database(DatabaseSettings(f"sqlite:///{tmp_path}/{name}.sqlite", sqlite_synchronous=False))
        )
        return made[-1]

    yield make
    for database in made:
        database.dispose()


@pytest.fixture(params=["on_sqlite", "mariadb"])
def empty(request):
    """empty(name): a new, empty database on either."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def api(empty):
    database = empty("api")
    migrate.upgrade(database, "api")
    return ApiStores(database)


@pytest.fixture
def cell(empty):
    database = empty("cell")
    migrate.upgrade(database, "main")
    return CellStores(database)
