import pytest

from tests.fixtures.db import api_database, cell_database, cells, database_templates
from tests.fixtures.server_world import ServerWorld

__all__ = ["api_database", "cell_database", "cells", "database_templates"]


@pytest.fixture
def world(cells):
    return ServerWorld(cells)
