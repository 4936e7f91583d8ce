"""What all tests share."""

import openkeel  # noqa: F401 - before any oslo library: it chooses native threads for them

pytest_plugins = ["tests.fixtures.lasting", "tests.fixtures.logs"]
