import logging

import pytest

from tests.unit.cluster.world import World


@pytest.fixture
def world():
    return World()


@pytest.fixture(autouse=True)
def _no_controller_stumbles(caplog):
    """The runtime tries again after an exception; here it is a failure."""
    yield
    stumbles = [record for when in ("setup", "call") for record in caplog.get_records(when)]
    assert [record.getMessage() for record in stumbles if record.levelno >= logging.ERROR] == []
