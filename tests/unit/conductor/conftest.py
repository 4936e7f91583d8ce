import pytest

from tests.fixtures.conductor_world import ConductorWorld
from tests.fixtures.db import MARIADB_URL, api_database, cell_database, cells, database_templates

__all__ = ["api_database", "cell_database", "cells", "database_templates"]


@pytest.fixture(autouse=True)
def no_network(request):
    """As everywhere, unless a database server is what the tests are run for."""
    if not MARIADB_URL:
        request.getfixturevalue("no_network")


@pytest.fixture
def world(cells):
    whole = ConductorWorld(cells)
    yield whole
    whole.close()
