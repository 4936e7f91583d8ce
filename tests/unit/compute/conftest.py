"""A host to play with."""

import pytest

from tests.fixtures.compute_world import World


@pytest.fixture
def world():
    return World()
