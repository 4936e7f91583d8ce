from tests.fixtures.bus import bus
from tests.fixtures.cloud import cloud, cloud_policy
from tests.fixtures.db import api_database, cell_database, cells, database_templates

__all__ = ["api_database", "bus", "cell_database", "cells", "cloud", "cloud_policy", "database_templates"]
