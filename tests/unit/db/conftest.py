from tests.fixtures.db import api_database, cell, cell_database, cells, database_templates

__all__ = ["api_database", "cell", "cell_database", "cells", "database_templates"]
