import pytest

from tests.unit.cluster.world import World


@pytest.fixture
def world():
    return World()
